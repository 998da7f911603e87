package reader

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"time"

	"example.com/jlq/internal/jsonl"
)

// bisectBytes is how many bytes are read in order rather than halved.
const bisectBytes = 64 << 10

// BetweenPositions returns where the records of a range of times lie in a bare file,
// as [Log.Between] does, but by halving its bytes: no line is counted, so it takes
// as long for 200 GB as for one.
func (l *Log) BetweenPositions(ctx context.Context, r *TimeRange) ([]Stretch, error) {
	src, size, err := l.bareEnd()
	if err != nil {
		return nil, err
	}
	defer l.pool.release(src)
	b := &bisector{ctx: ctx, log: l, src: src, size: size, want: r, slack: r.Slack}
	if r.Slack == 0 {
		b.slack = maxLate
	}
	return b.stretches()
}

// bisector looks for times by position.
type bisector struct {
	ctx   context.Context
	log   *Log
	src   *source
	size  int64
	want  *TimeRange
	slack uint64

	in    bool // the last record that has a time is wanted
	found []Stretch
}

func (b *bisector) stretches() ([]Stretch, error) {
	if b.size == 0 {
		return nil, nil
	}
	if err := b.mustHaveTimes(); err != nil {
		return nil, err
	}
	var at, end int64 = 0, b.size
	var err error
	if since := b.want.Since; since.IsZero() {
		b.in = true
	} else if at, err = b.edge(since); err == nil {
		at, err = b.cross(since, at)
	}
	if until := b.want.Until; err == nil && !until.IsZero() {
		if end, err = b.edge(until); err == nil {
			b.add(at, end)
			_, err = b.cross(until, max(at, end))
		}
	} else if err == nil {
		b.add(at, end)
	}
	return b.found, err
}

// mustHaveTimes looks at records spread over the file, so that a misspelt field is
// an error at once and not after reading everything.
func (b *bisector) mustHaveTimes() error {
	step := max(bisectBytes, b.size/samples)
	for at := int64(0); at < b.size; at += step {
		start, most := int64(0), neighbours
		if at > 0 {
			var err error
			if start, err = b.log.lineEnd(b.ctx, b.src, at, b.size); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			most = neighbours / 8
		}
		_, ok, err := b.stamped(start, b.size, most, func(time.Time) bool { return true })
		if ok || err != nil {
			return err
		}
	}
	return b.log.noTime(b.want.Field)
}

// edge returns the start of a line before which all records are earlier than t.
func (b *bisector) edge(t time.Time) (int64, error) {
	if d := b.want.SlackTime; d > 0 {
		return b.low(t.Add(-d))
	}
	low, err := b.low(t)
	if err != nil {
		return 0, err
	}
	from, err := b.log.lineStart(b.src, low, 0, b.slack+1)
	if err != nil {
		return 0, err
	}
	at, ok, err := b.stamped(from, b.size, math.MaxInt, func(at time.Time) bool { return !at.Before(t) })
	if !ok {
		at.From = b.size
	}
	return at.From, err
}

// low returns the start of a line such that the record with a time before it is
// earlier than t.
func (b *bisector) low(t time.Time) (int64, error) {
	low, high := int64(0), b.size
	for high-low > bisectBytes {
		mid := low + (high-low)/2
		start, err := b.log.lineEnd(b.ctx, b.src, mid, high)
		if errors.Is(err, io.EOF) {
			high = mid // no line begins behind it
			continue
		}
		if err != nil {
			return 0, err
		}
		var stamp time.Time
		line, ok, err := b.stamped(start, high, math.MaxInt, func(at time.Time) bool { stamp = at; return true })
		switch {
		case err != nil:
			return 0, err
		case ok && stamp.Before(t):
			low = line.To
		default:
			high = mid
		}
	}
	return low, nil
}

// records are those of [from, to), until the search is given up. What cannot be
// read is passed over in silence where Options.Skip says so: nobody asked for it.
func (b *bisector) records(from, to int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for rec, err := range b.log.recordsAt(Stretch{from, to}, b.log.quietSkip()) {
			if err == nil && b.ctx.Err() != nil {
				rec, err = Record{}, context.Cause(b.ctx)
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// stamped returns the first of most lines of [from, to) that has a time and that is
// wanted.
func (b *bisector) stamped(from, to int64, most int, wanted func(time.Time) bool) (line Stretch, ok bool, err error) {
	for rec, err := range b.records(from, to) {
		if err != nil {
			return line, false, err
		}
		t, ok := jsonl.Time(rec.Data, b.want.Field)
		if ok && wanted(t) {
			return lineOf(rec, b.size), true, nil
		}
		if most--; most == 0 {
			break
		}
	}
	return line, false, nil
}

// cross chooses record by record from position at on, as long as there may be some
// on either side of t, and returns the position behind them.
func (b *bisector) cross(t time.Time, at int64) (int64, error) {
	settled := t.Add(b.want.SlackTime)
	lines := uint64(0)
	for rec, err := range b.records(at, b.size) {
		if err != nil {
			return at, err
		}
		line := lineOf(rec, b.size)
		stamp, ok := jsonl.Time(rec.Data, b.want.Field)
		if ok {
			b.in = b.want.Holds(stamp)
		}
		if b.in {
			b.add(line.From, line.To)
		}
		at = line.To
		if lines++; b.want.SlackTime == 0 && lines > b.slack {
			return at, nil
		}
		if ok && b.want.SlackTime > 0 && !stamp.Before(settled) {
			return at, nil
		}
	}
	return at, nil
}

// lineOf is where a record and its newline lie.
func lineOf(rec Record, size int64) Stretch {
	return Stretch{rec.Position, min(rec.Position+int64(len(rec.Data))+1, size)}
}

// add takes the lines of [from, to), which lie behind those that were taken.
func (b *bisector) add(from, to int64) {
	if from >= to {
		return
	}
	if last := len(b.found) - 1; last >= 0 && b.found[last].To == from {
		b.found[last].To = to
		return
	}
	b.found = append(b.found, Stretch{from, to})
}
