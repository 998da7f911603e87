package segment

import (
	"encoding/binary"
	"fmt"
	"io"

	"example.com/jlq/index"
)

// searchEntries returns the first of the entries [low, high) that is above
// something, if they increase; high if there is none.
func searchEntries(entry func(i uint64) (uint64, error), low, high uint64, above func(entry uint64) bool) (uint64, error) {
	for low < high {
		mid := low + (high-low)/2
		v, err := entry(mid)
		if err != nil {
			return 0, err
		}
		if above(v) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low, nil
}

// EntryReader reads entries one after the other, in blocks. It hands out raw
// values: what they are worth is not its business.
type EntryReader struct {
	r    io.ReaderAt
	next uint64
	last uint64
	buf  []byte
}

// NewEntryReader begins at entry first; last is the number of the last one.
func NewEntryReader(r io.ReaderAt, first, last uint64) *EntryReader {
	return &EntryReader{r: r, next: first, last: last}
}

// Next returns the next entry; [io.EOF] behind the last.
func (e *EntryReader) Next() (uint64, error) {
	if len(e.buf) == 0 {
		if e.next > e.last {
			return 0, io.EOF
		}
		n := min(4096, e.last-e.next+1)
		e.buf = make([]byte, n*index.EntrySize)
		if _, err := e.r.ReadAt(e.buf, int64(e.next)*index.EntrySize); err != nil {
			return 0, fmt.Errorf("index entry %d: %w", e.next, err)
		}
	}
	v := binary.BigEndian.Uint64(e.buf)
	e.buf = e.buf[index.EntrySize:]
	e.next++
	return v, nil
}
