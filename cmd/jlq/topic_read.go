package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// orderFlags say how the records of a topic are merged.
type orderFlags struct {
	order choice
	field fieldFlag
}

func (f *orderFlags) add(cmd *cobra.Command) {
	f.order = newChoice("time", "partition")
	cmd.Flags().Var(&f.order, "order", "how the partitions of a topic are merged: by the time of the records, or one after the other")
}

// topicView is a topic that a command reads.
type topicView struct {
	app   *app
	ctx   context.Context
	path  string
	t     *topic.Topic
	meta  topic.Meta
	opts  topic.ReadOptions
	skips map[int]*skipper // with --on-bad skip
	pick  *pickFlags       // nil: of no interest
	parts map[int][]span   // what is wanted by time of each partition; nil: all
}

// withTopic opens a topic for reading, without lock and writing nothing.
func (a *app) withTopic(ctx context.Context, path string, flags readFlags, order orderFlags, do func(*topicView) error) error {
	v := &topicView{app: a, ctx: ctx, path: path, skips: map[int]*skipper{}}
	v.opts = topic.ReadOptions{ByPartition: order.order.value == "partition", TimeField: string(order.field), Dropped: v.dropped}
	skip := func(_ int, d partition.Damage) error { return d.Err }
	if flags.onBad.value == "skip" {
		skip = func(i int, d partition.Damage) error { return v.skips[i].damage(d) }
		a.skip = &skipper{app: a, name: path} // takes over once records come
	} else if w := flags.lenient; w.goesOn() {
		skip = func(_ int, d partition.Damage) error { return w.tooLarge(d) }
	}
	var err error
	v.t, err = topic.OpenReader(path, &topic.Options{Skip: skip, Partition: partition.Options{MaxRecordBytes: int(flags.max), Logger: a.logger()}})
	if err != nil {
		return topicError(path, err)
	}
	v.meta = v.t.Meta()
	unindexed, err := v.look(flags.onBad.value == "skip")
	if err == nil {
		err = hintTime(do(v), v.timeHint)
	}
	for _, i := range v.meta.All() {
		if s := v.skips[i]; s != nil {
			s.tell()
		}
	}
	if closed := v.t.Close(); err == nil {
		err = closed
	}
	if code := exitCode(err); unindexed && (code == exitOK || code == exitMissing) {
		err = &codeError{exitIndex, err}
	}
	return v.advise(flags, err)
}

// look opens the partitions and says what is not shown of them.
func (v *topicView) look(skips bool) (unindexed bool, err error) {
	hidden := slices.DeleteFunc(v.meta.All(), func(i int) bool { return slices.Contains(v.meta.Consumed(), i) })
	for _, i := range hidden {
		v.app.report("%s: partition %d is hidden from consumers and not shown; its ids, %s-%d@OFFSET, show it", v.path, i, v.meta.Name, i)
	}
	for _, i := range v.meta.Consumed() {
		p, err := v.t.Partition(i)
		if err != nil {
			return false, err
		}
		if skips {
			v.skips[i] = &skipper{app: v.app, name: p.Path()}
		}
		unindexed = v.app.noteBehind(p.Log(), p.Path()) || unindexed
		v.app.noteAhead(p.Log(), p.Path())
	}
	return unindexed, nil
}

func (v *topicView) dropped(i int, gone *partition.RangeError) {
	v.app.report("%s: offsets %d to %d were dropped before they were read; going on with offset %d", topic.PartitionPath(v.path, i), gone.Offset, gone.Start-1, gone.Start)
}

// advise adds to an error about damage what can be done about it.
func (v *topicView) advise(flags readFlags, err error) error {
	_, corrupt := errors.AsType[*segment.CorruptError](err)
	_, away := errors.AsType[*segment.SegmentAwayError](err)
	if !corrupt && !away {
		return err
	}
	hint := fmt.Sprintf("jlq verify %s says what is wrong, jlq repair %s shows how to mend it", v.path, v.path)
	if flags.onBad.value == "fail" {
		hint = "--on-bad skip reads on behind it; " + hint
	}
	return &usageError{err: err, hint: hint}
}

// log is the log of a partition.
func (v *topicView) log(i int) (*reader.Log, error) {
	p, err := v.t.Partition(i)
	if err != nil {
		return nil, err
	}
	return p.Log(), nil
}

// size is how many bytes the records of the partitions that are shown take; -1 where
// that is not to be found out.
func (v *topicView) size() (sum int64) {
	for _, i := range v.meta.Consumed() {
		log, err := v.log(i)
		if err != nil {
			return -1
		}
		sum += sizeOf(log)
	}
	return sum
}

// spans finds what a range is in each partition.
func (v *topicView) spans(o offsets) (map[int]topic.Span, error) {
	if err := topicOffset(v.path, o); err != nil {
		return nil, err
	}
	if o.from.kind == atLast || o.to.kind == atLast {
		return nil, &usageError{err: fmt.Errorf("%s: is a topic, where %q says nothing about the order", v.path, o.text), hint: "jlq tail -n N prints the last N"}
	}
	out := map[int]topic.Span{}
	var timeless error
	timely := false
	for _, i := range v.meta.Consumed() {
		log, err := v.log(i)
		if err != nil {
			return nil, err
		}
		out[i], err = v.spanIn(i, v.resolver(log), o)
		switch {
		case errors.Is(err, reader.ErrNoTime):
			timeless = err
		case err != nil:
			return nil, fmt.Errorf("partition %d: %w", i, err)
		default:
			_, next, err := log.Bounds(v.ctx)
			timely = timely || err != nil || next > 0
		}
		if skip := v.skips[i]; skip != nil {
			skip.from = out[i].From
		}
	}
	if !timely {
		return nil, timeless
	}
	if timeless != nil {
		v.app.report("%v; nothing of that partition is taken", timeless)
	}
	return out, nil
}

func (v *topicView) resolver(log *reader.Log) *resolver {
	if v.pick == nil {
		return &resolver{ctx: v.ctx, log: log}
	}
	return v.pick.resolver(v.ctx, log)
}

// spanIn finds what a range is in partition i, and remembers its parts where not
// all between its ends is wanted.
func (v *topicView) spanIn(i int, r *resolver, o offsets) (topic.Span, error) {
	parts, err := r.clamped(o)
	timeless := errors.Is(err, reader.ErrNoTime)
	if err != nil && !timeless {
		return topic.Span{}, err
	}
	if timeless {
		parts = nil
	}
	if r.want != nil {
		if v.parts == nil {
			v.parts = map[int][]span{}
		}
		v.parts[i] = parts
	}
	if timeless || len(parts) == 0 {
		_, next, failed := r.bounds()
		return topic.Span{From: next, To: next}, cmp.Or(failed, err)
	}
	return topic.Span{From: parts[0].from, To: parts[len(parts)-1].to}, nil
}

// rows are the records, while each comes with the skip of its partition.
func (v *topicView) rows(records stream) stream {
	return func(yield func(topic.Record, error) bool) {
		for rec, err := range v.app.reading.rows(records) {
			if s := v.skips[rec.ID.Partition]; s != nil && err == nil {
				v.app.skip = s
			}
			if v.parts != nil && err == nil && !holds(v.parts[rec.ID.Partition], rec.Offset) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// print prints the records of the range.
func (v *topicView) print(to *view, backward bool) error {
	var err error
	opts := v.opts
	opts.Backward = backward
	if opts.Spans, err = v.spans(to.offsets.offsets); err != nil {
		return err
	}
	return to.print(v.ctx, v.rows(v.t.Records(&opts)))
}

// trusted reports whether the records of all partitions were checked when they
// were stored.
func (v *topicView) trusted() bool {
	return !slices.ContainsFunc(v.meta.Consumed(), func(i int) bool { return !trustedAt(topic.PartitionPath(v.path, i)) })
}

// count adds up the records of a range, those that w chooses where it is not
// nil.
func (v *topicView) count(w *where, o offsets) (n uint64, err error) {
	spans, err := v.spans(o)
	if err != nil {
		return 0, err
	}
	for _, i := range v.meta.Consumed() {
		if w == nil {
			if v.parts == nil {
				n += spans[i].To - spans[i].From
			}
			n += heldBy(v.parts[i])
			continue
		}
		log, err := v.log(i)
		if err != nil {
			return 0, err
		}
		if n, err = w.count(v.resolver(log), o); err != nil { // it adds up by itself
			return n, err
		}
	}
	return n, nil
}

// printNext prints, for each partition, the id that the next record gets.
func (v *topicView) printNext() error {
	for _, i := range v.meta.All() {
		log, err := v.log(i)
		if err != nil {
			return err
		}
		_, next, err := log.Bounds(v.ctx)
		if err != nil {
			return err
		}
		id := topic.ID{Topic: v.meta.Name, Partition: i, Offset: next}
		if err := v.app.out.WriteLine(id.Append(nil), "\n"); err != nil {
			return err
		}
	}
	return nil
}
