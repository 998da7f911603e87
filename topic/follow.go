package topic

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"example.com/jlq/partition"
)

// Follow yields the records of all partitions that consumers see and waits for
// more, until ctx ends: its cause is the error of the last pair. from has
// where to begin in partitions; the others begin with their first record,
// also those that are added later. What is there already comes in the order
// that opts say (its Spans and Backward do not count); what is appended from
// then on comes as it is found. It starts a goroutine for each partition,
// which ends with the range.
func (t *Topic) Follow(ctx context.Context, from map[int]uint64, opts *ReadOptions) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f := &follower{t: t, name: t.Meta().Name, next: map[int]uint64{}, arrivals: make(chan arrival), leave: map[int]context.CancelFunc{}}
		if opts != nil {
			f.opts = ReadOptions{ByPartition: opts.ByPartition, TimeField: opts.TimeField, Dropped: opts.Dropped}
		}
		for i, offset := range from {
			f.next[i] = offset
		}
		if !f.catchUp(ctx, yield) {
			return
		}
		f.live(ctx, yield)
	}
}

// follower is one Follow.
type follower struct {
	t        *Topic
	name     string
	opts     ReadOptions
	next     map[int]uint64 // where each partition goes on
	arrivals chan arrival
	leave    map[int]context.CancelFunc // of the partitions that are followed
	running  sync.WaitGroup
}

// arrival is a record, or the error that a partition ends with.
type arrival struct {
	partition int
	rec       partition.Record
	err       error
}

// catchUp yields what is there.
func (f *follower) catchUp(ctx context.Context, yield func(Record, error) bool) (more bool) {
	all, err := f.t.spans(ctx, nil)
	if err != nil {
		yield(Record{}, err)
		return false
	}
	for i, s := range all {
		s.From = max(s.From, f.next[i])
		f.next[i] = max(s.To, f.next[i])
		all[i] = s
	}
	f.opts.Spans = all
	for rec, err := range f.t.Records(&f.opts) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			yield(Record{}, err)
			return false
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// live yields what comes.
func (f *follower) live(ctx context.Context, yield func(Record, error) bool) {
	inner, stop := context.WithCancel(ctx)
	defer f.running.Wait()
	defer stop()
	tick := time.NewTicker(f.t.opts.Reload)
	defer tick.Stop()
	if err := f.join(inner); err != nil {
		yield(Record{}, err)
		return
	}
	for {
		select {
		case a := <-f.arrivals:
			if !f.take(ctx, inner, a, yield) {
				return
			}
		case <-tick.C:
			err := f.t.Refresh()
			if err == nil {
				err = f.join(inner)
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
		case <-ctx.Done():
			yield(Record{}, context.Cause(ctx))
			return
		}
	}
}

// take yields what a partition brought. The end of one that consumers see no
// more is none of the topic.
func (f *follower) take(ctx, inner context.Context, a arrival, yield func(Record, error) bool) (more bool) {
	switch {
	case a.err == nil:
		f.next[a.partition] = a.rec.Offset + 1
		return yield(Record{a.rec, ID{f.name, a.partition, a.rec.Offset}}, nil)
	case ctx.Err() != nil:
		yield(Record{}, context.Cause(ctx))
		return false
	}
	err := f.t.explain(a.partition, a.err)
	if out, gone := dropped(err); gone && f.opts.Dropped != nil {
		f.opts.Dropped(a.partition, out)
		f.part(a.partition)
		f.next[a.partition] = out.Start
		if err = f.join(inner); err == nil {
			return true
		}
	}
	m := f.t.Meta()
	if f.t.now.Load().gone == nil && !slices.Contains(m.Consumed(), a.partition) {
		f.part(a.partition)
		return true
	}
	yield(Record{}, err)
	return false
}

// join follows the partitions that consumers see by now, and no others.
func (f *follower) join(ctx context.Context) error {
	m := f.t.Meta()
	seen := m.Consumed()
	for i := range f.leave {
		if !slices.Contains(seen, i) {
			f.part(i)
		}
	}
	for _, i := range seen {
		if f.leave[i] != nil {
			continue
		}
		p, err := f.t.Partition(i)
		if err != nil {
			return err
		}
		own, leave := context.WithCancel(ctx)
		f.leave[i] = leave
		from := f.next[i]
		f.running.Go(func() { f.pump(own, i, p, from) })
	}
	return nil
}

// part stops following a partition.
func (f *follower) part(i int) {
	if leave := f.leave[i]; leave != nil {
		leave()
	}
	delete(f.leave, i)
}

// pump hands over the records of one partition. They wait for the range to
// take them, so they have memory of their own.
func (f *follower) pump(ctx context.Context, i int, p *partition.Partition, from uint64) {
	for rec, err := range p.Follow(ctx, from) {
		if ctx.Err() != nil {
			return
		}
		select {
		case f.arrivals <- arrival{i, rec.Clone(), err}:
		case <-ctx.Done():
			return
		}
	}
}
