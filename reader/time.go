package reader

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// ErrNoTime is returned by [Log.OffsetAt] where the records have no time.
var ErrNoTime = errors.New("no record has a time")

const (
	// maxLate is how many places a record may lie behind the first one that has
	// a later time, for OffsetAt to be exact: what a binary search finds is off
	// by that much at most. Where no record is more than 1,024 places from where
	// its time belongs, none is later than this.
	maxLate = 2048

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
// 1,024 places from where its time belongs. Records without a time, and with
// Options.Skip those that cannot be read, are passed over; where none has one the
// error is [ErrNoTime]. A segment that is away is an error only where what is
// looked for may lie in it, or among the 2,048 records behind it.
func (l *Log) OffsetAt(ctx context.Context, t time.Time, field string) (uint64, error) {
	start, next, err := l.Bounds(ctx)
	if err != nil {
		return 0, err
	}
	s := &timeSearch{log: l, ctx: ctx, field: field, slack: maxLate, start: start, next: next}
	if start == next {
		return next, nil
	}
	if err := s.mustHaveTimes(); err != nil {
		return 0, err
	}
	return s.find(t)
}

type timeSearch struct {
	log         *Log
	ctx         context.Context
	field       string
	slack       uint64
	start, next uint64
}

// stamp is a record that has a time.
type stamp struct {
	offset uint64
	time   time.Time
}

// find returns the first offset whose time is t or later.
func (s *timeSearch) find(t time.Time) (uint64, error) {
	low, err := s.low(t)
	if err != nil {
		return 0, err
	}
	return s.first(t, low)
}

// low returns an offset such that a record before it is earlier than t, unless
// it is as late as a record may be: the one before it is. As a rule, and where
// none is late, it is the first one whose time is t or later.
func (s *timeSearch) low(t time.Time) (uint64, error) {
	// Below low, as far as the probes tell, times are before t; from high
	// on, they are not.
	low, high := s.start, s.next
	for low < high {
		mid := low + (high-low)/2
		at, ok, err := s.near(mid, low, high)
		if isAway(err) {
			if low, high, err = s.around(t, err, low, high); err == nil {
				continue
			}
		}
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
			return low, nil // too many without a time: the rest is read in order
		}
	}
	return low, nil
}

// first returns the first offset whose time is t or later, looking from as far
// before low as a late record may lie. As a rule it is low, at the latest.
func (s *timeSearch) first(t time.Time, low uint64) (uint64, error) {
	wanted := func(st stamp) bool { return !st.time.Before(t) }
	from := max(s.start, low-min(low, s.slack))
	for _, to := range []uint64{min(low+1, s.next), s.next} {
		at, ok, err := s.stamped(from, to, wanted)
		if err != nil || ok {
			return at.offset, err
		}
		from = to
	}
	return s.next, nil
}

// near returns the record at mid or, where that has no time, the nearest one
// behind it, or else the nearest one before it, within [low, high).
func (s *timeSearch) near(mid, low, high uint64) (stamp, bool, error) {
	for _, from := range []uint64{mid, mid + 1} { // as a rule, one record is all that is read
		to := mid + 1
		if from == to {
			to = min(high, mid+neighbours)
		}
		at, ok, err := s.stamped(from, to, whatever)
		if ok || err != nil {
			return at, ok, err
		}
	}
	var last stamp
	ok := false
	_, _, err := s.stamped(max(low, mid-min(mid, neighbours)), mid, func(st stamp) bool {
		last, ok = st, true
		return false
	})
	return last, ok, err
}

// around narrows [low, high) where a probe met a segment that is away, by the
// records on both sides of it. Where what is looked for lies between these, the
// segment is needed, and why is the error.
func (s *timeSearch) around(t time.Time, why error, low, high uint64) (uint64, uint64, error) {
	from, to := s.missing(why)
	if to < high {
		at, ok, err := s.near(to, max(low, to), high)
		if err != nil {
			return low, high, err
		}
		if ok && at.time.Before(t) {
			return at.offset + 1, high, nil
		}
	}
	if from > low {
		at, ok, err := s.near(from-1, low, from)
		if err != nil {
			return low, high, err
		}
		if ok && !at.time.Before(t) {
			return low, at.offset, nil
		}
	}
	return low, high, why
}

// missing returns the offsets that an error about a segment that is away is
// about: up to the next segment that is there.
func (s *timeSearch) missing(why error) (from, to uint64) {
	from = s.start
	if e, ok := errors.AsType[*segment.SegmentAwayError](why); ok {
		from = e.Base
	}
	for _, slot := range s.log.layout.Load().slots {
		if slot.Base > from {
			return from, slot.Base
		}
	}
	return from, s.next
}

func whatever(stamp) bool { return true }

// stamped returns the first record of [from, to) that has a time and that is
// wanted.
func (s *timeSearch) stamped(from, to uint64, wanted func(stamp) bool) (stamp, bool, error) {
	for rec, err := range s.log.sequenceSkipping(from, to, true, s.log.quietSkip()) {
		if err == nil && s.ctx.Err() != nil {
			err = context.Cause(s.ctx)
		}
		if err != nil {
			return stamp{}, false, err
		}
		if t, ok := s.stampOf(rec); ok {
			if at := (stamp{rec.Offset, t}); wanted(at) {
				return at, true, nil
			}
		}
	}
	return stamp{}, false, nil
}

// stampOf is the time of a record.
func (s *timeSearch) stampOf(rec Record) (time.Time, bool) { return jsonl.Time(rec.Data, s.field) }

// quietSkip is Options.Skip for a search, which comes to the same damage many times:
// nobody is told, because nobody asked for these records.
func (l *Log) quietSkip() func(Damage) error {
	quiet := func(Damage) error { return nil }
	switch {
	case l.opts.Skip != nil:
		return quiet
	case l.opts.SkipLarge != nil:
		return onlyLarge(quiet)
	}
	return nil
}

// mustHaveTimes looks at records spread over the log, so that a misspelt field
// is an error at once and not after reading everything.
func (s *timeSearch) mustHaveTimes() error {
	step := max(1, (s.next-s.start)/samples)
	var away error
	for at := s.start; at < s.next; at += step {
		n := min(step, max(1, neighbours/8), s.next-at)
		if at == s.start {
			n = min(neighbours, s.next-at)
		}
		_, ok, err := s.stamped(at, at+n, whatever)
		if isAway(err) { // there may be times elsewhere
			_, to := s.missing(err)
			at, away = max(at, to-min(to, step)), err
			continue
		}
		if ok || err != nil {
			return err
		}
	}
	if away != nil {
		return away
	}
	return s.log.noTime(s.field)
}

// noTime is [ErrNoTime] with where what was looked for.
func (l *Log) noTime(field string) error {
	names := strings.Join(timeFields, ", ")
	if field != "" {
		names = strconv.Quote(field)
	}
	return fmt.Errorf("%s: %w: looked for %s", l.place.Path, ErrNoTime, names)
}
