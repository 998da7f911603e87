package main

import (
	"context"
	"errors"
	"iter"
	"slices"

	"example.com/jlq/internal/filter"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// errEnough ends a run when as many records were printed as were asked for.
var errEnough = errors.New("enough")

// forward prints the records of the range.
func (v *view) forward(r *resolver) error {
	v.complain(named(v.name, r.dropped(v.offsets.offsets)))
	if v.where != nil && v.where.filter != nil && !v.context.given() && v.offsets.from.kind != atLast && v.limit != 0 && !v.printer.layout.Positions() {
		return v.where.outcome(v.sift(r))
	}
	if v.strides(r) {
		return v.stride(r, false)
	}
	records, err := v.inRange(r)
	if err != nil {
		return err
	}
	return v.print(r.ctx, v.rows(records))
}

// inRange are the records of the range: without offsets, where nothing needs these
// and it would take long to know them.
func (v *view) inRange(r *resolver) (iter.Seq2[reader.Record, error], error) {
	if v.unnumbered() {
		if parts, placed, err := r.placed(v.offsets.offsets); placed || err != nil {
			return joined(parts, r.log.RecordsAt), err
		}
	}
	return r.records(v.offsets.offsets)
}

// inRangeBack is inRange backwards, of a range that has an end.
func (v *view) inRangeBack(r *resolver, o offsets) (iter.Seq2[reader.Record, error], error) {
	if v.unnumbered() {
		if parts, placed, err := r.placed(o); placed || err != nil {
			slices.Reverse(parts)
			return joined(parts, r.log.BackwardAt), err
		}
	}
	spans, err := r.clamped(o)
	if err != nil {
		return nil, err
	}
	v.skipFrom(spans)
	return r.backward(spans), nil
}

// unnumbered reports whether nothing needs the offsets of records.
func (v *view) unnumbered() bool { return v.plain() && !v.printer.layout.Offsets() }

// sift prints the records of the range that the filter is true of.
func (v *view) sift(r *resolver) error {
	all, err := v.piecesIn(r)
	if err != nil {
		return err
	}
	if !v.direct() {
		return v.printChosen(r.ctx, v.where.sifted(r.ctx, all, v.id))
	}
	err = v.where.sift(r.ctx, all, false, v.where.upTo(v.limit))
	if err == errEnough {
		return nil
	}
	return err
}

// upTo prints lines until there were limit of them.
func (w *where) upTo(limit int64) func(*filter.Chosen) error {
	return func(c *filter.Chosen) error {
		lines, matched := c.Lines, c.Matched
		enough := limit >= 0 && int64(matched) >= limit
		if enough {
			lines = lines[:lineStart(lines, limit)]
		}
		limit -= int64(matched)
		if len(lines) > 0 {
			if _, err := w.app.out.Write(lines); err != nil {
				return err
			}
		}
		if enough {
			return errEnough
		}
		return nil
	}
}

// count returns how many records of a range are chosen.
func (w *where) count(r *resolver, o offsets) (uint64, error) {
	w.checked = trusted(r.log)
	all, err := r.pieces(o)
	if err == nil {
		err = w.sift(r.ctx, all, false, func(*filter.Chosen) error { return nil })
	}
	return w.matched, err
}

// found is what looking for records backwards came to.
type found struct {
	records []topic.Record // the last ones that are chosen, in order
	seen    uint64         // records from the first of them on, or all where there are less than asked for
	next    uint64         // the offset behind the last that was seen, or UnknownOffset
}

// last looks for the last n records that are chosen, in a sequence that goes
// backwards.
func (w *where) last(ctx context.Context, backward stream, n int64) (f found, err error) {
	f.next = reader.UnknownOffset
	if n == 0 {
		return f, nil
	}
	for rec, err := range backward {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return f, err
		}
		if f.seen++; f.seen == 1 && rec.Offset != reader.UnknownOffset {
			f.next = rec.Offset + 1
		}
		ok, err := w.wants(rec.Record)
		if ok && w.jq != nil {
			ok, err = w.jq.gives(ctx, rec)
		}
		if err != nil {
			return f, err
		}
		if ok {
			f.records = append(f.records, rec.Clone())
		}
		if int64(len(f.records)) == n {
			break
		}
	}
	slices.Reverse(f.records)
	return f, nil
}

// sequence is a slice as a sequence.
func sequence(records []topic.Record) stream {
	return func(yield func(topic.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// chosen prints the last records of the range that are chosen.
func (t *tailCommand) chosen(v *view, r *resolver) error {
	backward := r.log.Backward(reader.UnknownOffset)
	if t.ranged() {
		var err error
		if backward, err = v.inRangeBack(r, t.offsets.offsets); err != nil {
			return err
		}
	}
	return v.printLast(r.ctx, v.kept(v.rows(backward)), int64(t.limit))
}

// printLast prints the last n records that are chosen, of a sequence that goes
// backwards.
func (v *view) printLast(ctx context.Context, backward stream, n int64) (err error) {
	var records stream
	if v.context.given() {
		records, err = v.lastAround(ctx, backward, n)
	} else {
		var f found
		f, err = v.where.last(ctx, backward, n)
		records = sequence(f.records)
	}
	if err == nil {
		err = v.printChosen(ctx, records)
	}
	return v.where.outcome(err)
}

// followChosen follows from the first of the last records that are chosen. What
// is appended meanwhile comes behind them.
func (t *tailCommand) followChosen(ctx context.Context, v *view, log *reader.Log) (iter.Seq2[reader.Record, error], error) {
	w := v.where
	end := v.showReading(v.name, &t.pickFlags, func() int64 { return sizeOf(log) }, false)
	f, err := w.last(ctx, v.rows(log.Backward(reader.UnknownOffset)), int64(t.limit))
	end()
	if err != nil {
		return nil, err
	}
	// They are looked at again, and counted then.
	w.matched, w.invalid, w.large, w.far = 0, gaps{}, gaps{}, nil
	w.met.Store(false)
	switch {
	case len(f.records) > 0 && f.records[0].Offset != reader.UnknownOffset:
		v.from = f.records[0].Offset
		return log.Follow(ctx, v.from-min(v.from, v.context.size().before)), nil
	case len(f.records) == 0 && f.next != reader.UnknownOffset:
		return log.Follow(ctx, f.next), nil
	case len(f.records) == 0:
		return log.FollowTail(ctx, 0), nil
	}
	return log.FollowTail(ctx, f.seen), nil
}
