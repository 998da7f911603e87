package group

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// PanicError says that a handler panicked, with which record, and where.
type PanicError struct {
	Record string // its partition and offset
	Value  any    // of the panic
	Stack  []byte
}

// Error implements error. The stack is part of it.
func (e *PanicError) Error() string {
	return fmt.Sprintf("group: the handler of record %s panicked: %v\n%s", e.Record, e.Value, e.Stack)
}

// Handle calls fn for each message, Options.Workers at a time, until ctx ends,
// and returns its cause, or why the member cannot go on. Where fn returns nil the
// message is acked, else nacked; fn may also answer it itself.
//
// Messages of one partition come in order, one at a time, unless
// Options.Parallel is set. The message and its Data are fn's own until it
// returns.
//
// The end of ctx stops Handle from taking more; it waits for what is in hands.
// The context that fn is given does not end with that, but when the member has
// lost the partition: then another one has the record.
//
// A panic of fn ends Handle with a [*PanicError], when the others are done.
// The record counts as one that killed its consumer: it is delivered again with
// one attempt more, alone, to whoever has the partition next.
func (m *Member) Handle(ctx context.Context, fn func(context.Context, *Message) error) error {
	return m.handle(ctx, fn, pump{})
}

// HandleToEnd is [Member.Handle], but returns nil where each partition ended
// when it came to it, as soon as every record is dealt with.
func (m *Member) HandleToEnd(ctx context.Context, fn func(context.Context, *Message) error) error {
	return m.handle(ctx, fn, pump{toEnd: true, finish: true})
}

func (m *Member) handle(ctx context.Context, fn func(context.Context, *Message) error, how pump) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	how.serial = !m.g.opts.Parallel
	h := &handling{m: m, fn: fn, base: context.WithoutCancel(ctx), stop: stop}
	deal := h.one
	if m.g.opts.Workers > 1 {
		deal = h.hand
		h.start(m.g.opts.Workers)
	}
	err := h.loop(ctx, how, deal)
	h.end()
	return err
}

// handling is one run of Handle.
type handling struct {
	m    *Member
	fn   func(context.Context, *Message) error
	base context.Context
	stop context.CancelCauseFunc
	todo chan *Message
	wg   sync.WaitGroup
	own  handlerContext // of the loop, where it deals with the messages itself
}

// loop gives the messages to deal.
func (h *handling) loop(ctx context.Context, how pump, deal func(*Message)) error {
	for msg, err := range h.m.messages(ctx, how) {
		_, one := errors.AsType[*PartitionError](err)
		switch {
		case one:
			h.m.g.opts.OnError(err)
		case err != nil:
			return err
		default:
			deal(msg)
		}
	}
	return nil
}

func (h *handling) start(workers int) {
	h.todo = make(chan *Message)
	for range workers {
		h.wg.Go(func() {
			var c handlerContext
			defer c.end()
			for msg := range h.todo {
				h.call(&c, msg)
			}
		})
	}
}

// one deals with a message at once.
func (h *handling) one(msg *Message) { h.call(&h.own, msg) }

// hand gives a message to the next worker that is free.
func (h *handling) hand(msg *Message) {
	msg.Keep()
	h.todo <- msg
}

// end waits for the workers.
func (h *handling) end() {
	if h.todo != nil {
		close(h.todo)
	}
	h.wg.Wait()
	h.own.end()
}

func (h *handling) call(c *handlerContext, msg *Message) {
	defer func() {
		if v := recover(); v != nil {
			msg.stream.crash(msg)
			h.stop(&PanicError{Record: msg.String(), Value: v, Stack: debug.Stack()})
		}
	}()
	if err := h.fn(c.of(h.base, msg), msg); err != nil {
		msg.Nack(err)
		return
	}
	msg.Ack()
}

// handlerContext is the context that a handler is given: it is the same for
// all messages of one claim.
type handlerContext struct {
	claim  context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	detach func() bool
}

func (c *handlerContext) of(base context.Context, msg *Message) context.Context {
	claim := msg.Context()
	if c.claim != claim {
		c.end()
		c.claim = claim
		c.ctx, c.cancel = context.WithCancelCause(base)
		cancel := c.cancel
		c.detach = context.AfterFunc(claim, func() { cancel(context.Cause(claim)) })
	}
	return c.ctx
}

func (c *handlerContext) end() {
	if c.claim != nil {
		c.detach()
		c.cancel(nil)
		c.claim = nil
	}
}

// crash leaves a message unfinished whose handler panicked. The partition stays
// marked as one with records in flight, so that the next holder is as careful as
// behind one that died.
func (s *stream) crash(m *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !m.answer() || m.session != s.now {
		return
	}
	s.forget(m)
	s.hands--
	s.crashed, s.stopped = true, true
	s.answered()
}
