package main

import (
	"context"
	"errors"

	"example.com/jlq/internal/format"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// badReports is how many bad records are told one by one.
const badReports = 20

// printer prints records.
type printer struct {
	app     *app
	name    string // of the log
	layout  *format.Layout
	checked bool // all records were found to be JSON before
	halts   bool // a record that is not JSON ends it: --on-bad fail was asked for
	buf     []byte
	bad     int
	unmet   unmet
}

// newPrinter makes a printer; what else there is to say about it than flags is
// in opts.
func (a *app) newPrinter(name string, f *formatFlags, opts format.Options) (*printer, error) {
	p := &printer{app: a, name: name}
	opts.Extra = func(text string) { a.report("%s: %s", p.name, text) }
	var err error
	p.layout, err = a.layout(f, opts)
	return p, err
}

// raw reports whether the stored lines are printed as they are.
func (p *printer) raw() bool { return p.layout.Raw() }

// print prints one record, or tells why it cannot be shown in this format.
// The error is that of stdout, or about a record that ends the command.
func (p *printer) print(rec topic.Record) error {
	if err := p.shape(rec); err != nil {
		return p.refuse(rec.Record, err)
	}
	return p.write()
}

// shape lays out a record for write.
func (p *printer) shape(rec topic.Record) (err error) {
	p.buf, err = p.layout.Append(p.buf[:0], &format.Record{
		Topic: rec.ID.Topic, Partition: rec.ID.Partition, Offset: rec.Offset, Position: rec.Position, Data: rec.Data, Checked: p.checked,
	})
	if err == nil {
		p.unmet.look(p, rec.Data)
	}
	return err
}

func (p *printer) write() error { return p.app.out.WriteLine(p.buf, "") }

// refuse takes a record that the format cannot show. What --on-bad says is about
// those that are not JSON; csv does not show other things than objects either.
func (p *printer) refuse(rec reader.Record, err error) error {
	_, invalid := errors.AsType[*jsonl.SyntaxError](err)
	switch {
	case invalid && p.halts:
		return notJSON(p.name, rec, err)
	case invalid && p.app.skip != nil:
		p.app.skip.notJSON(rec)
		return nil
	}
	p.bad++
	if p.bad > badReports {
		return nil
	}
	where := "offset unknown"
	if rec.Offset != reader.UnknownOffset {
		where = "offset " + uintText(rec.Offset)
	}
	p.app.report("%s: %s: not shown: %v", p.name, where, err)
	return nil
}

// all prints records until ctx ends.
func (p *printer) all(ctx context.Context, records stream) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		if err := p.print(rec); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return p.done()
}

// done is the outcome of having printed everything.
func (p *printer) done() error {
	p.buf = p.layout.Heading(p.buf[:0])
	if err := p.write(); err != nil {
		return err
	}
	p.unmet.tell(p)
	if p.bad == 0 {
		return nil
	}
	if p.bad > badReports {
		p.app.report("%s: %d records were not shown", p.name, p.bad)
	}
	return silent(exitInvalid)
}
