package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/format"
	"example.com/jlq/internal/program"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

const getLong = `get prints the records at the given offsets, one a line, in the order asked for.

OFFSET is N, -N (the N-th from the end), start, @TIME (the first record at or
after it) or a range. One that is not there is named on stderr and makes the exit
code 1; the others are printed all the same. Ranges clamp to what is there.

A record's id, such as orders-0@42, says the partition, too: of a topic, get takes
ids only. Behind the @ may stand any OFFSET.

With - it reads offsets from stdin, one a line, and prints each record as soon as its
line is there; what stands behind a tab is not looked at, so that what --offsets and
--ids print can come back in.

-A, -B and -C print the records around each one that is asked for.`

type getCommand struct {
	*app
	readFlags
	format  formatFlags
	context contextFlags
	pager   pagerFlag
	jq      jqFlags
	bare    bool

	places  *places
	printer *printer
	field   string   // with the time of a record
	code    int      // of what was told so far
	id      topic.ID // of the partition that is read
	begun   bool     // something was asked for before
	buf     []byte
	runner  *program.Runner // of --jq; nil: the records themselves are printed
	halts   bool            // the program ended everything
}

func (a *app) getCmd() *cobra.Command {
	g := &getCommand{app: a}
	cmd := &cobra.Command{
		Use:   "get LOG OFFSET…|-",
		Short: "print exactly those records",
		Long:  getLong,
		Example: `  jlq get orders 184467
  jlq get orders orders-0@42 orders-3@-1
  jlq get -C 3 app.jsonl 1000
  jlq get --jq '.items[].sku' orders 184467
  jlq get app.jsonl -1 --no-newline | wc -c
  shuf -i 0-999999 -n 100 | jlq get app.jsonl -`,
		Args: wantArgs(2, -1, "a LOG and at least one OFFSET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := turned(cmd, "OFFSET", args[0], args[1:]); err != nil {
				return err
			}
			return g.run(cmd, args[0], args[1:])
		},
	}
	g.readFlags.add(cmd)
	g.format.add(cmd)
	g.jq.add(cmd)
	g.context.add(cmd, "record")
	g.pager.add(cmd)
	addTimePlace(cmd)
	cmd.Flags().BoolVar(&g.bare, "no-newline", false, "print each record without a newline behind it")
	return cmd
}

func (g *getCommand) run(cmd *cobra.Command, path string, args []string) (err error) {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	g.field = timeFieldOf(cmd)
	if g.runner, err = g.jq.runner(cmd, &g.format); err != nil {
		return err
	}
	g.printer, err = g.newPrinter(path, &g.format, format.Options{NoNewline: g.bare, TimeField: g.field, Zone: zoneOf(cmd).Location})
	if err != nil {
		return err
	}
	g.paginate(string(g.pager))
	if len(args) == 1 && args[0] == "-" {
		g.places = placesFrom(ctx, g.stdin, zoneOf(cmd).now)
		g.out.follow(cancel)
	} else if g.places, err = placesOf(args, zoneOf(cmd).now()); err != nil {
		return err
	}
	if err := g.logs(ctx, path); err != nil || g.halts {
		return err
	}
	if err := g.printer.done(); !g.goesOn(err) {
		return err
	} else if g.code = max(g.code, exitCode(err)); g.code != exitOK {
		return silent(g.code)
	}
	return nil
}

// logs prints what the places name, one log after the other.
func (g *getCommand) logs(ctx context.Context, path string) error {
	for {
		o, more, err := g.places.peek(ctx)
		if err != nil || !more {
			return err
		}
		if err = g.log(ctx, path, o); !g.goesOn(err) {
			return err
		}
		g.complain(err)
		g.code = max(g.code, exitCode(err))
	}
}

// goesOn reports whether what is wrong with one place is no reason to leave out
// the others.
func (g *getCommand) goesOn(err error) bool {
	if g.halts {
		return false
	}
	switch exitCode(err) {
	case exitOK, exitMissing, exitInvalid, exitIndex:
		return true
	}
	return false
}

// log prints the records of the next places that lie in one log, of which o is
// the first.
func (g *getCommand) log(ctx context.Context, path string, o offsets) error {
	log, whole, err := within(path, o.in)
	if err == nil && whole {
		err = topicPlace(path, o)
	}
	if err == nil {
		return g.withLog(ctx, log, g.readFlags, func(l *reader.Log) error {
			g.printer.name, g.printer.checked = log, trusted(l)
			g.id = partitionOf(l)
			return g.print(&resolver{ctx: ctx, log: l, times: reader.TimeRange{Field: g.field}}, o)
		})
	}
	for next, more := o, true; err != nil && more && next.sameLog(o); {
		g.places.take()
		var failed error
		if next, more, failed = g.places.peek(ctx); failed != nil {
			return failed
		}
	}
	return err
}

// topicPlace refuses a place in a topic that is not an id.
func topicPlace(path string, o offsets) error {
	if err := topicOffset(path, o); err != nil {
		return err
	}
	return noTopic(path, "get "+o.text)
}

// print prints what is there, as long as it lies in the log of first, and goes on
// behind what is not.
func (g *getCommand) print(r *resolver, first offsets) error {
	p := g.printer
	for {
		o, more, err := g.places.peek(r.ctx)
		if err != nil || !more || !o.sameLog(first) {
			return err
		}
		g.places.take()
		if g.context.given() && g.begun {
			p.separate()
		}
		g.begun = true
		if err = g.one(r, p, o); err == nil {
			continue
		}
		if !g.goesOn(err) {
			return err
		}
		g.code = max(g.code, exitCode(err))
		g.complain(g.advise(r.log, named(p.name, err)))
	}
}

// several prints the records of a range.
func (g *getCommand) several(r *resolver, p *printer, records iter.Seq2[reader.Record, error]) error {
	for rec, err := range rowsOf(g.id, records) {
		if err == nil && r.ctx.Err() != nil {
			err = context.Cause(r.ctx)
		}
		if err == nil {
			err = g.show(r.ctx, p, rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// around prints the record at offset, and those around it.
func (g *getCommand) around(r *resolver, p *printer, offset uint64) (err error) {
	if g.buf, err = r.log.GetInto(g.buf[:0], offset); err != nil {
		return err
	}
	size := g.context.size()
	s, err := r.clamp(span{offset - min(offset, size.before), offset + 1 + min(size.after, unbounded-1-offset)})
	if err != nil {
		return err
	}
	return g.several(r, p, left(r.log, s))
}

func (g *getCommand) one(r *resolver, p *printer, o offsets) error {
	if !o.single {
		if err := r.dropped(o); err != nil {
			return err
		}
		records, err := r.records(o)
		if err != nil {
			return err
		}
		return g.several(r, p, records)
	}
	if o.from.kind == atLast && o.from.n > 0 && !g.context.given() && !r.known && r.log.Place().Bare && !r.log.Info().HasIndex {
		return g.fromEnd(r, p, o.from.n)
	}
	offset, err := r.exactly(o)
	if err != nil {
		return err
	}
	if g.context.given() {
		return g.around(r, p, offset)
	}
	if g.buf, err = r.log.GetInto(g.buf[:0], offset); err != nil {
		return err
	}
	return g.printOne(r, p, reader.Record{Offset: offset, Position: -1, Data: g.buf})
}

// fromEnd prints the n-th record from the end of a file without an index,
// reading only that much of it.
func (g *getCommand) fromEnd(r *resolver, p *printer, n uint64) error {
	var first reader.Record
	found := uint64(0)
	for rec, err := range r.log.Tail(n).Records() {
		if err != nil {
			return err
		}
		if found++; found == 1 {
			first = rec.Clone()
		}
	}
	if found < n {
		return missing("%s: offset -%d is not there: the file holds %s", p.name, n, recordsText(found))
	}
	return g.printOne(r, p, first)
}

func (g *getCommand) printOne(r *resolver, p *printer, rec reader.Record) (err error) {
	if rec.Position < 0 && p.layout.Positions() {
		if _, rec.Position, _, err = r.log.Locate(rec.Offset); err != nil {
			return err
		}
	}
	id := g.id
	id.Offset = rec.Offset
	return g.show(r.ctx, p, topic.Record{Record: rec, ID: id})
}
