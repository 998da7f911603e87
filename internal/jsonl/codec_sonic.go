//go:build (amd64 || arm64) && !jlq_nosonic

package jsonl

import "github.com/bytedance/sonic"

// codec is sonic.ConfigStd, which agrees with encoding/json and makes no value
// that refers to its input, but for EscapeHTML.
var codec = sonic.Config{
	SortMapKeys:      true,
	CompactMarshaler: true,
	CopyString:       true,
	ValidateString:   true,
}.Froze()

func encode(v any) ([]byte, error) { return codec.Marshal(v) }

func decode(rec []byte, v any) error { return codec.Unmarshal(rec, v) }
