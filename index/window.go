package index

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// blockSize is how many bytes of records are read at once: enough that the
// system call does not count, few enough to stay in the cache until scanned.
const blockSize = 256 << 10

// errCut is the error for records that are no longer there.
var errCut = fmt.Errorf("the file was cut short while it was read: %w", io.ErrUnexpectedEOF)

// window looks at the bytes [0, size) of a records file through one buffer,
// which it refills where needed; going forwards reads each byte once.
type window struct {
	recs io.ReaderAt
	size int64
	step func(position int64) error // called before each read; may be nil

	buf []byte
	at  int64 // position of buf[0]
	n   int   // bytes of buf that were read
}

// newWindow returns a window of blocks of at most block bytes.
func newWindow(recs io.ReaderAt, size int64, block int) *window {
	return &window{recs: recs, size: size, buf: make([]byte, min(int64(block), max(size, 0)))}
}

// from returns the bytes that begin at position: at least one, and as many as
// the buffer holds. They are valid until the next call. 0 ≤ position < size.
func (w *window) from(position int64) ([]byte, error) {
	if i := position - w.at; i >= 0 && i < int64(w.n) {
		return w.buf[i:w.n], nil
	}
	if err := w.fill(position); err != nil {
		return nil, fmt.Errorf("read records at %d: %w", position, err)
	}
	return w.buf[:w.n], nil
}

func (w *window) fill(position int64) error {
	w.at, w.n = position, 0
	if w.step != nil {
		if err := w.step(position); err != nil {
			return err
		}
	}
	p := w.buf[:min(int64(len(w.buf)), w.size-position)]
	n, err := w.recs.ReadAt(p, position)
	if n == len(p) {
		w.n = n
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return errCut
	}
	return err
}

// find returns the position of the first newline in [start, end), or −1.
func (w *window) find(start, end int64) (int64, error) {
	for start < end {
		b, err := w.from(start)
		if err != nil {
			return 0, err
		}
		b = b[:min(int64(len(b)), end-start)]
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return start + int64(i), nil
		}
		start += int64(len(b))
	}
	return -1, nil
}

// newline reports whether the byte at position is a newline.
func (w *window) newline(position int64) (bool, error) {
	b, err := w.from(position)
	return err == nil && b[0] == '\n', err
}

// lines counts the newlines in [start, size) and returns the position after
// the last one, or start where there is none.
func (w *window) lines(start int64) (n uint64, end int64, err error) {
	end = start
	for start < w.size {
		b, err := w.from(start)
		if err != nil {
			return n, end, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			n += uint64(bytes.Count(b[:i+1], []byte{'\n'}))
			end = start + int64(i) + 1
		}
		start += int64(len(b))
	}
	return n, end, nil
}
