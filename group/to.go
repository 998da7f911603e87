package group

import (
	"context"
	"fmt"
	"time"

	"example.com/jlq/reader"
)

// To is a place in a partition where a group begins or is set to. The zero To
// is the start.
type To struct {
	kind   toKind
	offset uint64
	by     int64
	time   time.Time
	field  string
}

type toKind int

const (
	toStart toKind = iota
	toEnd
	toOffset
	toTime
	toBy
	toLast
)

// ToStart is the first record that is kept.
func ToStart() To { return To{} }

// ToEnd is behind the last record.
func ToEnd() To { return To{kind: toEnd} }

// ToOffset is the record of that number.
func ToOffset(offset uint64) To { return To{kind: toOffset, offset: offset} }

// ToTime is the first record whose time is t or later, by the field of
// records that is named; "" finds the field.
func ToTime(t time.Time, field string) To { return To{kind: toTime, time: t, field: field} }

// ToBy is n records after the committed offset, or before it where n is
// negative, as far as there are any.
func ToBy(n int64) To { return To{kind: toBy, by: n} }

// ToLast is n records before the end, as far as there are so many.
func ToLast(n uint64) To { return To{kind: toLast, offset: n} }

// String says where, for people.
func (to To) String() string {
	switch to.kind {
	case toEnd:
		return "the end"
	case toOffset:
		return fmt.Sprintf("offset %d", to.offset)
	case toTime:
		return to.time.Format(time.RFC3339Nano)
	case toBy:
		return fmt.Sprintf("%+d records", to.by)
	case toLast:
		return fmt.Sprintf("the last %d records", to.offset)
	}
	return "the start"
}

// resolve finds the offset in a log, from committed, which [ToBy] alone asks
// for. An offset that the log does not reach is a [*reader.RangeError]'s
// equal here, a [*TruncatedError] later: so it is refused at once.
func (to To) resolve(ctx context.Context, log *reader.Log, committed uint64) (uint64, error) {
	start, next, err := log.Bounds(ctx)
	if err != nil {
		return 0, err
	}
	switch to.kind {
	case toEnd:
		return next, nil
	case toTime:
		return log.OffsetAt(ctx, to.time, to.field)
	case toOffset:
		if to.offset < start || to.offset > next {
			return 0, &RangeError{Offset: to.offset, Start: start, Next: next}
		}
		return to.offset, nil
	case toBy:
		return moved(committed, to.by, start, next), nil
	case toLast:
		return next - min(to.offset, next-start), nil
	}
	return start, nil
}

// moved is from + by, within [start, next].
func moved(from uint64, by int64, start, next uint64) uint64 {
	from = min(max(from, start), next)
	if by < 0 {
		return from - min(uint64(-by), from-start) // −MinInt64 is itself, and as uint64 what it should be
	}
	return from + min(uint64(by), next-from)
}
