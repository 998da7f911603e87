package main

import (
	"github.com/spf13/cobra"

	"example.com/jlq/internal/format"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

type getCommand struct {
	*app
	readFlags
	format formatFlags
	bare   bool

	code int      // of what was told so far
	id   topic.ID // of the partition that is read
	buf  []byte
}

func (a *app) getCmd() *cobra.Command {
	g := &getCommand{app: a}
	cmd := &cobra.Command{
		Use:   "get LOG OFFSET…",
		Short: "print exactly those records",
		Long: `get prints the records at the given offsets, one a line, in the order asked for.

OFFSET is N, -N (the N-th from the end), start, @TIME (the first record at or
after it) or a range. One that is not there is named on stderr and makes the exit
code 1; the others are printed all the same. Ranges clamp to what is there.

A record's id, such as orders-0@42, says the partition, too: of a topic, get takes
ids only. Behind the @ may stand any OFFSET.`,
		Example: `  jlq get orders 184467
  jlq get orders orders-0@42 orders-3@-1
  jlq get app.jsonl -1 --no-newline | wc -c`,
		Args: wantArgs(2, -1, "a LOG and at least one OFFSET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.run(cmd, args[0], args[1:])
		},
	}
	g.readFlags.add(cmd)
	g.format.add(cmd)
	addTimePlace(cmd)
	cmd.Flags().BoolVar(&g.bare, "no-newline", false, "print each record without a newline behind it")
	return cmd
}

func (g *getCommand) run(cmd *cobra.Command, path string, args []string) error {
	ctx := cmd.Context()
	places := make([]offsets, len(args))
	for i, arg := range args {
		var err error
		if places[i], err = parseLocation(arg, zoneOf(cmd).now()); err != nil {
			return &usageError{err: err}
		}
	}
	code := exitOK
	for len(places) > 0 {
		log, whole, err := within(path, places[0].in)
		if err == nil && whole {
			err = topicPlace(path, places[0])
		}
		n := sameLog(places)
		if err == nil {
			err = g.withLog(ctx, log, g.readFlags, func(l *reader.Log) error {
				p, err := g.newPrinter(log, &g.format, format.Options{NoNewline: g.bare, TimeField: timeFieldOf(cmd), Zone: zoneOf(cmd).Location})
				if err != nil {
					return err
				}
				p.checked = trusted(l)
				g.id = partitionOf(l)
				return g.print(&resolver{ctx: ctx, log: l, times: reader.TimeRange{Field: timeFieldOf(cmd)}}, p, places[:n])
			})
		}
		if err != nil && exitCode(err) != exitMissing && exitCode(err) != exitInvalid && exitCode(err) != exitIndex {
			return err
		}
		g.complain(err)
		code, g.code = max(code, exitCode(err)), exitOK
		places = places[n:]
	}
	if code != exitOK {
		return silent(code)
	}
	return nil
}

// sameLog is how many of the places in front lie in the same log.
func sameLog(places []offsets) (n int) {
	for n = 1; n < len(places); n++ {
		a, b := places[0].in, places[n].in
		if (a == nil) != (b == nil) || a != nil && *a != *b {
			break
		}
	}
	return n
}

// topicPlace refuses a place in a topic that is not an id.
func topicPlace(path string, o offsets) error {
	if err := topicOffset(path, o); err != nil {
		return err
	}
	return noTopic(path, "get "+o.text)
}

// print prints what is there and goes on behind what is not.
func (g *getCommand) print(r *resolver, p *printer, places []offsets) error {
	for _, o := range places {
		err := g.one(r, p, o)
		if err == nil {
			continue
		}
		code := exitCode(err)
		if code != exitMissing && code != exitInvalid && code != exitIndex {
			return err
		}
		g.code = max(g.code, code)
		g.complain(g.advise(r.log, named(p.name, err)))
	}
	if err := p.done(); err != nil {
		return err
	}
	if g.code != exitOK {
		return silent(g.code)
	}
	return nil
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
		return p.all(r.ctx, rowsOf(g.id, records))
	}
	if o.from.kind == atLast && o.from.n > 0 && !r.known && r.log.Place().Bare && !r.log.Info().HasIndex {
		return g.fromEnd(r.log, p, o.from.n)
	}
	offset, err := r.exactly(o)
	if err != nil {
		return err
	}
	if g.buf, err = r.log.GetInto(g.buf[:0], offset); err != nil {
		return err
	}
	return g.printOne(r.log, p, reader.Record{Offset: offset, Position: -1, Data: g.buf})
}

// fromEnd prints the n-th record from the end of a file without an index,
// reading only that much of it.
func (g *getCommand) fromEnd(log *reader.Log, p *printer, n uint64) error {
	var first reader.Record
	found := uint64(0)
	for rec, err := range log.Tail(n).Records() {
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
	return g.printOne(log, p, first)
}

func (g *getCommand) printOne(log *reader.Log, p *printer, rec reader.Record) (err error) {
	if rec.Position < 0 && p.layout.Positions() {
		if _, rec.Position, _, err = log.Locate(rec.Offset); err != nil {
			return err
		}
	}
	id := g.id
	id.Offset = rec.Offset
	return p.print(topic.Record{Record: rec, ID: id})
}
