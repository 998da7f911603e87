package index

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

const (
	// pieceSize is how many record bytes are scanned at once. A piece yields
	// at most one entry a byte, so there must be room for pieceSize entries.
	pieceSize = 8 << 10

	// bufferSize is how many bytes of entries collect before they are written,
	// at most.
	bufferSize = 256 << 10
)

// Builder turns a stream of record bytes into index entries: one for each
// newline, the position after it. What it writes are whole entries in large
// blocks; its memory does not grow with the stream. It is for one goroutine,
// and nothing needs to be closed, but Flush must be called at the end.
type Builder struct {
	dst      io.Writer
	buf      []byte // entries not yet written
	position int64  // of the next byte of the stream
	end      int64
	records  uint64
	short    bool // the last piece had short lines
	err      error
}

// NewBuilder returns a Builder that writes to dst the entries of a stream
// whose first byte lies at position. withFirst writes the entry for position
// itself first, as the index of a new segment or file needs it.
func NewBuilder(dst io.Writer, position int64, withFirst bool) *Builder {
	b := &Builder{dst: dst, position: position, end: position}
	if position < 0 {
		b.err = fmt.Errorf("index from position %d: it is negative", position)
	}
	if withFirst {
		b.buf = AppendEntry(b.buf, position)
	}
	return b
}

// Write takes the next bytes of the stream, which it does not keep. After an
// error, which is that of dst, every later call returns it too.
func (b *Builder) Write(p []byte) (int, error) {
	done := 0
	for b.err == nil && done < len(p) {
		piece := p[done:min(len(p), done+pieceSize)]
		if b.makeRoom(len(piece)); b.err == nil {
			b.scan(piece)
			done += len(piece)
		}
	}
	return done, b.err
}

// Flush writes the entries that have collected.
func (b *Builder) Flush() error {
	if b.err != nil || len(b.buf) == 0 {
		return b.err
	}
	n, err := b.dst.Write(b.buf)
	if err == nil && n < len(b.buf) {
		err = io.ErrShortWrite
	}
	b.buf, b.err = b.buf[:0], err
	return err
}

// Records returns the number of lines seen.
func (b *Builder) Records() uint64 { return b.records }

// End returns the position after the last newline seen, or the first position
// where none was.
func (b *Builder) End() int64 { return b.end }

// makeRoom prepares for n bytes that may all be newlines.
func (b *Builder) makeRoom(n int) {
	if b.position > math.MaxInt64-int64(n) {
		b.err = errors.New("index: records longer than 2^63 bytes")
	} else {
		if len(b.buf)+n*EntrySize > bufferSize {
			b.Flush() // the error is kept in b.err
		}
		b.buf = slices.Grow(b.buf, n*EntrySize)
	}
}

// scan collects the entries of one piece. Which of the two ways to find
// newlines is the faster one depends on the length of the lines, and the lines
// of the piece before are the best guess at it.
func (b *Builder) scan(piece []byte) {
	before := len(b.buf)
	if b.short {
		b.buf = appendShort(b.buf, b.position, piece)
	} else {
		b.buf = appendLong(b.buf, b.position, piece)
	}
	b.position += int64(len(piece))
	added := (len(b.buf) - before) / EntrySize
	if added > 0 {
		b.records += uint64(added)
		b.end = lastEntry(b.buf)
	}
	b.short = added*shortLine > len(piece)
}
