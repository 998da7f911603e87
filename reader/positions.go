package reader

import (
	"iter"
)

// What follows reads lines of a bare file by their positions, so that a part of a
// file of 200 GB is there without counting the lines before it.

// Stretch is a half-open range of positions that begins and ends between lines.
type Stretch struct{ From, To int64 }

// Uncounted reports whether it would take reading much of a bare file to know the
// offsets in it: more than 64 MiB of it are neither in its index nor were read
// before.
func (l *Log) Uncounted() (bool, error) {
	if l.indexed() {
		return false, nil
	}
	src, size, err := l.bareEnd()
	if err != nil {
		return false, err
	}
	defer l.pool.release(src)
	return size-src.lines.furthest().pos > countAhead, nil
}

// BlocksAt returns the lines of a stretch of a bare file, as [Log.Blocks] does, with
// [UnknownOffset].
func (l *Log) BlocksAt(s Stretch) iter.Seq2[Lines, error] {
	return func(yield func(Lines, error) bool) {
		if s.From >= s.To {
			return
		}
		r := l.borrow()
		defer r.giveBack()
		r.blocks(r.boundAt(s), yield)
	}
}

// RecordsAt returns the records of a stretch of a bare file, with [UnknownOffset].
func (l *Log) RecordsAt(s Stretch) iter.Seq2[Record, error] { return l.recordsAt(s, l.opts.skip()) }

func (l *Log) recordsAt(s Stretch, skip func(Damage) error) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if s.From >= s.To {
			return
		}
		r := l.borrow()
		defer r.giveBack()
		r.skip = skip
		r.records(r.boundAt(s), yield)
	}
}

// PiecesAt returns the lines of a stretch of a bare file, as [Log.Pieces] does.
func (l *Log) PiecesAt(s Stretch) iter.Seq[Piece] { return copies(l.BlocksAt(s)) }

// boundAt makes a stretch of a bare file what is read.
func (r *Reader) boundAt(s Stretch) error {
	src, size, err := r.log.bareEnd()
	if err != nil {
		return err
	}
	r.hold(src, UnknownOffset)
	r.step, r.next, r.ranging = 0, UnknownOffset, true
	r.end, r.bounded = min(s.To, size), true
	return r.standAt(s.From)
}
