package main

import (
	"cmp"
	"container/heap"
	"context"
	"iter"
	"slices"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/sample"
	"example.com/jlq/topic"
)

// held is a record that a reservoir holds.
type held struct {
	rec    topic.Record
	number uint64 // its place in the sequence
}

// reservoir chooses -n records of a sequence, whatever its length.
func (c *sampleCommand) reservoir(ctx context.Context, records stream) ([]topic.Record, error) {
	var all []held
	if c.limit > 0 {
		r := sample.NewReservoir(uint64(c.limit), c.seed.value)
		for rec, err := range records {
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return nil, err
			}
			number := r.Seen()
			switch i, taken := r.Slot(); {
			case taken && i == len(all):
				all = append(all, held{rec.Clone(), number})
			case taken:
				all[i] = held{rec.Clone(), number}
			}
		}
	}
	slices.SortFunc(all, func(a, b held) int { return cmp.Compare(a.number, b.number) })
	if c.shuffle {
		sample.Shuffle(all, c.seed.value)
	}
	out := make([]topic.Record, len(all))
	for i := range all {
		out[i] = all[i].rec
	}
	return out, nil
}

// chained are the records of one sequence after the other.
func chained(streams ...stream) stream {
	return func(yield func(topic.Record, error) bool) {
		for _, records := range streams {
			for rec, err := range records {
				if !yield(rec, err) {
					return
				}
			}
		}
	}
}

// merged are the records of several partitions, by time or one partition after
// the other.
func merged(streams []stream, order orderFlags) stream {
	return func(yield func(topic.Record, error) bool) {
		if order.order.value == "partition" {
			chained(streams...)(yield)
			return
		}
		m := &merging{}
		for _, records := range streams {
			next, stop := iter.Pull2(records)
			defer stop()
			h := &heading{next: next, field: string(order.field)}
			if more, err := h.advance(); err != nil {
				yield(topic.Record{}, err)
				return
			} else if more {
				m.list = append(m.list, h)
			}
		}
		heap.Init(m)
		m.run(yield)
	}
}

// heading is a partition with the record that comes next.
type heading struct {
	next  func() (topic.Record, error, bool)
	field string
	head  topic.Record
	time  time.Time // of head, or of the last record before it that has one
}

func (h *heading) advance() (more bool, err error) {
	h.head, err, more = h.next()
	if !more || err != nil {
		return false, err
	}
	if at, timed := jsonl.Time(h.head.Data, h.field); timed {
		h.time = at
	}
	return true, nil
}

// merging is a heap of partitions, the one with the oldest record first.
type merging struct{ list []*heading }

func (m *merging) run(yield func(topic.Record, error) bool) {
	for len(m.list) > 0 {
		h := m.list[0]
		if !yield(h.head, nil) {
			return
		}
		switch more, err := h.advance(); {
		case err != nil:
			yield(topic.Record{}, err)
			return
		case more:
			heap.Fix(m, 0)
		default:
			heap.Pop(m)
		}
	}
}

// Len implements [heap.Interface].
func (m *merging) Len() int { return len(m.list) }

// Less implements [heap.Interface].
func (m *merging) Less(i, j int) bool {
	a, b := m.list[i], m.list[j]
	return cmp.Or(a.time.Compare(b.time), cmp.Compare(a.head.ID.Partition, b.head.ID.Partition)) < 0
}

// Swap implements [heap.Interface].
func (m *merging) Swap(i, j int) { m.list[i], m.list[j] = m.list[j], m.list[i] }

// Push implements [heap.Interface].
func (m *merging) Push(x any) { m.list = append(m.list, x.(*heading)) }

// Pop implements [heap.Interface].
func (m *merging) Pop() any {
	last := m.list[len(m.list)-1]
	m.list = m.list[:len(m.list)-1]
	return last
}
