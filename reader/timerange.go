package reader

import (
	"context"
	"time"
)

// TimeRange says which records are wanted by their times: those from Since on,
// and before Until. The zero time is no bound.
type TimeRange struct {
	Since, Until time.Time

	// Field is the field with the time of a record; "" is the first of ts, time,
	// timestamp and @timestamp that parses.
	Field string

	// Slack is how many places a record may lie behind the first one that has a
	// later time. 0 is 2,048, which no record does that is at most 1,024 places
	// from where its time belongs.
	Slack uint64

	// SlackTime is how much earlier than the latest record before it a record
	// may be. Where it is not 0, it takes the place of Slack.
	SlackTime time.Duration
}

// Holds reports whether a record of that time is wanted.
func (r *TimeRange) Holds(t time.Time) bool {
	return (r.Since.IsZero() || !t.Before(r.Since)) && (r.Until.IsZero() || t.Before(r.Until))
}

// Span is a half-open range of offsets.
type Span struct{ From, To uint64 }

// Between returns where the records of a range of times lie: exactly those, as
// long as none is later than r allows. In a log whose times ascend it is one
// span. A record without a time is taken to have that of the one before it; those
// in front of all times count as earlier. The ends are found by binary search, and
// as many records are looked at there as may be late. As [Log.OffsetAt], it returns
// [ErrNoTime] where no record has a time.
func (l *Log) Between(ctx context.Context, r *TimeRange) ([]Span, error) {
	start, next, err := l.Bounds(ctx)
	if err != nil || start == next {
		return nil, err
	}
	c := &timeChooser{want: r}
	c.s = timeSearch{log: l, ctx: ctx, field: r.Field, slack: r.Slack, start: start, next: next}
	if r.Slack == 0 {
		c.s.slack = maxLate
	}
	if err := c.s.mustHaveTimes(); err != nil {
		return nil, err
	}
	return c.spans()
}

// timeChooser puts together the spans of a range of times.
type timeChooser struct {
	s     timeSearch
	want  *TimeRange
	in    bool // the last record that has a time is wanted
	found []Span
}

func (c *timeChooser) spans() ([]Span, error) {
	at, end := c.s.start, c.s.next
	var err error
	if since := c.want.Since; since.IsZero() {
		c.in = true
	} else if at, err = c.edge(since); err == nil {
		at, err = c.cross(since, at, at)
	}
	if until := c.want.Until; err == nil && !until.IsZero() {
		if end, err = c.edge(until); err == nil {
			c.add(at, end)
			_, err = c.cross(until, max(at, end), end)
		}
		return c.found, err
	}
	c.add(at, end)
	return c.found, err
}

// edge returns an offset before which all records are earlier than t.
func (c *timeChooser) edge(t time.Time) (uint64, error) {
	if d := c.want.SlackTime; d > 0 {
		return c.s.low(t.Add(-d))
	}
	return c.s.find(t)
}

// cross chooses record by record from offset at on, as long as there may be some
// on either side of t, which begin at edge, and returns the offset behind them.
func (c *timeChooser) cross(t time.Time, at, edge uint64) (uint64, error) {
	end := c.s.next
	settled := t.Add(c.want.SlackTime)
	if c.want.SlackTime == 0 {
		end = edge + min(c.s.slack+1, end-edge)
	}
	next := at
	for rec, err := range c.s.log.sequenceSkipping(at, end, true, c.s.log.quietSkip()) {
		if err == nil && c.s.ctx.Err() != nil {
			err = context.Cause(c.s.ctx)
		}
		if err != nil {
			return next, err
		}
		next = rec.Offset + 1
		stamp, ok := c.s.stampOf(rec)
		if ok {
			c.in = c.want.Holds(stamp)
		}
		if c.in {
			c.add(rec.Offset, next)
		}
		if ok && c.want.SlackTime > 0 && !stamp.Before(settled) {
			return next, nil
		}
	}
	return max(at, end), nil
}

// add takes the records of [from, to), which lie behind those that were taken.
func (c *timeChooser) add(from, to uint64) {
	if from >= to {
		return
	}
	if last := len(c.found) - 1; last >= 0 && c.found[last].To == from {
		c.found[last].To = to
		return
	}
	c.found = append(c.found, Span{from, to})
}
