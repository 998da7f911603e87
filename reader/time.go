package reader

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/jlq/internal/jsonl"
)

// ErrNoTime is returned by [Log.OffsetAt] where the records have no time.
var ErrNoTime = errors.New("no record has a time")

const (
	// maxDisplaced is how far a record may lie from its place in the order
	// of time for OffsetAt to be exact. What a binary search finds is off by
	// that much at most, and so is the first record that is late.
	maxDisplaced = 1024

	// neighbours is how many records on either side of a probe are asked
	// where it has no time.
	neighbours = 256

	// samples is how many places are asked before a log is said to have no
	// times at all.
	samples = 64
)

// timeFields is what jsonl.Time tries for the field "".
var timeFields = []string{"ts", "time", "timestamp", "@timestamp"}

// OffsetAt returns the offset of the first record whose time is t or later,
// and the high watermark where all are earlier. The time is that of the named
// field, or, for "", of the first of ts, time, timestamp and @timestamp that
// parses. It is found by binary search and by looking at the 2,048 records
// before what that finds, and so is exact as long as no record lies more than
// 1,024 places from where its time belongs. Records without a time are passed
// over; where none has one the error is [ErrNoTime].
func (l *Log) OffsetAt(ctx context.Context, t time.Time, field string) (uint64, error) {
	start, next, err := l.Bounds(ctx)
	if err != nil {
		return 0, err
	}
	s := &timeSearch{log: l, ctx: ctx, field: field, start: start, next: next}
	return s.find(t)
}

type timeSearch struct {
	log         *Log
	ctx         context.Context
	field       string
	start, next uint64
}

// stamp is a record that has a time.
type stamp struct {
	offset uint64
	time   time.Time
}

func (s *timeSearch) find(t time.Time) (uint64, error) {
	if s.start == s.next {
		return s.next, nil
	}
	if err := s.mustHaveTimes(); err != nil {
		return 0, err
	}
	// Below low, as far as the probes tell, times are before t; from high
	// on, they are not.
	low, high := s.start, s.next
	for low < high {
		mid := low + (high-low)/2
		at, ok, err := s.near(mid, low, high)
		switch {
		case err != nil:
			return 0, err
		case ok && !at.time.Before(t):
			high = min(mid, at.offset)
		case ok && at.offset >= mid:
			low = at.offset + 1
		case high-mid <= neighbours:
			low = high // none of [mid, high) has a time
		case ok:
			low = at.offset + 1
		default:
			// Too many without a time: the rest is read in order.
			return s.first(t, low)
		}
	}
	return s.first(t, low)
}

// first returns the first offset whose time is t or later, looking from as far
// before low as a late record may lie.
func (s *timeSearch) first(t time.Time, low uint64) (uint64, error) {
	from := max(s.start, low-min(low, 2*maxDisplaced))
	at, ok, err := s.stamped(from, s.next, func(st stamp) bool { return !st.time.Before(t) })
	if err != nil || ok {
		return at.offset, err
	}
	return s.next, nil
}

// near returns the record at mid or, where that has no time, the nearest one
// behind it, or else the nearest one before it, within [low, high).
func (s *timeSearch) near(mid, low, high uint64) (stamp, bool, error) {
	at, ok, err := s.stamped(mid, min(high, mid+neighbours), whatever)
	if ok || err != nil {
		return at, ok, err
	}
	var last stamp
	_, _, err = s.stamped(max(low, mid-min(mid, neighbours)), mid, func(st stamp) bool {
		last, ok = st, true
		return false
	})
	return last, ok, err
}

func whatever(stamp) bool { return true }

// stamped returns the first record of [from, to) that has a time and that is
// wanted.
func (s *timeSearch) stamped(from, to uint64, wanted func(stamp) bool) (stamp, bool, error) {
	for rec, err := range s.log.Range(from, to) {
		if err == nil && s.ctx.Err() != nil {
			err = context.Cause(s.ctx)
		}
		if err != nil {
			return stamp{}, false, err
		}
		if t, ok := jsonl.Time(rec.Data, s.field); ok {
			if at := (stamp{rec.Offset, t}); wanted(at) {
				return at, true, nil
			}
		}
	}
	return stamp{}, false, nil
}

// mustHaveTimes looks at records spread over the log, so that a misspelt field
// is an error at once and not after reading everything.
func (s *timeSearch) mustHaveTimes() error {
	step := max(1, (s.next-s.start)/samples)
	for at := s.start; at < s.next; at += step {
		n := min(step, max(1, neighbours/8), s.next-at)
		if at == s.start {
			n = min(neighbours, s.next-at)
		}
		_, ok, err := s.stamped(at, at+n, whatever)
		if ok || err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %w: looked for %s", s.log.place.Path, ErrNoTime, s.fieldNames())
}

func (s *timeSearch) fieldNames() string {
	if s.field != "" {
		return fmt.Sprintf("%q", s.field)
	}
	return strings.Join(timeFields, ", ")
}
