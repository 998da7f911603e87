package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/format"
	groups "example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// What a command that prints records does is a line of steps:
//
//	source → kept → where → choose → limit → shape → printer
//
// The source is the command's own: a range, backwards, the last records, a log
// that is followed. Kept leaves out what --on-bad skip leaves out, where what the
// filter is not true of, limit what is more than -n. Steps of choose see each
// record that the filter chose and count towards -n; those of shape see what is
// left and may make other records, or several, of each. A new flag of all such
// commands is a field of viewFlags, a line in its add, and a stage that
// viewFlags.stages adds where the flag is given.

// stream is records on their way to the printer, each with its id. Their Data is
// valid until the next one.
type stream = iter.Seq2[topic.Record, error]

// stage is a step on the way.
type stage func(stream) stream

// pickFlags say which records a command is about.
type pickFlags struct {
	readFlags
	offsets offsetsFlag
	order   orderFlags
	times   timeFlags
	expr    whereFlag
}

// add adds them, but for those that only some commands have: order and expr.
func (f *pickFlags) add(cmd *cobra.Command, aboutOffsets string) {
	f.readFlags.add(cmd)
	f.onBad.add(cmd)
	f.offsets.add(cmd, aboutOffsets)
	f.times.add(cmd)
	f.order.field.add(cmd, "time-field", timeFieldHelp)
}

// resolver finds out what the flags are about in a log.
func (f *pickFlags) resolver(ctx context.Context, log *reader.Log) *resolver {
	return &resolver{ctx: ctx, log: log, times: *f.times.want(f.order.field), want: f.wanted()}
}

// wanted is the range of times that records are wanted of; nil is all times.
func (f *pickFlags) wanted() *reader.TimeRange {
	if !f.times.given() {
		return nil
	}
	return f.times.want(f.order.field)
}

// viewFlags are those of the commands that print records: which, how many, and
// how.
type viewFlags struct {
	pickFlags
	format formatFlags
	limit  countFlag
	jq     jqFlags
	pager  pagerFlag

	step    stepFlag     // of the commands that add it
	context contextFlags // the same
}

// add adds them, but for expr, which is an argument of filter.
func (f *viewFlags) add(cmd *cobra.Command, aboutOffsets, aboutNumber string) {
	f.pickFlags.add(cmd, aboutOffsets)
	f.order.add(cmd)
	f.format.add(cmd)
	f.jq.add(cmd)
	f.pager.add(cmd)
	cmd.Flags().VarP(&f.limit, "number", "n", aboutNumber)
}

// stages adds the steps that flags ask for.
func (f *viewFlags) stages(v *view) error {
	if f.step > 1 {
		v.choose = append(v.choose, f.step.every)
	}
	return f.context.apply(v)
}

// source is where the records of a command come from.
type source interface {
	fromLog(v *view, r *resolver) error
	fromTopic(v *view, t *topicView) error
}

// view is one run of a command that prints records.
type view struct {
	*app
	*viewFlags
	name    string // of the log
	where   *where // nil: every record
	printer *printer
	limit   int64    // -n, where it is one
	from    uint64   // records below are only what lies around others
	id      topic.ID // of the log's partition
	choose  []stage
	shape   []stage
}

// show runs a command that prints records of path.
func (a *app) show(cmd *cobra.Command, f *viewFlags, path string, src source) (err error) {
	v := &view{app: a, viewFlags: f, name: path, limit: int64(f.limit)}
	if v.where, err = a.newWhere(cmd, path, string(f.expr)); err == nil {
		err = f.jq.apply(cmd, v)
	}
	f.readFlags.lenient = v.where
	if err == nil {
		err = f.stages(v)
	}
	if err != nil {
		return err
	}
	v.printer, err = a.newPrinter(path, &f.format, format.Options{TimeField: string(f.order.field), Zone: f.times.zone.Location, Human: true})
	if err != nil {
		return err
	}
	v.printer.halts = cmd.Flags().Changed("on-bad") && f.onBad.value == "fail"
	a.paginate(string(f.pager))
	return a.pick(cmd, &f.pickFlags, path, func(path string) {
		v.name, v.printer.name = path, path
	}, func(t *topicView) error {
		v.trust(t.trusted())
		return src.fromTopic(v, t)
	}, func(r *resolver) error {
		v.about(r.log)
		return src.fromLog(v, r)
	})
}

// pick opens what path is, a topic or one log, after it said which to named.
func (a *app) pick(cmd *cobra.Command, f *pickFlags, path string, named func(string), whole func(*topicView) error, one func(*resolver) error) error {
	if err := f.times.check(cmd); err != nil {
		return err
	}
	path, isTopic, err := within(path, f.offsets.in)
	if err != nil {
		return err
	}
	named(path)
	if isTopic {
		return a.withTopic(cmd.Context(), path, f.readFlags, f.order, func(v *topicView) error {
			v.pick = f
			return whole(v)
		})
	}
	return a.withLog(cmd.Context(), path, f.readFlags, func(log *reader.Log) error {
		return one(f.resolver(cmd.Context(), log))
	})
}

// about takes what is to be known of the one log that is read.
func (v *view) about(log *reader.Log) {
	v.trust(trusted(log))
	v.id = partitionOf(log)
}

// trust takes whether all records were checked when they were stored.
func (v *view) trust(checked bool) {
	// What a filter is true of is JSON, what a program says is none.
	v.printer.checked = (checked || v.where != nil) && !v.jq.plain
	if v.where != nil {
		v.where.checked = checked
	}
}

// partitionOf names the partition that a log is. One that is in no topic, or
// about which that is not to be found out, is partition 0.
func partitionOf(log *reader.Log) topic.ID {
	place, err := groups.Locate(vfs.OS, log.Place().Path)
	if err != nil {
		return topic.ID{}
	}
	return topic.ID{Topic: place.Topic, Partition: max(place.Partition, 0)}
}

// direct reports whether the chosen lines are printed as they are stored, so
// that nothing has to see one record at a time.
func (v *view) direct() bool {
	return v.printer.raw() && v.plain()
}

// plain reports whether nothing stands between the filter and the printer.
func (v *view) plain() bool {
	return !v.context.given() && (v.where == nil || v.where.jq == nil) && len(v.choose) == 0 && len(v.shape) == 0
}

// numbered reports whether offsets are asked for, by what is printed or by a
// program, so that they have to be found out where that takes time.
func (v *view) numbered() bool {
	return v.printer.layout.Offsets() || v.where != nil && v.where.jq != nil && v.where.jq.program.Numbered()
}

// rows are the records of the one log that is read.
func (v *view) rows(records iter.Seq2[reader.Record, error]) stream {
	return v.reading.rows(rowsOf(v.id, records))
}

// rowsOf are the records of the partition that id names.
func rowsOf(id topic.ID, records iter.Seq2[reader.Record, error]) stream {
	return func(yield func(topic.Record, error) bool) {
		row := topic.Record{ID: id}
		for rec, err := range records {
			row.Record, row.ID.Offset = rec, rec.Offset
			if !yield(row, err) {
				return
			}
		}
	}
}

// print prints what all steps leave of records.
func (v *view) print(ctx context.Context, records stream) error {
	records = v.kept(records)
	if v.where == nil {
		return v.printChosen(ctx, records)
	}
	if v.context.given() {
		records = v.aroundChosen(records)
	} else {
		records = v.where.rows(records)
	}
	return v.where.outcome(v.printChosen(ctx, records))
}

// printChosen prints records that were chosen before.
func (v *view) printChosen(ctx context.Context, records stream) error {
	for _, s := range v.choose {
		records = s(records)
	}
	if v.where != nil && v.where.jq != nil {
		records = v.where.jq.rows(ctx, records, v.limit)
	} else {
		records = limited(records, v.limit)
	}
	for _, s := range v.shape {
		records = s(records)
	}
	return v.printer.all(ctx, records)
}

// kept leaves out what --on-bad skip leaves out.
func (v *view) kept(records stream) stream {
	if v.app.skip == nil {
		return records
	}
	return func(yield func(topic.Record, error) bool) {
		for rec, err := range records {
			// The partitions of a topic have one skip each, that of rec by now.
			if err == nil && v.app.skip.leavesOut(rec.Record) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// limited ends with record number limit, before it looks for another; negative
// is no limit.
func limited(records stream, limit int64) stream {
	if limit < 0 {
		return records
	}
	return func(yield func(topic.Record, error) bool) {
		if limit == 0 {
			return
		}
		left := limit
		for rec, err := range records {
			if !yield(rec, err) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}
