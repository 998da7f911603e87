package reader

import (
	"io"
	"iter"
	"math"
)

// Records returns the records from offset from up to the high watermark that
// is seen when the range begins. from may be the high watermark; an offset
// that is not there otherwise is a [*segment.RangeError]. The sequence may be
// ranged over many times.
func (l *Log) Records(from uint64) iter.Seq2[Record, error] {
	return l.sequence(from, math.MaxUint64, false)
}

// Range returns the records of [from, to) that are there when the range
// begins.
func (l *Log) Range(from, to uint64) iter.Seq2[Record, error] {
	return l.sequence(from, to, true)
}

func (l *Log) sequence(from, to uint64, clamp bool) iter.Seq2[Record, error] {
	return l.sequenceSkipping(from, to, clamp, l.opts.skip())
}

func (l *Log) sequenceSkipping(from, to uint64, clamp bool, skip func(Damage) error) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if clamp && from >= to {
			return
		}
		r := l.borrow()
		defer r.giveBack()
		r.next, r.clamp, r.skip, r.ranging = from, clamp, skip, true
		r.records(r.bound(to), yield)
	}
}

// records yields what lies within the bounds, record by record; err is how setting
// these ended.
func (r *Reader) records(err error, yield func(Record, error) bool) {
	for err == nil {
		if !r.yieldBlock(yield) {
			return
		}
		if err = r.fill(); err != nil {
			err = r.passOver(err)
		}
	}
	if err != io.EOF {
		yield(Record{}, err)
	}
}

// yieldBlock yields what is left of the block. It keeps what changes from one to
// the next in registers, which is a third of the cost of a short record; the
// Reader itself moves once.
func (r *Reader) yieldBlock(yield func(Record, error) bool) bool {
	b, first := &r.block, r.i
	if first >= b.n {
		return true
	}
	buf, at, offset := b.buf, b.at, r.next
	start := b.posts[first]
	for i, post := range b.posts[first+1 : b.n+1] {
		r.spoil(first + i - 1)
		end := post - 1 - at
		if !yield(Record{offset, start, buf[start-at : end : end]}, nil) {
			return false
		}
		offset += r.step
		start = post
	}
	r.i, r.next = b.n, offset
	return true
}
