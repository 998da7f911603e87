package reader

import (
	"bytes"
	"math"

	"example.com/jlq/internal/jsonl"
)

// UnknownOffset is the Offset of a record that was found from the end of a
// file without an index, where counting the lines before it was not asked for.
const UnknownOffset = math.MaxUint64

// Record is one record of a log.
//
// Data is valid until the next step only: the end of the loop body, or the
// next call of a method of the [Reader]. The memory is then used again. Keep it
// with [Record.Clone], decode it with [Record.Decode], or set Options.Retain.
// Programs built with the race detector find Data overwritten with 0xCC when
// they use it for longer.
//
// Data is without the newline, has no capacity beyond its length, and must not
// be modified. A carriage return before the newline, or a byte order mark
// before the first record, is part of it.
//
// A sequence of records ends without an error at the high watermark that was
// seen when the range began, or with [context.Cause] of the context that ends
// following. Any error is the last pair, once, together with the zero Record.
// Nothing happens before the range begins; leaving the loop in any way releases
// everything.
type Record struct {
	Offset   uint64 // its number in the log
	Position int64  // where it begins in its records file
	Data     []byte
}

// Clone returns a copy whose Data is the caller's own.
func (r Record) Clone() Record {
	r.Data = bytes.Clone(r.Data)
	return r
}

var bom = []byte(jsonl.BOM)

// Decode unmarshals Data as JSON into v. Nothing in v refers to Data. A byte
// order mark before the first record of a file is skipped.
func (r Record) Decode(v any) error {
	data := r.Data
	if r.Position == 0 {
		data = bytes.TrimPrefix(data, bom)
	}
	return jsonl.Unmarshal(data, v)
}
