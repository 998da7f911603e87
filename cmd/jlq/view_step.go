package main

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// stepFlag is --step; 0 while it was not given.
type stepFlag uint64

func (f *stepFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "step", "print the first of every K records only; through the index the others are not read")
}

func (f *stepFlag) Type() string { return "K" }

func (f *stepFlag) String() string {
	if *f == 0 {
		return ""
	}
	return uintText(uint64(*f))
}

func (f *stepFlag) Set(text string) error {
	k, err := strconv.ParseUint(text, 10, 63)
	if err != nil || k == 0 {
		return errors.New("want a number, from 1 on")
	}
	*f = stepFlag(k)
	return nil
}

// every is the first of every K records.
func (f stepFlag) every(records stream) stream {
	return func(yield func(topic.Record, error) bool) {
		left := uint64(0)
		for rec, err := range records {
			if err == nil && left > 0 {
				left--
				continue
			}
			if left = uint64(f) - 1; !yield(rec, err) {
				return
			}
		}
	}
}

// farApart is the step from which on each record is read by itself: reading all
// that lie between costs more.
const farApart = 16

// strides reports whether --step can be done by reading no other records: where
// nothing has to look at them, and their places are known.
func (v *view) strides(r *resolver) bool {
	if v.step < farApart || len(v.choose) != 1 || v.where != nil && v.where.filter != nil || v.skip != nil || r.want != nil {
		return false
	}
	info := r.log.Info()
	return !info.Bare || info.HasIndex
}

// strided are the records of a span that the step comes to, from its first or, when
// reverse, from its last one on. Those that are larger than may be read are for
// lenient, where it is not nil.
func strided(ctx context.Context, log *reader.Log, s span, step uint64, reverse bool, lenient *where) iter.Seq2[reader.Record, error] {
	return func(yield func(reader.Record, error) bool) {
		var buf []byte
		for left := s.to - s.from; left > 0; left -= min(left, step) {
			offset := s.to - left
			if reverse {
				offset = s.from + left - 1
			}
			var err error
			if buf, err = log.GetInto(buf[:0], offset); err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if lenient.goesOn() && errors.Is(err, jsonl.ErrTooLarge) {
				lenient.addLarge(offset, -1, err)
				continue
			}
			if err != nil {
				yield(reader.Record{}, err)
				return
			}
			if !yield(reader.Record{Offset: offset, Data: buf}, nil) {
				return
			}
		}
	}
}

// stride prints the records of the range that the step comes to.
func (v *view) stride(r *resolver, reverse bool) error {
	s, err := r.span(v.offsets.offsets)
	if err == nil {
		s, err = r.clamp(s)
	}
	if err != nil {
		return err
	}
	v.choose = nil // which is the step alone
	return v.print(r.ctx, v.rows(strided(r.ctx, r.log, s, uint64(v.step), reverse, v.lenient)))
}
