package topic

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"

	"example.com/jlq/partition"
)

// Record is a record of a topic. Its Data is valid until the next step, as for
// [partition.Record]; the position is that in a file of its partition.
type Record struct {
	partition.Record
	ID ID
}

// Clone returns a copy whose Data is the caller's own.
func (r Record) Clone() Record {
	r.Record = r.Record.Clone()
	return r
}

// Span is a half-open range of offsets of one partition.
type Span struct{ From, To uint64 }

// ReadOptions say what is read of a topic, and in which order. nil means
// &ReadOptions{}: all that consumers see, in the order of time.
type ReadOptions struct {
	// ByPartition reads one partition after the other, by number.
	ByPartition bool

	// TimeField is the field with the time of a record; "" takes the first of
	// ts, time, timestamp and @timestamp that holds one.
	TimeField string

	// Backward reads the last record first.
	Backward bool

	// Spans are the offsets to read of each partition. What a partition does
	// not hold of its span is left out. nil means all records of all partitions
	// that consumers see.
	Spans map[int]Span

	// Dropped, where it is not nil, is told by Follow of records that
	// retention dropped before they were read; Follow then goes on behind them.
	// Without it they are the error that it ends with.
	Dropped func(partition int, gone *partition.RangeError)
}

// Records yields the records of several partitions up to the high watermarks
// that it finds when the range begins. It may be ranged many times. An error is
// the last pair.
//
// In the order of time, the next record is always that of the partition whose
// next record is the oldest; of equal times, that of the lowest partition. The
// order within a partition stays: a record without a time comes right behind
// the one before it, one that is late does not jump ahead. Each partition takes
// one block of memory (256 KiB, or its largest record).
func (t *Topic) Records(opts *ReadOptions) iter.Seq2[Record, error] {
	o := ReadOptions{}
	if opts != nil {
		o = *opts
	}
	return func(yield func(Record, error) bool) {
		m := merge{t: t, opts: o}
		defer m.close()
		if err := m.open(); err != nil {
			yield(Record{}, err)
			return
		}
		m.run(yield)
	}
}

// Tail returns the last n of the records that Records yields, in the same
// order, and for each partition that was read the offset where its records
// end.
func (t *Topic) Tail(ctx context.Context, n int, opts *ReadOptions) (last []Record, next map[int]uint64, err error) {
	o := ReadOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Spans, err = t.spans(ctx, o.Spans); err != nil {
		return nil, nil, err
	}
	next = map[int]uint64{}
	for i, s := range o.Spans {
		next[i] = s.To
		// Not more than n of them can be among the last n.
		s.From = max(s.From, s.To-min(uint64(max(n, 0)), s.To))
		o.Spans[i] = s
	}
	for rec, err := range t.Records(&o) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
		if len(last) >= 2*n {
			last = slices.Delete(last, 0, len(last)-n)
		}
		last = append(last, rec.Clone())
	}
	return last[max(0, len(last)-n):], next, nil
}

// spans cuts what is asked for to what is there by now.
func (t *Topic) spans(ctx context.Context, asked map[int]Span) (map[int]Span, error) {
	if err := t.Refresh(); err != nil {
		return nil, err
	}
	if asked == nil {
		asked = map[int]Span{}
		m := t.Meta()
		for _, i := range m.Consumed() {
			asked[i] = Span{0, math.MaxUint64}
		}
	}
	out := make(map[int]Span, len(asked))
	for i, s := range asked {
		p, err := t.Partition(i)
		if err != nil {
			return nil, err
		}
		start, next, err := p.Log().Bounds(ctx)
		if err != nil {
			return nil, t.explain(i, err)
		}
		to := max(start, min(s.To, next))
		out[i] = Span{min(max(s.From, start), to), to}
	}
	return out, nil
}

// explain says of an error in a partition that was deleted meanwhile, that
// this is the reason.
func (t *Topic) explain(i int, err error) error {
	refreshed := t.Refresh()
	v := t.now.Load()
	if v.gone != nil {
		return v.gone
	}
	switch {
	case refreshed == nil && !v.meta.Has(i):
		return v.meta.need(t.dir, i)
	case errors.Is(err, fs.ErrClosed) && v.meta.Has(i) && t.unseen(&v.meta, i):
		return fmt.Errorf("%s: partition %d was closed when it was hidden from everyone: %w", t.dir, i, err)
	}
	return err
}

// dropped returns the error about records that retention has dropped, if err
// is one.
func dropped(err error) (*partition.RangeError, bool) {
	out, ok := errors.AsType[*partition.RangeError](err)
	return out, ok && out.Gone() > 0
}
