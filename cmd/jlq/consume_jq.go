package main

import (
	"context"
	"errors"

	"example.com/jlq/group"
	"example.com/jlq/internal/program"
	"example.com/jlq/topic"
)

// printResults prints what the program makes of a record, which is then taken.
// One that it fails on is a dead letter.
func (c *consumer) printResults(ctx context.Context, p *printer, msg *group.Message, rec topic.Record) error {
	if c.runner == nil {
		c.runner = c.program.Runner()
		c.runner.Raw = c.jq.plain
	}
	c.runner.Note = func(kind, text string) {
		c.report("%s: %s: %s: %s", c.path, recordText(rec), kind, text)
	}
	err := c.app.printResults(ctx, c.runner, p, rec)
	var halt *program.Halt
	var failure *program.Failure
	switch {
	case errors.As(err, &halt):
		if halt.Code == exitOK {
			msg.Ack()
		}
		return c.halted(c.path, rec, halt)
	case errors.As(err, &failure), refused(err):
		c.bury(msg, err)
		return nil
	case err != nil:
		return err
	}
	msg.Ack()
	return nil
}
