package main

import (
	"errors"
	"iter"
	"slices"
	"sort"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

const timeFieldHelp = "the `FIELD` with the time of a record (default: the first of ts, time, timestamp, @timestamp that holds one)"

// spans finds the parts of a range that hold what is wanted by time: in order, and
// apart from each other. Without --since and --until it is the range itself.
func (r *resolver) spans(o offsets) ([]span, error) {
	s, err := r.span(o)
	if err != nil || r.want == nil {
		return []span{s}, err
	}
	found, err := r.log.Between(r.ctx, r.want)
	var parts []span
	for _, f := range found {
		if part := (span{max(f.From, s.from), min(f.To, s.to)}); part.from < part.to {
			parts = append(parts, part)
		}
	}
	return parts, err
}

// at is the offset of the first record at or after a time.
func (r *resolver) at(t time.Time) (uint64, error) {
	if r.times.Slack == 0 && r.times.SlackTime == 0 {
		return r.log.OffsetAt(r.ctx, t, r.times.Field)
	}
	from := r.times
	from.Since, from.Until = t, time.Time{}
	found, err := r.log.Between(r.ctx, &from)
	if err != nil || len(found) > 0 {
		return append(found, reader.Span{})[0].From, err
	}
	_, next, err := r.bounds()
	return next, err
}

// placed finds the parts of a file in which all that is wanted by time lies, by
// their positions, where it would take long to know offsets.
func (r *resolver) placed(o offsets) (parts []reader.Stretch, placed bool, err error) {
	if r.want == nil || o.from.kind != atStart || o.to.kind != atEnd {
		return nil, false, nil
	}
	if placed, err = r.log.Uncounted(); placed {
		parts, err = r.log.BetweenPositions(r.ctx, r.want)
	}
	return parts, placed, err
}

// blocks are the lines of a range, many at a time.
func (r *resolver) blocks(o offsets) (iter.Seq2[reader.Lines, error], error) {
	parts, placed, err := r.placed(o)
	if placed || err != nil {
		return joined(parts, r.log.BlocksAt), err
	}
	spans, err := r.spans(o)
	return joined(spans, func(s span) iter.Seq2[reader.Lines, error] { return r.log.Blocks(s.from, s.to) }), err
}

// piecesAt are the pieces of a file that lie in parts of it.
func piecesAt(log *reader.Log, parts []reader.Stretch) iter.Seq[reader.Piece] {
	return func(yield func(reader.Piece) bool) {
		for _, s := range parts {
			for piece := range log.PiecesAt(s) {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

// clamped is spans, cut to what is there.
func (r *resolver) clamped(o offsets) ([]span, error) {
	spans, err := r.spans(o)
	for i := range spans {
		if err == nil && r.want == nil { // what was found by time is there
			spans[i], err = r.clamp(spans[i])
		}
	}
	return spans, err
}

// firstWanted is the offset of the first record of spans, and where there is none
// the end of the log.
func (r *resolver) firstWanted(o offsets) (uint64, error) {
	spans, err := r.spans(o)
	if err == nil && len(spans) > 0 {
		return spans[0].from, nil
	}
	if err == nil || errors.Is(err, reader.ErrNoTime) { // there may be times in what comes
		_, next, err := r.bounds()
		return next, err
	}
	return 0, err
}

// skipFrom says that records in front of spans are not asked for.
func (a *app) skipFrom(spans []span) {
	if a.skip != nil && len(spans) > 0 {
		a.skip.from = spans[0].from
	}
}

// joined is what there is of one span after the other.
func joined[S, T any](spans []S, of func(S) iter.Seq2[T, error]) iter.Seq2[T, error] {
	if len(spans) == 1 {
		return of(spans[0])
	}
	return func(yield func(T, error) bool) {
		for _, s := range spans {
			for rec, err := range of(s) {
				if !yield(rec, err) || err != nil {
					return
				}
			}
		}
	}
}

// backward are the records of spans, the last first.
func (r *resolver) backward(spans []span) iter.Seq2[reader.Record, error] {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s span) bool { return s.from == s.to })
	slices.Reverse(spans)
	return joined(spans, func(s span) iter.Seq2[reader.Record, error] { return downTo(r.log.Backward(s.to), s.from) })
}

// lastOf is what is left of spans when only the last n records are wanted.
func lastOf(spans []span, n uint64) []span {
	for i := len(spans) - 1; i >= 0; i-- {
		size := spans[i].to - spans[i].from
		if size >= n {
			spans[i].from = spans[i].to - n
			return spans[i:]
		}
		n -= size
	}
	return spans
}

// heldBy is how many records spans hold.
func heldBy(spans []span) (n uint64) {
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}

// holds reports whether an offset lies in one of spans.
func holds(spans []span, offset uint64) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].to > offset })
	return i < len(spans) && spans[i].from <= offset
}

// timely are the records that are wanted by time, of a sequence that goes on for as
// long as the log does. A record without a time goes with the one before it in its
// partition; nothing is known of those in front, which are taken.
func timely(want *reader.TimeRange, records stream) stream {
	if want == nil {
		return records
	}
	return func(yield func(topic.Record, error) bool) {
		out := map[int]bool{}
		for rec, err := range records {
			if err == nil {
				if at, ok := jsonl.Time(rec.Data, want.Field); ok {
					out[rec.ID.Partition] = !want.Holds(at)
				}
				if out[rec.ID.Partition] {
					continue
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
