package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"example.com/jlq/internal/inorder"
	"example.com/jlq/internal/program"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// jqRun prints what a program makes of records.
type jqRun struct {
	app     *app
	where   *where // it counts lines that are not JSON
	program *program.Program
	plain   bool
	failed  uint64 // records that the program failed on

	finder *program.Runner // of gives
	batch  jqBatch         // of one record after the other
}

// rows are the results for records, each with the id of its record. At most limit
// records are there that the program printed something for, or failed on; negative
// is no limit. Without one many records are worked on at once, unless a log is
// followed, or the program says something, which is to come in order.
func (j *jqRun) rows(ctx context.Context, records stream, limit int64) stream {
	if limit < 0 && !j.app.out.isLive() && !j.program.Speaks() {
		return j.parallel(ctx, records)
	}
	return func(yield func(topic.Record, error) bool) {
		if limit == 0 {
			return
		}
		for rec, err := range records {
			if err != nil {
				yield(topic.Record{}, err)
				return
			}
			j.batch.take(jqWork{run: j, rows: []topic.Record{rec}})
			before := j.where.matched + j.failed
			if !j.emit(ctx, &j.batch, yield) {
				return
			}
			if j.where.matched+j.failed > before && limit > 0 {
				if limit--; limit == 0 {
					return
				}
			}
		}
	}
}

// parallel is rows on all cores.
func (j *jqRun) parallel(ctx context.Context, records stream) stream {
	return func(yield func(topic.Record, error) bool) {
		for b := range inorder.Each(ctx, j.cut(records), jqStart) {
			if !j.emit(ctx, b, yield) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(topic.Record{}, context.Cause(ctx))
		}
	}
}

const (
	firstWork = 4 << 10   // bytes of records, so that the first results come soon
	mostWork  = 128 << 10 // bytes of records that one core works on
)

// cut copies records into parts for several goroutines. Each is twice as large as
// the one before, up to a limit.
func (j *jqRun) cut(records stream) iter.Seq[jqWork] {
	return func(yield func(jqWork) bool) {
		size := firstWork
		w := jqWork{run: j}
		for rec, err := range records {
			if err != nil {
				w.err = err
				break
			}
			w.add(rec)
			if len(w.data) < size {
				continue
			}
			if !yield(w) {
				return
			}
			size = min(2*size, mostWork)
			w = jqWork{run: j, data: make([]byte, 0, len(w.data)+len(w.data)/8), rows: make([]topic.Record, 0, len(w.rows)+8)}
		}
		if len(w.rows) > 0 || w.err != nil {
			yield(w)
		}
	}
}

// emit yields what came of a part, and works on while there is more. It reports
// whether to go on.
func (j *jqRun) emit(ctx context.Context, b *jqBatch, yield func(topic.Record, error) bool) bool {
	for {
		for _, e := range b.events {
			if more, err := j.tell(b, e, yield); err != nil {
				yield(topic.Record{}, err)
				return false
			} else if !more {
				return false
			}
		}
		if b.done() {
			break
		}
		b.work(ctx)
	}
	if b.err != nil {
		yield(topic.Record{}, b.err)
	}
	return b.err == nil
}

// tell passes on one thing that came of a record.
func (j *jqRun) tell(b *jqBatch, e jqEvent, yield func(topic.Record, error) bool) (more bool, err error) {
	rec := b.rows[e.row]
	var halt *program.Halt
	var failure *program.Failure
	switch {
	case e.err == nil:
		if e.first {
			j.where.matched++
		}
		rec.Data = b.text[e.start:e.end]
		return yield(rec, nil), nil
	case errors.As(e.err, &halt):
		return false, j.app.halted(j.where.name, rec, halt)
	case errors.As(e.err, &failure):
		return true, j.fails(rec, failure)
	default:
		err = e.err
		if refused(err) {
			err = j.where.refuse(rec.Record, int64(len(rec.Data)), err)
		}
	}
	return true, err
}

// recordText says which record is meant.
func recordText(rec topic.Record) string {
	if rec.ID.Topic != "" && rec.Offset != reader.UnknownOffset {
		return rec.ID.String()
	}
	if rec.Offset == reader.UnknownOffset {
		return "offset unknown"
	}
	return "offset " + uintText(rec.Offset)
}

// fails takes a record that the program failed on.
func (j *jqRun) fails(rec topic.Record, failure *program.Failure) error {
	if j.where.onBad == "fail" {
		return &codeError{exitInvalid, &usageError{fmt.Errorf("%s: %s: jq: %w", j.where.name, recordText(rec), failure), "? behind a part of the program leaves out what it fails on"}}
	}
	if j.failed++; j.failed <= badReports {
		j.app.report("%s: %s: jq: %v", j.where.name, recordText(rec), failure)
	}
	return nil
}

// halted ends the command because the program says so. The exit code that
// halt_error has unless it is given one means something else here.
func (a *app) halted(name string, rec topic.Record, halt *program.Halt) error {
	if halt.Text != "" {
		a.report("%s: %s: jq: %s", name, recordText(rec), halt.Text)
	}
	if halt.Code == 5 {
		return silent(exitInvalid)
	}
	return silent(halt.Code & 0xff)
}

// outcome is that of having run the program on every record.
func (j *jqRun) outcome() error {
	if j.failed > badReports {
		j.app.report("%s: jq failed on %s", j.where.name, recordsText(j.failed))
	}
	if j.failed > 0 {
		return silent(exitInvalid)
	}
	return nil
}

// gives reports whether the program prints something for a record, or fails on
// it. What is wrong is told when it is printed.
func (j *jqRun) gives(ctx context.Context, rec topic.Record) (given bool, err error) {
	if j.finder == nil {
		j.finder = j.program.Runner()
	}
	err = j.finder.Run(ctx, jqRecord(rec), func([]byte) bool {
		given = true
		return false
	})
	switch {
	case err == nil || ctx.Err() != nil:
		return given, err
	case refused(err):
		return false, j.where.refuse(rec.Record, int64(len(rec.Data)), err)
	}
	return true, nil
}

// jqRecord is a record as programs take it.
func jqRecord(rec topic.Record) program.Record {
	r := program.Record{Data: rec.Data, Offset: rec.Offset, Partition: rec.ID.Partition}
	if rec.Offset != reader.UnknownOffset {
		r.ID = rec.ID.String()
	}
	return r
}
