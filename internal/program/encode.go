package program

import (
	"encoding/json"
	"fmt"
	"math/big"
	"unsafe"

	"github.com/itchyny/gojq"

	"example.com/jlq/internal/jsonl"
)

// maxResult is how long a result may get, which is otherwise for the program to
// decide.
const maxResult = 256 << 20

// encoder writes results as compact JSON.
type encoder struct {
	doc   *document
	uses  *uses
	order order
	dst   []byte
	start int // of this result
}

// append appends v to dst. A Failure says that it cannot be a record.
func (e *encoder) append(dst []byte, v any) (out []byte, err error) {
	e.dst, e.start = dst, len(dst)
	if err := e.value(v, 0); err != nil {
		return e.dst[:e.start], err
	}
	return e.dst, nil
}

func (e *encoder) value(v any, depth int) error {
	if len(e.dst)-e.start > maxResult {
		return &Failure{fmt.Sprintf("the result is larger than %d MiB", maxResult>>20)}
	}
	switch v := v.(type) {
	case string:
		e.string(v)
	case json.Number:
		e.dst = append(e.dst, v...)
	case map[string]any:
		return e.object(v, depth+1)
	case []any:
		return e.array(v, depth+1)
	case nil:
		e.dst = append(e.dst, "null"...)
	case bool, int, float64, *big.Int:
		return e.other(v)
	default:
		return &Failure{fmt.Sprintf("the result is a %T, which is no JSON", v)}
	}
	return nil
}

// other writes what the program made in gojq's spelling.
func (e *encoder) other(v any) error {
	text, err := gojq.Marshal(v)
	e.dst = append(e.dst, text...)
	return err
}

// string writes a string as it stands in the record, if it does. A part of a
// string without escapes needs none either.
func (e *encoder) string(s string) {
	if len(s) > 0 && within(s, e.doc.text) {
		e.dst = append(append(append(e.dst, '"'), s...), '"')
		return
	}
	if p, ok := e.doc.escaped.find(unsafe.Pointer(unsafe.StringData(s)), len(s)); ok && len(s) > 0 {
		e.dst = append(e.dst, e.doc.data[p.start:p.end]...)
		return
	}
	e.dst = appendQuoted(e.dst, s)
}

var errDeep = &Failure{fmt.Sprintf("the result is nested deeper than %d", jsonl.MaxDepth)}

func (e *encoder) array(a []any, depth int) error {
	if len(a) > 0 && e.stored(unsafe.Pointer(unsafe.SliceData(a)), len(a), depth) {
		return nil
	}
	if depth > jsonl.MaxDepth {
		return errDeep
	}
	e.dst = append(e.dst, '[')
	for i, v := range a {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		if err := e.value(v, depth); err != nil {
			return err
		}
	}
	e.dst = append(e.dst, ']')
	return nil
}

func (e *encoder) object(m map[string]any, depth int) error {
	if m != nil && e.stored(mapAddress(m), 0, depth) {
		return nil
	}
	if depth > jsonl.MaxDepth {
		return errDeep
	}
	e.dst = append(e.dst, '{')
	base := len(e.order.names)
	for i, name := range e.order.of(m, e) {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.string(name)
		e.dst = append(e.dst, ':')
		if err := e.value(m[name], depth); err != nil {
			return err
		}
	}
	e.order.names = e.order.names[:base]
	e.dst = append(e.dst, '}')
	return nil
}

// stored writes a value of the record as it stands there, and reports whether
// it is one. Inside of what the program made it could get too deep: then it is
// counted as it is written.
func (e *encoder) stored(address unsafe.Pointer, length, depth int) bool {
	p, ok := e.doc.containers.find(address, length)
	if !ok || depth-1+e.doc.deepest > jsonl.MaxDepth {
		return false
	}
	if !e.doc.spaced {
		e.dst = append(e.dst, e.doc.data[p.start:p.end]...)
		return true
	}
	dst, err := jsonl.Compact(e.dst, e.doc.data[p.start:p.end])
	if err != nil {
		return false
	}
	e.dst = dst
	return true
}
