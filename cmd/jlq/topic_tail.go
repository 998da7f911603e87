package main

import (
	"context"
	"slices"
	"syscall"

	"example.com/jlq/topic"
)

// tail prints the last records of a range, and follows where that is wanted.
func (v *topicView) tail(t *tailCommand, to *view) error {
	var err error
	opts := v.opts
	if opts.Spans, err = v.spans(t.offsets.offsets); err != nil {
		return err
	}
	next := map[int]uint64{}
	for i, s := range opts.Spans {
		next[i] = s.To
	}
	if t.follow && t.ranged() {
		for i, s := range opts.Spans {
			next[i] = s.From
		}
	} else if err := v.last(t, to, &opts); err != nil || !t.follow {
		return err
	}
	if t.end.atEnd {
		if !t.ranged() {
			return nil
		}
		return to.print(v.ctx, v.rows(v.t.Records(&opts)))
	}
	return v.live(t, to, next)
}

// last prints the last records of spans, as many as are asked for.
func (v *topicView) last(t *tailCommand, to *view, opts *topic.ReadOptions) error {
	if to.where == nil && v.parts != nil {
		return v.lastParts(t, to, opts)
	}
	if to.where == nil {
		records, _, err := v.t.Tail(v.ctx, int(t.limit), opts)
		if err != nil {
			return err
		}
		return to.print(v.ctx, v.rows(sequence(records)))
	}
	back := *opts
	back.Backward = true
	err := to.printLast(v.ctx, to.kept(v.rows(v.t.Records(&back))), int64(t.limit))
	if t.follow && exitCode(err) == exitMissing && quiet(err) {
		return nil // what comes decides
	}
	return err
}

// lastParts prints the last records that are wanted by time.
func (v *topicView) lastParts(t *tailCommand, to *view, opts *topic.ReadOptions) error {
	for i, s := range opts.Spans {
		if parts := lastOf(v.parts[i], uint64(t.limit)); len(parts) > 0 {
			s.From = parts[0].from
		}
		opts.Spans[i] = s
	}
	var last []topic.Record
	for rec, err := range v.rows(v.t.Records(opts)) {
		if err == nil {
			err = context.Cause(v.ctx)
		}
		if err != nil {
			return err
		}
		if last = append(last, rec.Clone()); len(last) >= 2*int(t.limit) {
			last = slices.Delete(last, 0, len(last)-int(t.limit))
		}
	}
	return to.print(v.ctx, sequence(last[max(0, len(last)-int(t.limit)):]))
}

// live prints records as they come.
func (v *topicView) live(t *tailCommand, to *view, next map[int]uint64) error {
	ctx, cancel := context.WithCancelCause(v.ctx)
	defer cancel(nil)
	v.app.out.follow(cancel)
	watchHangup(v.app.out.raw, func() { cancel(&outputError{syscall.EPIPE}) })
	v.parts = nil // they are about what was there
	return unlessIdle(to.print(ctx, t.end.untilIdle(timely(v.pick.wanted(), v.rows(v.t.Follow(ctx, next, &v.opts))), cancel)))
}
