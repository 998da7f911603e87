package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Marshal encodes v as one line, as encoding/json does but without escaping
// <, > and &, which people want to read. What it returns passes [CheckStrict],
// but for size, and is the caller's. Invalid UTF-8 in a Go string becomes
// U+FFFD.
func Marshal(v any) ([]byte, error) {
	rec, err := encode(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	// A json.Marshaler writes what it likes, as deep as it likes.
	if err := CheckStrict(rec, -1); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return rec, nil
}

// Unmarshal decodes rec into v as encoding/json does, so that numbers in an any
// become float64; a [json.Number] keeps them exact. Nothing in v shares
// memory with rec. Bytes that are not one JSON value are refused before v is
// touched, with a [*SyntaxError]; what does not fit into v is refused with the
// error of encoding/json, which names the field.
func Unmarshal(rec []byte, v any) error {
	text := skipBOM(rec)
	if pos, reason := scan(text, true); reason != "" {
		e := syntaxError(text, pos, reason)
		e.Position += len(rec) - len(text)
		return e
	}
	err := decode(text, v)
	if err == nil || !isSonicError(err) {
		return err
	}
	// sonic's own errors draw the place over several lines and know no field.
	return json.Unmarshal(bytes.Clone(text), v)
}

// isSonicError reports whether err is one of sonic's types. They have nothing
// in common but this method, and another build of sonic has others.
func isSonicError(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Description() string
	}](err)
	return ok
}
