package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/topic"
)

// contextFlags are -A, -B and -C: records around those that are chosen.
type contextFlags struct {
	after, before, both countFlag
}

func (c *contextFlags) add(cmd *cobra.Command, of string) {
	c.after, c.before, c.both = -1, -1, -1
	f := cmd.Flags()
	f.VarP(&c.after, "after-context", "A", "print N records behind each "+of+", too")
	f.VarP(&c.before, "before-context", "B", "print N records in front of each "+of+", too")
	f.VarP(&c.both, "context", "C", "-A and -B at once")
}

func (c *contextFlags) given() bool { return c.after > 0 || c.before > 0 || c.both > 0 }

// size is how many records are printed on both sides.
func (c *contextFlags) size() around {
	side := func(own countFlag) uint64 {
		if own >= 0 {
			return uint64(own)
		}
		return uint64(max(0, c.both))
	}
	return around{before: side(c.before), after: side(c.after)}
}

// apply checks that something is chosen.
func (c *contextFlags) apply(v *view) error {
	if !c.given() {
		return nil
	}
	if v.where == nil || v.where.filter == nil {
		return &usageError{err: errors.New("-A, -B and -C print records around those that --where chooses"), hint: "-o A:B prints a range"}
	}
	// tail holds those behind a record, too, because it looks for it backwards.
	if size := c.size(); max(size.before, size.after) > mostBefore {
		return &usageError{err: fmt.Errorf("-A, -B and -C: these records are held in memory; want at most %d", mostBefore), hint: "-o A:B prints a range"}
	}
	return nil
}

// around is how many records in front of and behind each that is chosen come
// with it.
type around struct{ before, after uint64 }

// turned is around for a sequence that goes backwards.
func (a around) turned() around { return around{before: a.after, after: a.before} }

// walk is what wants chooses of records, at most limit of them, and what lies
// around it; every record once. gap is called between two that are no neighbours.
func (a around) walk(records stream, wants func(topic.Record) (bool, error), limit int64, gap func()) stream {
	return func(yield func(topic.Record, error) bool) {
		w := walking{around: a, limit: limit, gap: gap, yield: func(rec topic.Record, _ bool) bool { return yield(rec, nil) }}
		if limit == 0 {
			return
		}
		for rec, err := range records {
			chosen := false
			if err == nil {
				chosen, err = wants(rec)
			}
			if err != nil {
				yield(topic.Record{}, err)
				return
			}
			if !w.take(rec, chosen) {
				return
			}
		}
	}
}

// walking is one walk.
type walking struct {
	around
	limit int64
	gap   func()
	yield func(rec topic.Record, chosen bool) bool

	held  []topic.Record // the last ones that were not yielded, at most before; a ring
	first int            // the oldest of them
	left  uint64         // how many are yielded because they lie behind a chosen one
	apart bool           // one was left out since the last that was yielded
	begun bool
}

// take takes the next record, and reports whether to go on.
func (w *walking) take(rec topic.Record, chosen bool) bool {
	switch {
	case chosen && w.limit == 0:
		return false // what lies behind the last one ends with the next
	case chosen:
		if w.limit > 0 {
			w.limit--
		}
		w.left = w.after
		return w.flush() && w.give(rec, true) && w.goesOn()
	case w.left > 0:
		w.left--
		return w.give(rec, false) && w.goesOn()
	}
	w.hold(rec)
	return true
}

// goesOn reports whether anything can come yet.
func (w *walking) goesOn() bool { return w.limit != 0 || w.left > 0 }

func (w *walking) give(rec topic.Record, chosen bool) bool {
	if w.apart && w.begun {
		w.gap()
	}
	w.apart, w.begun = false, true
	return w.yield(rec, chosen)
}

// hold keeps a record for the case that the next is chosen.
func (w *walking) hold(rec topic.Record) {
	switch {
	case w.before == 0:
		w.apart = true
	case uint64(len(w.held)) < w.before:
		w.held = append(w.held, rec.Clone())
	default:
		w.apart = true
		old := &w.held[w.first]
		data := append(old.Data[:0], rec.Data...)
		*old = rec
		old.Data = data
		w.first = (w.first + 1) % len(w.held)
	}
}

// flush yields what is held.
func (w *walking) flush() bool {
	for i := range w.held {
		if !w.give(w.held[(w.first+i)%len(w.held)], false) {
			return false
		}
	}
	w.held, w.first = w.held[:0], 0
	return true
}

// skip takes note of records that are left out: those before them, and those behind,
// are no neighbours.
func (w *walking) skip() { w.held, w.first, w.left, w.apart = w.held[:0], 0, 0, true }

// separate tells a terminal that records are left out here. In a pipe it would be
// a line that is no record.
func (p *printer) separate() {
	if p.app.out.tty {
		_ = p.app.out.WriteLine([]byte("--"), "\n") // the error comes again with the next record
	}
}

// aroundChosen is what the filter chooses of records and what lies around it.
func (v *view) aroundChosen(records stream) stream {
	limit := v.limit
	v.limit = -1 // which counts those that are chosen
	return v.context.size().walk(records, func(rec topic.Record) (bool, error) {
		if v.from > 0 && rec.Offset < v.from {
			return false, nil
		}
		return v.where.wants(rec.Record)
	}, limit, v.printer.separate)
}

// lastAround is what the filter chooses last of a sequence that goes backwards,
// and what lies around it, in order.
func (v *view) lastAround(ctx context.Context, backward stream, n int64) (stream, error) {
	var rows []topic.Record
	gaps := map[int]bool{} // between the row of that number and the one before
	chosen := v.context.size().turned().walk(backward, func(rec topic.Record) (bool, error) {
		return v.where.wants(rec.Record)
	}, n, func() { gaps[len(rows)] = true })
	for rec, err := range chosen {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, rec.Clone())
	}
	return func(yield func(topic.Record, error) bool) {
		for i := len(rows) - 1; i >= 0; i-- {
			if !yield(rows[i], nil) {
				return
			}
			if gaps[i] {
				v.printer.separate()
			}
		}
	}, nil
}
