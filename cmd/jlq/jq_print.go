package main

import (
	"context"
	"errors"

	"example.com/jlq/internal/program"
	"example.com/jlq/topic"
)

// printResults prints what a program makes of one record until there is an error,
// of the program or of stdout. A result that the format refuses is one on which
// the program fails.
func (a *app) printResults(ctx context.Context, runner *program.Runner, p *printer, rec topic.Record) error {
	if err := runner.Start(ctx, jqRecord(rec)); err != nil {
		return err
	}
	for {
		result, err := runner.Next()
		if err != nil || result == nil {
			return err
		}
		for rec.Data = range a.shownLines(result, runner.Raw) {
			if err := p.shape(rec); err != nil {
				return &program.Failure{Reason: err.Error()}
			}
			if err := p.write(); err != nil {
				return err
			}
		}
	}
}

// show prints a record, or what the program makes of it.
func (g *getCommand) show(ctx context.Context, p *printer, rec topic.Record) error {
	if g.runner == nil {
		return p.print(rec)
	}
	g.runner.Note = func(kind, text string) {
		g.report("%s: %s: %s: %s", p.name, recordText(rec), kind, text)
	}
	err := g.printResults(ctx, g.runner, p, rec)
	var halt *program.Halt
	var failure *program.Failure
	switch {
	case errors.As(err, &halt):
		g.halts = true
		return g.halted(p.name, rec, halt)
	case errors.As(err, &failure), refused(err):
		g.report("%s: %s: jq: %v", p.name, recordText(rec), err)
		g.code = max(g.code, exitInvalid)
		return nil
	}
	return err
}
