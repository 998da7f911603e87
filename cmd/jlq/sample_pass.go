package main

import (
	"cmp"
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
		var all []*heading
		for _, records := range streams {
			next, stop := iter.Pull2(records)
			defer stop()
			h := &heading{next: next, field: string(order.field)}
			if err := h.advance(); err != nil {
				yield(topic.Record{}, err)
				return
			}
			all = append(all, h)
		}
		interleave(all, yield)
	}
}

// interleave yields what is next of all, the oldest first, until nothing is left. A
// sample is of few partitions: it takes no heap to find the oldest.
func interleave(all []*heading, yield func(topic.Record, error) bool) {
	for {
		all = slices.DeleteFunc(all, func(h *heading) bool { return h.ended })
		if len(all) == 0 {
			return
		}
		h := slices.MinFunc(all, (*heading).compare)
		if !yield(h.head, nil) {
			return
		}
		if err := h.advance(); err != nil {
			yield(topic.Record{}, err)
			return
		}
	}
}

// heading is a partition with the record that comes next.
type heading struct {
	next  func() (topic.Record, error, bool)
	field string
	head  topic.Record
	time  time.Time // of head, or of the last record before it that has one
	ended bool      // there is none
}

func (h *heading) advance() error {
	head, err, more := h.next()
	if !more || err != nil {
		h.ended = true
		return err
	}
	h.head = head
	if at, timed := jsonl.Time(head.Data, h.field); timed {
		h.time = at
	}
	return nil
}

func (h *heading) compare(other *heading) int {
	return cmp.Or(h.time.Compare(other.time), cmp.Compare(h.head.ID.Partition, other.head.ID.Partition))
}
