package format

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/jsonl"
)

// column is a field that was asked for.
type column struct {
	text string // as it was given, which is what Fields of package filter reads
	name string // what it is called in a heading
}

// parseFields reads a list such as ts,user.id,."a,b".
func parseFields(list string) ([]column, error) {
	if list == "" {
		return nil, nil
	}
	if !utf8.ValidString(list) {
		return nil, fmt.Errorf("%q is not UTF-8", list)
	}
	var out []column
	for from := 0; from <= len(list); {
		end := len(list)
		if n := unquoted(list[from:], ','); n >= 0 {
			end = from + n
		}
		text := strings.TrimSpace(list[from:end])
		if text == "" {
			return nil, &SpotError{Expr: list, Position: from, Reason: "want the name of a field", What: "fields"}
		}
		if strings.HasPrefix(text, ".") {
			if _, err := filter.ParsePath(text); err != nil {
				e := *err.(*SpotError)
				e.What = "fields"
				e.Expr, e.Position = list, e.Position+strings.Index(list[from:], text)+from
				return nil, &e
			}
		}
		out = append(out, column{text, columnName(text)})
		from = end + 1
	}
	return out, nil
}

// unquoted is the place of the first c of text that is not in quotes, or -1.
func unquoted(text string, c byte) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == c && !quoted:
			return i
		}
	}
	return -1
}

// columnName is a field without the dot in front; a name in quotes is what it
// stands for.
func columnName(text string) string {
	name := strings.TrimPrefix(text, ".")
	if name == "" {
		return text
	}
	if len(name) > 1 && name[0] == '"' && jsonl.CheckStrict([]byte(name), -1) == nil {
		return string(jsonl.AppendUnescaped(nil, []byte(name[1:len(name)-1])))
	}
	return name
}

// object is raw, json and pretty of some fields: an object with those that are
// there, in the order in which they were asked for, each under the name that it
// was asked for with.
type object struct {
	opts   *Options
	style  style
	fields filter.Fields
	keys   [][]byte // `"name":`
	buf    []byte
	shaped []byte
}

func newObject(o *Options, columns []column, style style) (*object, error) {
	f := &object{opts: o, style: style}
	seen := map[string]bool{}
	for _, c := range columns {
		if seen[c.name] {
			continue // readers do not agree on which of two members of a name they see
		}
		seen[c.name] = true
		if _, err := f.fields.Add(c.text); err != nil {
			return nil, err
		}
		f.keys = append(f.keys, append(appendQuoted(nil, c.name), ':'))
	}
	return f, nil
}

func (f *object) append(dst []byte, rec *Record) ([]byte, error) {
	values, err := f.fields.Find(rec.json(), rec.Checked)
	if err != nil {
		return dst, err
	}
	f.buf = append(f.buf[:0], '{')
	for i, raw := range values {
		if raw == nil {
			continue
		}
		if len(f.buf) > 1 {
			f.buf = append(f.buf, ',')
		}
		f.buf = append(append(f.buf, f.keys[i]...), raw...)
	}
	f.buf = append(f.buf, '}')
	if f.style == indented {
		if f.shaped, err = f.style.append(f.shaped[:0], f.buf); err != nil {
			return dst, err
		}
	} else {
		f.shaped = appendCompact(f.shaped[:0], f.buf)
	}
	if f.opts.Visible {
		return AppendColored(dst, f.shaped, f.opts.Palette), nil
	}
	return append(dst, f.shaped...), nil
}

// appendQuoted appends text, which is UTF-8, as a JSON string.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// appendCompact appends JSON that was checked without the white space between
// its tokens.
func appendCompact(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		begin := i
		for i < len(src) && !isSpace(src[i]) {
			if src[i] == '"' {
				i = jsonl.SkipString(src, i)
			} else {
				i++
			}
		}
		dst = append(dst, src[begin:i]...)
		i = jsonl.SkipSpace(src, i)
	}
	return dst
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
