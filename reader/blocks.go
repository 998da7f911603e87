package reader

import (
	"errors"
	"io"
	"iter"
)

// Lines is a run of whole lines as they are stored; or, with Options.SkipLarge, the
// place of a record that is larger than it may be: only First and Large are set then.
type Lines struct {
	First uint64 // offset of the first, or UnknownOffset
	Count int    // how many there are, at least one
	Data  []byte // the lines with their newlines; the last line of a bare file may lack its own
	Large *Damage
}

// Blocks returns the records of [from, to) as [Log.Range] does, but many at a
// time: it is for who looks at all of them. Data is valid until the next step
// and must not be modified.
func (l *Log) Blocks(from, to uint64) iter.Seq2[Lines, error] {
	return func(yield func(Lines, error) bool) {
		if from >= to {
			return
		}
		r := l.borrow()
		defer r.giveBack()
		r.next, r.clamp, r.ranging = from, true, true
		r.blocks(r.bound(to), yield)
	}
}

// blocks yields what lies within the bounds, block by block; err is how setting
// these ended.
func (r *Reader) blocks(err error, yield func(Lines, error) bool) {
	if o := &r.log.opts; o.Skip == nil && o.SkipLarge != nil {
		r.skip = onlyLarge(func(d Damage) error {
			if !yield(Lines{First: d.Offset, Large: &d}, nil) {
				return errLeft
			}
			return nil
		})
	}
	for err == nil {
		if r.block.n > 0 && !yield(r.takeBlock(), nil) {
			return
		}
		if err = r.fill(); err != nil {
			err = r.passOver(err)
		}
	}
	if err != io.EOF && err != errLeft {
		yield(Lines{}, err)
	}
}

// errLeft ends a range that its caller left.
var errLeft = errors.New("the range was left")

// takeBlock returns what is left of the block, and moves behind it.
func (r *Reader) takeBlock() Lines {
	b := Lines{First: r.next, Count: r.block.n - r.i, Data: r.block.lines(r.i)}
	r.next += r.step * uint64(b.Count)
	r.i = r.block.n
	return b
}
