package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
)

// maxEntries is more entries than any file can hold; the byte place of an
// entry below it fits an int64.
const maxEntries = math.MaxInt64 / EntrySize

// spans holds the buffers of Entry and Span, which would otherwise allocate on
// each call: what is given to an interface's ReadAt escapes.
var spans = sync.Pool{New: func() any { return new([2 * EntrySize]byte) }}

// AppendEntry appends the entry for position to dst.
func AppendEntry(dst []byte, position int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(position))
}

// Entry returns the i-th entry of an index. Where the index ends before it,
// the error wraps [io.EOF] or [io.ErrUnexpectedEOF].
func Entry(r io.ReaderAt, i uint64) (int64, error) {
	b := spans.Get().(*[2 * EntrySize]byte)
	defer spans.Put(b)
	if err := readFull(r, b[:EntrySize], i); err != nil {
		return 0, err
	}
	return decode(b[:EntrySize], i)
}

// Span returns where record i starts and where the next one does: the record
// is the bytes [start, end−1) and its newline is at end−1. It reads 16 bytes at
// once, and end > start. Where the index ends before it, the error wraps
// [io.EOF] or [io.ErrUnexpectedEOF].
func Span(r io.ReaderAt, i uint64) (start, end int64, err error) {
	b := spans.Get().(*[2 * EntrySize]byte)
	defer spans.Put(b)
	if err := readFull(r, b[:], i); err != nil {
		return 0, 0, err
	}
	if start, err = decode(b[:EntrySize], i); err != nil {
		return 0, 0, err
	}
	if end, err = decode(b[EntrySize:], i+1); err != nil {
		return 0, 0, err
	}
	if end <= start {
		return 0, 0, fmt.Errorf("index entry %d (%d) is not above entry %d (%d)", i+1, end, i, start)
	}
	return start, end, nil
}

// ReadEntries reads entries from number first on into dst and returns how many
// it read; fewer than len(dst) without an error means that the index ends
// there. It does not compare them with each other. scratch is where the bytes
// are read to; one shorter than EntrySize·len(dst) costs an allocation.
func ReadEntries(r io.ReaderAt, first uint64, dst []int64, scratch []byte) (n int, err error) {
	if first >= maxEntries || len(dst) == 0 {
		return 0, nil
	}
	want := min(uint64(len(dst)), maxEntries-first) * EntrySize
	if uint64(len(scratch)) < want {
		scratch = make([]byte, want)
	}
	got, err := r.ReadAt(scratch[:want], int64(first)*EntrySize)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, readError(first, err)
	}
	n = got / EntrySize
	if decodeAll(dst[:n], scratch) {
		return n, nil
	}
	for i := range n {
		if _, err := decode(scratch[i*EntrySize:], first+uint64(i)); err != nil {
			return i, err
		}
	}
	return n, nil
}

// decodeAll fills dst from b and reports whether all of it are positions. That
// is asked once, behind a loop without branches: a scan reads an entry for each
// record.
func decodeAll(dst []int64, b []byte) (ok bool) {
	all := uint64(0)
	for i := range dst {
		v := binary.BigEndian.Uint64(b[:EntrySize])
		b = b[EntrySize:]
		dst[i] = int64(v)
		all |= v
	}
	return all <= math.MaxInt64
}

// Search returns the smallest i whose entry is at or above position, among the
// n+1 entries of an index of n records, and whether the entry is position
// itself. Where no entry is, i is n+1. The entries must increase.
func Search(r io.ReaderAt, n uint64, position int64) (i uint64, found bool, err error) {
	low, high := uint64(0), min(n, maxEntries)+1 // entries below low are < position, those from high on are not
	for low < high {
		mid := low + (high-low)/2
		at, err := Entry(r, mid)
		if err != nil {
			return 0, false, err
		}
		if at < position {
			low = mid + 1
		} else {
			high, found = mid, at == position
		}
	}
	return low, found, nil
}

// readFull fills p with the bytes from entry i on. That a reader returns an
// error together with all the bytes is allowed and no error.
func readFull(r io.ReaderAt, p []byte, i uint64) error {
	if i >= maxEntries-1 {
		return readError(i, io.EOF)
	}
	n, err := r.ReadAt(p, int64(i)*EntrySize)
	switch {
	case n == len(p):
		return nil
	case err == nil || n > 0 && errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return readError(i, err)
}

// isEnd reports whether err means that the index ends before what was asked.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func readError(i uint64, err error) error {
	return fmt.Errorf("read index entry %d: %w", i, err)
}

// decode returns the value of entry i, which b begins with.
func decode(b []byte, i uint64) (int64, error) {
	v := raw(b, 0)
	if v > math.MaxInt64 {
		return 0, fmt.Errorf("index entry %d is %d, beyond any position", i, v)
	}
	return int64(v), nil
}

// raw returns entry i of b as it is stored, whatever its value.
func raw(b []byte, i uint64) uint64 {
	return binary.BigEndian.Uint64(b[i*EntrySize:])
}
