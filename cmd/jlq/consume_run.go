package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"syscall"
	"time"

	"example.com/jlq/group"
	groups "example.com/jlq/internal/offsets"
	"example.com/jlq/internal/program"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/topic"
)

// consumer is one run of consume.
type consumer struct {
	*consumeCommand
	path  string
	g     *group.Group
	m     *group.Member
	idle  *time.Timer // of --timeout; nil without
	quiet *idleTimer  // of --idle-timeout; nil without
	code  int         // of what was told on the way

	runner *program.Runner // of --jq
}

// idleError is why a run ends when nothing came for as long as --timeout.
type idleError struct{ timeout time.Duration }

func (e *idleError) Error() string { return fmt.Sprintf("nothing to consume for %v", e.timeout) }
func (e *idleError) Unwrap() error { return os.ErrDeadlineExceeded }

func (c *consumer) run(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	c.out.follow(cancel)
	if c.timeout > 0 {
		c.idle = time.AfterFunc(time.Duration(c.timeout), func() { cancel(&idleError{time.Duration(c.timeout)}) })
		defer c.idle.Stop()
	}
	if c.filter.where != "" && !c.follow {
		defer c.showReading(c.path, &pickFlags{}, nil, false)()
	}
	var err error
	if c.m, err = c.g.Join(ctx); err != nil {
		return c.about(err)
	}
	if c.idleEnd > 0 {
		c.quiet = newIdleTimer(time.Duration(c.idleEnd), cancel)
		defer c.quiet.came()
		c.quiet.wait()
	}
	// Only now: what ends for this reason has something to commit.
	watchHangup(c.out.raw, func() { cancel(&outputError{syscall.EPIPE}) })
	err = c.deliver(ctx, cancel)
	if idle, ok := errors.AsType[*idleError](err); ok {
		err = c.whyIdle(parent, idle)
	}
	return c.finish(unlessIdle(err))
}

// finish leaves the group and says what is to be said; err is how delivering ended.
func (c *consumer) finish(err error) error {
	if closed := c.m.Close(); closed != nil && !errors.Is(err, closed) {
		c.complain(c.about(err))
		err = closed // what could not be stored outranks the rest
	}
	c.tellBuried()
	if err == nil && !c.follow && c.limit != 0 {
		err = c.tellUnfinished()
	}
	if c.unasked.Load() > 0 {
		c.code = max(c.code, exitInvalid)
	}
	if err == nil && c.code != exitOK {
		return silent(c.code)
	}
	return c.about(err)
}

// about names the log in an error of the group.
func (c *consumer) about(err error) error {
	if err == nil || quiet(err) {
		return err
	}
	if _, failed := errors.AsType[*outputError](err); failed {
		return err
	}
	if one, ok := errors.AsType[*group.PartitionError](err); ok && strings.HasPrefix(one.Err.Error(), c.path) {
		err = one.Err // which says which partition it is
	}
	err = placesHint(c.path, namedFull(c.path, err))
	if _, unsaved := errors.AsType[*group.SaveError](err); unsaved {
		err = &usageError{err: err, hint: "--no-commit reads without saving how far it came"}
	}
	return err
}

// deliver takes what the group gives, until the end, a limit, or ctx.
func (c *consumer) deliver(ctx context.Context, cancel context.CancelCauseFunc) error {
	if c.limit == 0 {
		return nil
	}
	if c.exec.text != "" {
		return c.newPool(cancel).deliver(ctx)
	}
	p, err := c.newPrinter(c.path, &c.format, c.look)
	if err != nil {
		return err
	}
	defer p.unmet.tell(p)
	place, err := groups.Locate(vfs.OS, c.path)
	if err != nil {
		return err
	}
	for msg, err := range c.messages(ctx) {
		if err != nil {
			if !c.goesOn(err) {
				return err
			}
			continue
		}
		c.came()
		if err := c.print(ctx, p, msg, place.Topic); err != nil {
			return err
		}
		if c.limit--; c.limit == 0 {
			return nil
		}
	}
	return nil
}

// messages are those up to the end that each partition has now, or for ever.
func (c *consumer) messages(ctx context.Context) iter.Seq2[*group.Message, error] {
	if c.follow {
		return c.m.Messages(ctx)
	}
	return c.m.MessagesToEnd(ctx)
}

// print prints a record, which is then taken: it is committed once it is
// written. One that cannot be shown in the format is a dead letter.
func (c *consumer) print(ctx context.Context, p *printer, msg *group.Message, name string) error {
	rec := topic.Record{Record: msg.Record, ID: topic.ID{Topic: name, Partition: msg.Partition(), Offset: msg.Offset}}
	if c.program != nil {
		return c.printResults(ctx, p, msg, rec)
	}
	if err := p.shape(rec); err != nil {
		c.bury(msg, err)
		return nil
	}
	if err := p.write(); err != nil {
		return err
	}
	msg.Ack()
	return nil
}

// bury makes a dead letter of a record for a reason that no attempt changes.
func (c *consumer) bury(msg *group.Message, reason error) {
	c.code = max(c.code, exitInvalid)
	msg.Dead(reason)
	c.buried.Add(1)
}

// came puts off the end of --timeout and --idle-timeout.
func (c *consumer) came() {
	if c.idle != nil {
		c.idle.Reset(time.Duration(c.timeout))
	}
	if c.quiet != nil {
		c.quiet.wait()
	}
}

// goesOn tells an error of one partition, beside which the others go on.
func (c *consumer) goesOn(err error) bool {
	if _, one := errors.AsType[*group.PartitionError](err); !one {
		return false
	}
	err = c.about(err)
	c.report("%v", err)
	if code := exitCode(err); code != exitUsage || c.code == exitOK {
		c.code = code
	}
	return true
}

// whyIdle says why nothing came: somebody else has it, or there was nothing.
func (c *consumer) whyIdle(ctx context.Context, idle *idleError) error {
	if len(c.m.Partitions()) > 0 {
		return idle
	}
	lags, err := c.g.Lag(ctx)
	if err != nil {
		return err
	}
	for _, l := range lags {
		if l.Member != nil {
			return &group.HeldError{Group: c.name, Partition: l.Partition, Holder: *l.Member}
		}
	}
	return idle
}

// tellBuried says how many records went to the dead letters.
func (c *consumer) tellBuried() {
	n := c.buried.Load() + c.unasked.Load()
	switch {
	case n > 0 && c.noCommit:
		c.report("%s: %s left out, not JSON", c.path, recordsText(n))
	case n > 0:
		c.report("%s: %s went to the dead letters: jlq dead list -g %s %s", c.path, recordsText(n), c.name, c.path)
	}
}
