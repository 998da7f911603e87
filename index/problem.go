package index

import (
	"fmt"
	"io"
)

// Kind says what is wrong with an index.
type Kind int

// The kinds of problems. Any but Partial means that the index is not that of
// the records, or was damaged, and must be built again.
const (
	Partial       Kind = iota + 1 // bytes after the last whole entry
	FirstEntry                    // entry 0 is not 0
	PastEnd                       // an entry past the end of the records
	NotIncreasing                 // an entry not above the one before
	NoNewline                     // an entry that is not behind a newline
	InnerNewline                  // a newline inside what the index calls one record
)

// Problem is one place where an index does not fit its records.
type Problem struct {
	Kind     Kind
	Offset   uint64 // the record it was found at; for Partial, the number of whole entries
	Position int64  // where in the records file that record starts, or its inner newline lies
	Text     string // one line for people, with the numbers in it
}

// String returns the Problem's text.
func (p Problem) String() string { return p.Text }

// prove returns what is wrong with record i, which the index says is
// [start, end), or nil. Of a record longer than limit it looks for inner
// newlines in the first limit bytes only. Entries are taken as they are
// stored, so they may lie beyond any position.
func (w *window) prove(i, start, end uint64, limit int64) (*Problem, error) {
	if end > uint64(w.size) {
		return w.pastEnd(i, start, end), nil
	}
	if end <= start {
		return w.notIncreasing(i, start, end), nil
	}
	return w.proveLine(i, int64(start), int64(end), limit)
}

// proveLine does the part of prove that needs the records.
func (w *window) proveLine(i uint64, start, end, limit int64) (*Problem, error) {
	at, err := w.find(start, start+min(end-1-start, limit))
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		text := fmt.Sprintf("record %d (%d to %d) holds a newline at %d", i, start, end, at)
		return &Problem{InnerNewline, i, at, text}, nil
	}
	ok, err := w.newline(end - 1)
	if ok || err != nil {
		return nil, err
	}
	return &Problem{NoNewline, i, start, fmt.Sprintf("entry %d (%d) is not behind a newline", i+1, end)}, nil
}

// proveStart returns what is wrong with the start of record i > 0 by itself,
// or nil, where the record before is not proved.
func (w *window) proveStart(i, start uint64) (*Problem, error) {
	if start == 0 {
		return &Problem{NotIncreasing, i - 1, 0, fmt.Sprintf("entry %d is 0, which only entry 0 can be", i)}, nil
	}
	if start > uint64(w.size) {
		return w.pastEnd(i-1, uint64(w.size), start), nil
	}
	return w.proveLine(i-1, int64(start)-1, int64(start), 0)
}

func (w *window) pastEnd(i, start, end uint64) *Problem {
	text := fmt.Sprintf("entry %d (%d) lies past the end of the records (%d)", i+1, end, w.size)
	return &Problem{PastEnd, i, int64(min(start, uint64(w.size))), text}
}

func (w *window) notIncreasing(i, start, end uint64) *Problem {
	text := fmt.Sprintf("entry %d (%d) is not above entry %d (%d)", i+1, end, i, start)
	return &Problem{NotIncreasing, i, int64(min(start, uint64(w.size))), text}
}

// proveFirst returns what is wrong with entry 0, or nil. An index without
// entries is an empty one.
func proveFirst(idx io.ReaderAt, n uint64) (*Problem, error) {
	var b [EntrySize]byte
	err := readFull(idx, b[:], 0)
	if n == 0 && isEnd(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if b == [EntrySize]byte{} {
		return nil, nil
	}
	return &Problem{FirstEntry, 0, 0, fmt.Sprintf("entry 0 is %d, not 0", raw(b[:], 0))}, nil
}
