package program

import (
	"bytes"
	"encoding/json"
	"strings"
	"unsafe"

	"example.com/jlq/internal/jsonl"
)

// document is a record as gojq's values, and where each of them stands.
type document struct {
	data   []byte // the line, which was checked
	text   string // a copy of it, of which strings and numbers are parts
	spaced bool   // there is white space between tokens

	needs          *needs // of the members of the record
	depth, deepest int

	containers table // objects and arrays
	escaped    table // strings that are spelt with escapes
	names      []string
	stack      []any // elements of arrays that are being read
}

// decode reads a line that passed the strict check. What it returns, and the
// places, are good until the next line.
func (d *document) decode(line []byte) any {
	d.data, d.text, d.spaced, d.deepest = line, string(line), false, 0
	d.containers.reset()
	d.escaped.reset()
	d.names = d.names[:0]
	v, _ := d.value(d.space(0))
	return v
}

// space returns the first place from i on without white space.
func (d *document) space(i int) int {
	if i >= len(d.data) || d.data[i] > ' ' {
		return i
	}
	d.spaced = true
	return jsonl.SkipSpace(d.data, i)
}

// value reads the value at i, and returns the place behind it. It goes as deep
// as the strict check lets values be.
func (d *document) value(i int) (v any, end int) {
	switch d.data[i] {
	case '{':
		return d.object(i)
	case '[':
		return d.array(i)
	case '"':
		return d.string(i)
	case 't':
		return true, i + len("true")
	case 'f':
		return false, i + len("false")
	case 'n':
		return nil, i + len("null")
	}
	end = jsonl.SkipValue(d.data, i)
	return json.Number(d.text[i:end]), end
}

func (d *document) enter() {
	d.depth++
	d.deepest = max(d.deepest, d.depth)
}

func (d *document) object(start int) (any, int) {
	m := map[string]any{}
	d.enter()
	i := d.space(start + 1)
	for d.data[i] != '}' {
		var name string
		name, i = d.string(i)
		i = d.space(d.space(i) + 1) // behind the colon
		if d.depth > 1 || d.needs.has(name) {
			d.names = append(d.names, name)
			m[name], i = d.value(i)
		} else {
			i = d.skip(i)
		}
		if i = d.space(i); d.data[i] == ',' {
			i = d.space(i + 1)
		}
	}
	d.depth--
	d.containers.add(place{mapAddress(m), 0, start, i + 1})
	return m, i + 1
}

// skip passes over a value. White space in it is noticed, as the whole record may
// be a result.
func (d *document) skip(i int) int {
	end := jsonl.SkipValue(d.data, i)
	if c := d.data[i]; c == '{' || c == '[' {
		d.spaced = d.spaced || bytes.ContainsAny(d.data[i:end], " \t\r")
	}
	return end
}

func (d *document) array(start int) (any, int) {
	base := len(d.stack)
	d.enter()
	i := d.space(start + 1)
	for d.data[i] != ']' {
		var v any
		v, i = d.value(i)
		d.stack = append(d.stack, v)
		if i = d.space(i); d.data[i] == ',' {
			i = d.space(i + 1)
		}
	}
	a := make([]any, len(d.stack)-base)
	copy(a, d.stack[base:])
	clear(d.stack[base:])
	d.stack = d.stack[:base]
	d.depth--
	if len(a) > 0 { // empty ones are all at the same address
		d.containers.add(place{unsafe.Pointer(unsafe.SliceData(a)), len(a), start, i + 1})
	}
	return a, i + 1
}

func (d *document) string(start int) (string, int) {
	end := jsonl.SkipString(d.data, start)
	s := d.text[start+1 : end-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, end
	}
	s = string(jsonl.AppendUnescaped(nil, d.data[start+1:end-1]))
	d.escaped.add(place{unsafe.Pointer(unsafe.StringData(s)), len(s), start, end})
	return s, end
}
