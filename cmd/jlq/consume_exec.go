package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/jlq/group"
)

// pool runs a command for each record, several at a time where that was asked
// for.
type pool struct {
	*consumer
	command *runner
	cancel  context.CancelCauseFunc // ends what deliver ranges over

	mu      sync.Mutex
	changed sync.Cond // running or done
	running int
	done    int64               // records that are dealt with: taken, or dead letters
	again   map[failed]struct{} // records that failed and have not come again
}

// failed is a record whose command failed.
type failed struct {
	partition int
	offset    uint64
}

func (c *consumer) newPool(cancel context.CancelCauseFunc) *pool {
	p := &pool{consumer: c, command: c.newRunner(c.exec.text), cancel: cancel, again: map[failed]struct{}{}}
	p.changed.L = &p.mu
	return p
}

// passPause is how long deliver waits behind a pass in which nothing came that it
// waits for: its partition rests, because something failed.
const passPause = 100 * time.Millisecond

// deliver runs the command until the end, the limit or ctx, and returns when
// the last one has ended: what is in hand is finished.
func (p *pool) deliver(ctx context.Context) error {
	for {
		waited := len(p.again)
		err := p.pass(ctx)
		p.wait()
		p.forget(p.m.Partitions())
		// What failed after the end was reached has still to come again.
		if err != nil || ctx.Err() != nil || p.full(0) || len(p.again) == 0 {
			return err
		}
		if len(p.again) == waited {
			sleep(ctx, passPause)
		}
	}
}

// forget waits no longer for what other consumers have now.
func (p *pool) forget(held []int) {
	maps.DeleteFunc(p.again, func(f failed, _ struct{}) bool { return !slices.Contains(held, f.partition) })
}

// sleep waits, but not longer than ctx.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// pass deals with what comes.
func (p *pool) pass(ctx context.Context) error {
	for msg, err := range p.messages(ctx) {
		if err != nil {
			if !p.goesOn(err) {
				return err
			}
			continue
		}
		p.came()
		p.begin(msg)
		// The next one is asked for only when it can begin: what waited here
		// would not be delivered to anybody else.
		if !p.room() {
			break
		}
	}
	return context.Cause(ctx)
}

// begin deals with one record, beside the others where there may be several.
func (p *pool) begin(msg *group.Message) {
	p.mu.Lock()
	p.running++
	delete(p.again, failed{msg.Partition(), msg.Offset})
	p.mu.Unlock()
	if p.exec.parallel == 1 {
		p.one(msg)
		return
	}
	msg.Keep()
	go p.one(msg)
}

// one runs the command for one record, and answers for it.
func (p *pool) one(msg *group.Message) {
	err := p.command.run(append(msg.Data, '\n'),
		"JLQ_LOG="+p.path, "JLQ_GROUP="+p.name, "JLQ_PARTITION="+strconv.Itoa(msg.Partition()),
		"JLQ_OFFSET="+uintText(msg.Offset), "JLQ_ATTEMPTS="+strconv.Itoa(msg.Attempts))
	finished := true
	switch _, cannot := errors.AsType[*cannotRunError](err); {
	case err == nil:
		msg.Ack()
	case cannot:
		finished = false
		p.cancel(err) // and the record stays what it is, not consumed
	default:
		finished = msg.Last()
		msg.Nack(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	if finished {
		p.done++
	} else {
		p.again[failed{msg.Partition(), msg.Offset}] = struct{}{}
	}
	if finished && err != nil {
		p.buried.Add(1)
	}
	p.changed.Broadcast()
}

// room waits until another command may begin. It reports false when there is
// none to begin, because as many records as were asked for are dealt with.
func (p *pool) room() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.running == p.exec.parallel || p.running > 0 && p.full(int64(p.running)) {
		p.changed.Wait()
	}
	return !p.full(0)
}

// full reports whether those that are done, and so many more, are all that
// were asked for.
func (p *pool) full(more int64) bool { return p.limit >= 0 && p.done+more >= int64(p.limit) }

// wait returns when no command runs.
func (p *pool) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.running > 0 {
		p.changed.Wait()
	}
}
