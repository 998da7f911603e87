package main

import (
	"context"
	"errors"
	"iter"
	"math"

	"example.com/jlq/internal/segment"
	"example.com/jlq/reader"
)

// unbounded is the end of a range that ends where the log does.
const unbounded = math.MaxUint64

// span is a range of offsets, half-open.
type span struct{ from, to uint64 }

// resolver finds the offsets that bounds stand for in a log. How far the log
// reaches is found out only when it matters: without an index it takes a scan.
type resolver struct {
	ctx         context.Context
	log         *reader.Log
	times       reader.TimeRange  // how times are found
	want        *reader.TimeRange // of the range, only these records; nil: all
	known       bool
	start, next uint64
}

func (r *resolver) bounds() (start, next uint64, err error) {
	if !r.known {
		r.start, r.next, err = r.log.Bounds(r.ctx)
		r.known = err == nil
	}
	return r.start, r.next, err
}

func (r *resolver) span(o offsets) (s span, err error) {
	if s.from, err = r.offset(o.from); err != nil {
		return s, err
	}
	s.to = unbounded
	if o.to.kind != atEnd {
		s.to, err = r.offset(o.to)
	}
	return s, err
}

func (r *resolver) offset(b bound) (uint64, error) {
	switch b.kind {
	case atOffset:
		return b.n, nil
	case atTime:
		return r.at(b.time)
	case atStart:
		if r.log.Place().Bare {
			return 0, nil
		}
	}
	start, next, err := r.bounds()
	switch b.kind {
	case atStart:
		if _, away := errors.AsType[*segment.SegmentAwayError](err); away {
			return r.log.Info().Start, nil // what is there is read first
		}
		return start, err
	case atLast:
		return next - min(b.n, next-start), err
	}
	return next, err
}

// size is how many bytes the records take.
func (r *resolver) size() int64 { return sizeOf(r.log) }

// clamp cuts a span to what is there.
func (r *resolver) clamp(s span) (span, error) {
	start, next, err := r.bounds()
	to := max(start, min(s.to, next))
	return span{min(max(s.from, start), to), to}, err
}

// dropped tells of a range all of whose records were dropped: nil where there
// may be some. Whether a bare file reaches as far is for the reader to find.
func (r *resolver) dropped(o offsets) error {
	if o.from.kind != atOffset || o.to.kind != atOffset || o.from.n >= o.to.n || r.log.Place().Bare {
		return nil
	}
	start, next, err := r.bounds()
	if err != nil || o.to.n > start {
		return nil // the reading itself finds what is wrong
	}
	return &segment.RangeError{Offset: o.from.n, Start: start, Next: next}
}

// exactly finds the one record that a place without colon stands for. Where
// it is not there the error is a [*segment.RangeError].
func (r *resolver) exactly(o offsets) (uint64, error) {
	if o.from.kind != atLast {
		return r.offset(o.from)
	}
	start, next, err := r.bounds()
	switch {
	case err != nil:
		return 0, err
	case o.from.n == 0:
		return 0, &segment.RangeError{Offset: next, Start: start, Next: next}
	case o.from.n > next-start:
		return 0, missing("the last %d records are not there: the log holds %d", o.from.n, next-start)
	}
	return next - o.from.n, nil
}

// records reads what o stands for.
func (r *resolver) records(o offsets) (iter.Seq2[reader.Record, error], error) {
	if o.from.kind == atLast && o.to.kind == atEnd && r.want == nil {
		// Found from the end, so that it does not take a scan.
		return r.log.Tail(o.from.n).Records(), nil
	}
	spans, err := r.spans(o)
	if err != nil {
		return nil, err
	}
	return joined(spans, func(s span) iter.Seq2[reader.Record, error] { return left(r.log, s) }), nil
}
