package reader

import (
	"io"
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

// BackwardAt returns the records of a stretch of a bare file, the last one first, with
// [UnknownOffset].
func (l *Log) BackwardAt(s Stretch) iter.Seq2[Record, error] {
	return l.backwardAt(s, l.opts.skip())
}

func (l *Log) backwardAt(s Stretch, skip func(Damage) error) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if s.From >= s.To {
			return
		}
		r := l.borrow()
		defer r.giveBack()
		if skip != nil {
			r.skip = func(d Damage) error {
				if d.Position < s.From {
					return io.EOF // what was asked for ended with it
				}
				return skip(d)
			}
		}
		r.recordsBack(r.standBehind(s), func(rec Record, err error) bool {
			if err == nil && rec.Position < s.From {
				return false
			}
			return yield(rec, err) && (err != nil || rec.Position > s.From)
		})
	}
}

// standBehind places the reader for going backwards from the end of a stretch.
func (r *Reader) standBehind(s Stretch) error {
	src, size, err := r.log.bareEnd()
	if err != nil {
		return err
	}
	r.hold(src, UnknownOffset)
	r.step, r.next = 0, UnknownOffset
	r.end, r.bounded = min(s.To, size), true
	if err := r.standAtEnd(r.end); err != nil || !r.line.open {
		r.byLine = true
		return err
	}
	return r.loadLastLine(r.line.pos)
}

// LastAt returns the part of parts, which ascend, that holds their last n records.
func (l *Log) LastAt(parts []Stretch, n uint64) ([]Stretch, error) {
	for i := len(parts) - 1; i >= 0 && n > 0; i-- {
		for rec, err := range l.backwardAt(parts[i], l.quietSkip()) {
			if err != nil {
				return nil, err
			}
			if n--; n == 0 {
				return append([]Stretch{{rec.Position, parts[i].To}}, parts[i+1:]...), nil
			}
		}
	}
	if n == 0 {
		return nil, nil
	}
	return parts, nil
}
