package main

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// badReports is how many bad records are told one by one.
const badReports = 20

// formatFlag is -F.
type formatFlag struct{ choice }

func (f *formatFlag) add(cmd *cobra.Command) {
	f.choice = newChoice("raw", "json", "pretty")
	cmd.Flags().VarP(f, "format", "F", "how records are printed: raw (the stored bytes), json (one compact value a line) or pretty (indented); colours only on a terminal and without NO_COLOR")
}

// printer prints records.
type printer struct {
	app     *app
	name    string // of the log
	format  string
	end     string // behind each record
	palette palette
	shaped  []byte
	shown   []byte
	bad     int
}

func (a *app) newPrinter(name string, f *formatFlag) *printer {
	p := &printer{app: a, name: name, format: f.value, end: "\n"}
	if a.out.tty {
		p.palette = terminalPalette()
	}
	return p
}

// raw reports whether the stored lines are printed as they are.
func (p *printer) raw() bool { return p.format == "raw" && !p.app.out.tty && p.end == "\n" }

// print prints one record, or tells why it cannot be shown in this format.
// The error is that of stdout.
func (p *printer) print(rec topic.Record) error {
	data, err := p.shape(rec.Record)
	if err != nil {
		p.refuse(rec.Record, err)
		return nil
	}
	if p.app.out.tty {
		data = p.show(data)
	}
	return p.app.out.WriteLine(data, p.end)
}

func (p *printer) shape(rec reader.Record) (shaped []byte, err error) {
	switch p.format {
	case "json":
		p.shaped, err = jsonl.Compact(p.shaped[:0], withoutMark(rec))
	case "pretty":
		p.shaped, err = jsonl.Indent(p.shaped[:0], withoutMark(rec), "  ")
	default:
		return rec.Data, nil
	}
	return p.shaped, err
}

// withoutMark is a record without the byte order mark of its file.
func withoutMark(rec reader.Record) []byte {
	if rec.Offset == 0 || rec.Offset == reader.UnknownOffset && rec.Position == 0 {
		return bytes.TrimPrefix(rec.Data, []byte(jsonl.BOM))
	}
	return rec.Data
}

func (p *printer) show(data []byte) []byte {
	if p.format == "raw" {
		p.shown = appendVisible(p.shown[:0], data)
	} else {
		p.shown = appendColored(p.shown[:0], data, p.palette)
	}
	return p.shown
}

func (p *printer) refuse(rec reader.Record, err error) {
	p.bad++
	if p.bad > badReports {
		return
	}
	where := "offset unknown"
	if rec.Offset != reader.UnknownOffset {
		where = "offset " + uintText(rec.Offset)
	}
	p.app.report("%s: %s: not shown: %v", p.name, where, err)
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
	if p.bad == 0 {
		return nil
	}
	if p.bad > badReports {
		p.app.report("%s: %d records were not shown", p.name, p.bad)
	}
	return silent(exitInvalid)
}
