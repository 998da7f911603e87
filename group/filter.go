package group

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/reader"
)

// wanted reports whether a record is to be delivered. An error says that this
// cannot be told: it becomes a dead letter.
func (s *stream) wanted(rec reader.Record) (bool, error) {
	if len(s.opts.Tags) > 0 && !tagged(rec.Data, s.opts.TagField, s.opts.Tags) {
		return false, nil
	}
	if s.opts.Where == nil {
		return true, nil
	}
	return s.opts.Where(rec.Data)
}

// tagged reports whether a field of a record is one of the tags, or is a list
// that holds one. A name with dots is that of a member, or else leads to a
// nested one.
func tagged(data []byte, field string, tags []string) bool {
	raw, ok := jsonl.Field(data, field)
	if !ok && strings.Contains(field, ".") {
		raw, ok = jsonl.Field(data, strings.Split(field, ".")...)
	}
	if !ok {
		return false
	}
	if raw[0] != '[' {
		return slices.Contains(tags, tagOf(raw))
	}
	var list []any
	if jsonl.Unmarshal(raw, &list) != nil {
		return false
	}
	return slices.ContainsFunc(list, func(v any) bool {
		text, ok := v.(string)
		return ok && slices.Contains(tags, text)
	})
}

// tagOf is the text of a value: of a string what it says, of any other how it
// is spelled.
func tagOf(raw []byte) string {
	if raw[0] != '"' {
		return string(raw)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	if jsonl.Unmarshal(raw, &text) != nil {
		return strconv.Quote(string(raw)) // which is nobody's tag
	}
	return text
}
