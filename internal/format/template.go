package format

import (
	"bytes"
	"strconv"
	"time"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/jsonl"
)

// template is text with tokens.
type template struct {
	opts   *Options
	parts  []part
	fields filter.Fields
	looks  bool // some token is a field
	cell   []byte
}

// part is a token, or text where token is 0.
type part struct {
	token byte
	text  string
	field int // of '{'
}

// uses reports whether the token is there.
func (t *template) uses(token byte) bool {
	for _, p := range t.parts {
		if p.token == token {
			return true
		}
	}
	return false
}

func (t *template) append(dst []byte, rec *Record) ([]byte, error) {
	var values [][]byte
	if t.looks {
		var err error
		if values, err = t.fields.Find(rec.json(), rec.Checked); err != nil {
			return dst, err
		}
	}
	for i := range t.parts {
		p := &t.parts[i]
		switch p.token {
		case 0:
			dst = append(dst, p.text...)
		case '{':
			dst = t.appendField(dst, values[p.field])
		default:
			dst = t.appendToken(dst, p.token, rec)
		}
	}
	return dst, nil
}

func (t *template) appendToken(dst []byte, token byte, rec *Record) []byte {
	switch token {
	case 'o':
		return rec.appendOffset(dst)
	case 'i':
		return rec.appendID(dst)
	case 'p':
		return strconv.AppendInt(dst, int64(rec.Partition), 10)
	case 't':
		if at, ok := jsonl.Time(rec.json(), t.opts.TimeField); ok {
			return at.In(t.opts.Zone).AppendFormat(dst, time.RFC3339Nano)
		}
		return dst
	case 'b':
		if rec.Position < 0 {
			return append(dst, '?')
		}
		return strconv.AppendInt(dst, rec.Position, 10)
	case 'S':
		return strconv.AppendInt(dst, int64(len(rec.Data)), 10)
	}
	return t.opts.appendShown(dst, rec.Data)
}

// appendField appends a string as what it stands for, anything else as compact
// JSON.
func (t *template) appendField(dst, raw []byte) []byte {
	switch {
	case len(raw) == 0:
		return dst
	case raw[0] == '{' || raw[0] == '[':
		t.cell = appendCompact(t.cell[:0], raw)
		raw = t.cell
	case raw[0] == '"' && len(raw) > 1:
		raw = raw[1 : len(raw)-1]
		if bytes.IndexByte(raw, '\\') >= 0 {
			t.cell = jsonl.AppendUnescaped(t.cell[:0], raw)
			raw = t.cell
		}
	}
	return t.opts.appendShown(dst, raw)
}
