package main

import (
	"context"
	"errors"
	"iter"

	"example.com/jlq/internal/segment"
	"example.com/jlq/reader"
)

// Retention may drop segments while a command reads. Who is inside one
// finishes it. A range that has not begun yet begins with what is left, as it
// would have a moment later; one that has begun ends with an error, because
// records that were asked for are missing in the middle; and who follows is
// told and goes on.

// gone returns the error about records that were dropped, if err is one.
func gone(err error) (*segment.RangeError, bool) {
	out, ok := errors.AsType[*segment.RangeError](err)
	return out, ok && out.Gone() > 0
}

// left reads a span from where the log begins by then.
func left(log *reader.Log, s span) iter.Seq2[reader.Record, error] {
	return func(yield func(reader.Record, error) bool) {
		for begun, again := false, true; again; {
			again = false
			for rec, err := range log.Range(s.from, s.to) {
				if out, dropped := gone(err); dropped && !begun {
					s.from, again = out.Start, true
					break
				}
				begun = true
				if !yield(rec, err) {
					return
				}
			}
		}
	}
}

// onward follows from what is left where records were dropped before they were
// read.
func (a *app) onward(ctx context.Context, log *reader.Log, records iter.Seq2[reader.Record, error]) iter.Seq2[reader.Record, error] {
	return func(yield func(reader.Record, error) bool) {
		for next := records; next != nil; {
			records, next = next, nil
			for rec, err := range records {
				if out, dropped := gone(err); dropped {
					a.report("%s: offsets %d to %d were dropped before they were read; going on with offset %d", log.Place().Path, out.Offset, out.Start-1, out.Start)
					next = log.Follow(ctx, out.Start)
					break
				}
				if !yield(rec, err) {
					return
				}
			}
		}
	}
}
