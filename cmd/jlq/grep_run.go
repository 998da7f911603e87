package main

import (
	"context"
	"iter"

	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// grepRun is the search of one log.
type grepRun struct {
	*grepCommand
	name     string
	whole    bool // it is all of a topic
	view     *view
	selected uint64
	around   walking
	line     []byte
	failed   error // of printing
}

func (r *grepRun) start(v *view) {
	r.view = v
	r.around = walking{around: r.size(), limit: -1, gap: r.gap, yield: r.emit}
}

// fromTopic implements [source].
func (r *grepRun) fromTopic(v *view, t *topicView) error {
	defer v.showReading(v.name, &r.pickFlags, t.size, r.tells())()
	r.start(v)
	r.whole = true
	opts := t.opts
	opts.Backward = r.reverse
	var err error
	if opts.Spans, err = t.spans(r.offsets.offsets); err != nil {
		return err
	}
	return r.each(t.ctx, t.rows(t.t.Records(&opts)))
}

// fromLog implements [source].
func (r *grepRun) fromLog(v *view, log *resolver) error {
	defer v.showReading(v.name, &r.pickFlags, log.size, r.tells())()
	r.start(v)
	r.complain(named(v.name, log.dropped(r.offsets.offsets)))
	switch {
	case r.reverse:
		records, err := v.inRangeBack(log, r.offsets.offsets)
		if err != nil {
			return err
		}
		return r.each(log.ctx, v.rows(records))
	case r.inBlocks():
		pieces, err := v.piecesIn(log)
		if err != nil {
			return err
		}
		return r.blocks(log.ctx, pieces)
	}
	records, err := r.records(v, log)
	if err != nil {
		return err
	}
	return r.each(log.ctx, records)
}

// records are those of the range, with their offsets where they are printed.
func (r *grepRun) records(v *view, log *resolver) (stream, error) {
	if !r.numbers() {
		records, err := log.records(r.offsets.offsets)
		return v.rows(records), err
	}
	spans, err := log.spans(r.offsets.offsets)
	return v.rows(joined(spans, func(s span) iter.Seq2[reader.Record, error] { return left(log.log, s) })), err
}

// inBlocks reports whether nothing has to see one record at a time before it is
// selected.
func (r *grepRun) inBlocks() bool {
	v := r.view
	return v.where == nil && r.skip == nil && len(v.choose) == 0 && len(v.shape) == 0 && r.stored() && (r.numbers() || r.offsets.from.kind != atLast)
}

// stored reports whether lines are printed, rather than what a format makes of
// them.
func (r *grepRun) stored() bool {
	f := &r.format
	return (f.format == "" || f.format == "raw") && f.fields == ""
}

// each selects among records that come one by one.
func (r *grepRun) each(ctx context.Context, records stream) error {
	v := r.view
	if r.reshaped() && !r.tells() {
		v.choose, v.limit = append(v.choose, r.selecting), -1
		return v.print(ctx, records)
	}
	records = v.kept(records)
	if v.where != nil {
		records = v.where.rows(records)
	}
	for _, s := range v.choose {
		records = s(records)
	}
	err := r.feed(ctx, records)
	if v.where != nil {
		err = v.where.outcome(err)
	}
	return err
}

// reshaped reports whether something else is made of the records.
func (r *grepRun) reshaped() bool {
	v := r.view
	return len(v.shape) > 0 || v.where != nil && v.where.jq != nil
}

// selecting is the step that leaves the selected records, as many as there is need
// of, and those around them.
func (r *grepRun) selecting(records stream) stream {
	return r.size().walk(records, func(rec topic.Record) (bool, error) {
		selected := r.wantsMore() && r.matcher.Selects(rec.Data)
		if selected {
			r.selected++
		}
		return selected, nil
	}, r.enough(), func() {}) // a line between them would be no result
}

// size is how many records are printed around each selected one.
func (r *grepRun) size() around {
	return around{before: uint64(max(r.before, 0)), after: uint64(max(r.after, 0))}
}

// wantsMore reports whether there is need of another selected record.
func (r *grepRun) wantsMore() bool {
	most := r.enough()
	return most < 0 || int64(r.selected) < most
}

// feed takes records until there is enough.
func (r *grepRun) feed(ctx context.Context, records stream) error {
	if r.enough() == 0 {
		return nil
	}
	for rec, err := range records {
		if err != nil {
			return err
		}
		done, err := r.take(rec, r.matcher.Selects(rec.Data))
		if err != nil {
			return err
		}
		if done {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return r.view.printer.done()
}

// take takes the next record and prints what has to be printed by now. It is
// done when nothing that follows is printed.
func (r *grepRun) take(rec topic.Record, selected bool) (done bool, err error) {
	if selected = selected && r.wantsMore(); selected {
		r.selected++
	}
	if r.tells() {
		return !r.wantsMore(), nil
	}
	r.around.take(rec, selected)
	return !r.wantsMore() && r.around.left == 0, r.failed
}

// gap prints the line between records that do not follow each other, where there may
// be such.
func (r *grepRun) gap() {
	if (r.before >= 0 || r.after >= 0) && r.stored() {
		_, r.failed = r.out.Write(r.appendGap(nil))
	}
}

// emit prints one record, and reports whether it could.
func (r *grepRun) emit(rec topic.Record, selected bool) bool {
	switch {
	case r.failed != nil:
	case r.stored():
		r.line = r.appendRecord(r.line[:0], rec, selected)
		_, r.failed = r.out.Write(r.line)
	default:
		r.failed = r.view.printer.print(rec)
	}
	return r.failed == nil
}
