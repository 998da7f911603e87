package reader

import (
	"io"
	"iter"
)

// Pull is a range of records that is taken step by step, for who reads several
// logs in turn: a step costs what it does in a loop over the range, and a
// fraction of one of [iter.Pull2]. It belongs to one goroutine, which closes it.
type Pull struct {
	r       *Reader
	to      uint64
	back    bool
	started bool
	err     error // what it ended with
}

// Pull returns the records of [from, to) that are there when the first one is
// taken, as [Log.Range] does.
func (l *Log) Pull(from, to uint64) *Pull {
	p := &Pull{r: l.borrow(), to: to}
	p.r.next, p.r.clamp, p.r.ranging = from, true, true
	if from >= to {
		p.err = io.EOF
	}
	return p
}

// PullBackward returns the records before-1, before-2 and so on, as
// [Log.Backward] does.
func (l *Log) PullBackward(before uint64) *Pull {
	return &Pull{r: l.borrow(), to: before, back: true}
}

// Next returns the next record, whose Data is valid until the next call, and
// [io.EOF] behind the last. Errors are final.
func (p *Pull) Next() (rec Record, err error) {
	switch {
	case p.err != nil:
		return Record{}, p.err
	case !p.started:
		p.start()
	}
	for p.err == nil {
		if p.back {
			rec, err = p.r.prev()
		} else {
			rec, err = p.r.Next()
		}
		if err == nil {
			return rec, nil
		}
		p.passOver(err)
	}
	return Record{}, p.err
}

// Records returns what is left of the range. It can be ranged over once, and
// Next must not be called behind that.
func (p *Pull) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			rec, err := p.Next()
			if err == io.EOF || !yield(rec, err) || err != nil {
				return
			}
			if !p.back && !p.r.yieldBlock(yield) {
				return
			}
		}
	}
}

// start finds out where the range ends, or where it begins backwards.
func (p *Pull) start() {
	p.started = true
	if p.back {
		p.err = p.r.startBack(p.to)
	} else {
		p.err = p.r.bound(p.to)
	}
}

func (p *Pull) passOver(err error) {
	if p.back {
		p.err = p.r.passOverBack(err)
	} else {
		p.err = p.r.passOver(err)
	}
}

// Close ends the use of the range. Next then returns [ErrClosed].
func (p *Pull) Close() {
	if p.r != nil {
		p.r.giveBack()
	}
	p.r, p.err = nil, ErrClosed
}
