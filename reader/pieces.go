package reader

import (
	"context"
	"iter"
	"sync"

	"example.com/jlq/internal/segment"
)

const (
	// pieceRecords and pieceBytes bound a piece that is read by its index.
	pieceRecords = 8192
	pieceBytes   = 2 << 20
)

// Piece is a part of a range of records, to be ranged over once, by any
// goroutine. Data of its Lines is valid until the next step.
type Piece = iter.Seq2[Lines, error]

// Pieces returns the records of [from, to) that are there when the range begins,
// cut into pieces that may be read by several goroutines at the same time.
// Pieces of a partition are read where they are ranged over; those of a bare
// file, or with Options.Skip, by the range over Pieces itself, which copies
// them. An error is that of the piece that it is met in. Records that retention
// drops while the first piece is not begun are left out; later, that is an
// error too.
func (l *Log) Pieces(ctx context.Context, from, to uint64) iter.Seq[Piece] {
	if l.place.Bare || l.opts.Skip != nil {
		return copies(l.Blocks(from, to))
	}
	return func(yield func(Piece) bool) {
		start, next, err := l.Bounds(ctx)
		if err != nil {
			yield(l.Blocks(from, to)) // what is there comes before the error
			return
		}
		from, to := max(from, start), min(to, next)
		for at := from; at < to; {
			end := l.pieceEnd(at, to)
			piece := l.Blocks(at, end)
			if at > from {
				piece = l.unless(at, piece)
			}
			if !yield(piece) {
				return
			}
			at = end
		}
	}
}

// pieceEnd returns where the piece ends that begins at offset from: with its
// segment at the latest, so that no other one is opened to find that out. What
// cannot be found out is for who reads it to tell.
func (l *Log) pieceEnd(from, to uint64) uint64 {
	n := min(pieceRecords, to-from)
	if s, end := l.layout.Load().find(from); s != nil {
		n = min(n, end-from)
	}
	for ; n > 1; n /= 2 {
		path, first, _, err := l.Locate(from)
		last, position, length, err2 := l.Locate(from + n - 1)
		if err != nil || err2 != nil || path == last && position+int64(length)-first <= pieceBytes {
			break
		}
	}
	return from + n
}

// unless is a piece from offset at on, which is not the first: that it was
// dropped before it was read is an error. It lies in one segment, and these are
// dropped as a whole.
func (l *Log) unless(at uint64, piece Piece) Piece {
	return func(yield func(Lines, error) bool) {
		empty := true
		for lines, err := range piece {
			empty = false
			if !yield(lines, err) {
				return
			}
		}
		if empty {
			if err := l.dropped(at); err != nil {
				yield(Lines{}, err)
			}
		}
	}
}

// dropped returns an error where the log begins behind offset at by now.
func (l *Log) dropped(at uint64) error {
	start := l.layout.Load().start
	if start <= at {
		return nil
	}
	_, next, err := l.watermark()
	if err != nil {
		return err
	}
	return &segment.RangeError{Offset: at, Start: start, Next: max(next, start)}
}

// copied is memory for blocks that outlive the reading of the next one.
var copied = sync.Pool{New: func() any { return new([]byte) }}

// copies makes a piece of each block.
func copies(blocks iter.Seq2[Lines, error]) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for lines, err := range blocks {
			buf := copied.Get().(*[]byte)
			*buf = append((*buf)[:0], lines.Data...)
			lines.Data = *buf
			if !yield(oneBlock(lines, err, buf)) {
				return
			}
		}
	}
}

// oneBlock is a piece of one block in memory that is given back.
func oneBlock(lines Lines, err error, buf *[]byte) Piece {
	return func(yield func(Lines, error) bool) {
		yield(lines, err)
		copied.Put(buf)
	}
}
