//go:build (!amd64 && !arm64) || jlq_nosonic

package jsonl

import (
	"bytes"
	"encoding/json"
)

// sonic does not compile for 32-bit machines, and where it compiles without
// having native code it writes a warning to stderr on start: so encoding/json
// is used directly. A program may ask for the same with the tag jlq_nosonic: importing
// sonic takes 3 ms at every start, which is half of what jlq get takes.

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// decode clones rec, because an UnmarshalJSON is given a part of what is
// decoded and may keep it.
func decode(rec []byte, v any) error { return json.Unmarshal(bytes.Clone(rec), v) }
