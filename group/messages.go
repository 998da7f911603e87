package group

import (
	"context"
	"errors"
	"iter"
	"time"

	"example.com/jlq/reader"
)

// errRanging: messages of a member go to one loop at a time.
var errRanging = errors.New("group: another loop ranges over the messages of this member")

// Messages yields the records of the partitions that the member has, those of
// each in order, as they come; and again, as another message, those that failed.
// It takes from the partitions in turn, waits where there is nothing, and where
// too much is not answered, see Options.MaxInFlight.
//
// Every message is to be answered. What is not is delivered again to the next
// holder of the partition.
//
// An error that is a [*PartitionError] concerns that partition only; the loop
// may go on with the others, and the partition goes on when it can. Any other is
// the last pair: the cause of ctx when that ends, [fs.ErrClosed] behind Close.
// Leaving the loop loses nothing, and it may be ranged over again. Only one loop
// at a time has the messages of a member.
func (m *Member) Messages(ctx context.Context) iter.Seq2[*Message, error] {
	return m.messages(ctx, pump{})
}

// MessagesToEnd is [Member.Messages], but ends, without an error, where each
// partition ended when the loop came to it, as soon as no record waits to be
// delivered again. Where the member has no partition, because others have all,
// it waits for one.
func (m *Member) MessagesToEnd(ctx context.Context) iter.Seq2[*Message, error] {
	return m.messages(ctx, pump{toEnd: true})
}

func (m *Member) messages(ctx context.Context, how pump) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		if !m.ranging.CompareAndSwap(false, true) {
			yield(nil, errRanging)
			return
		}
		defer m.ranging.Store(false)
		p := how // each range has its own
		p.m, p.ctx, p.seen = m, ctx, map[*stream]bool{}
		defer p.close()
		defer context.AfterFunc(m.life, func() { poke(m.wake) })()
		for {
			msg, err := p.next()
			if err == errEnd || !yield(msg, err) {
				return
			}
			if err == nil {
				continue
			}
			if _, one := errors.AsType[*PartitionError](err); !one {
				return
			}
		}
	}
}

// turnSize is how many messages of one partition come before the others have
// their turn.
const turnSize = 256

// idleFor is how long a loop sleeps at most where nothing wakes it.
const idleFor = time.Second

// pump is one loop over the messages of a member. It belongs to one goroutine.
type pump struct {
	m      *Member
	ctx    context.Context
	toEnd  bool // it ends where the partitions ended when it came to them
	finish bool // and waits there for what is in hands: it may fail
	serial bool // of each partition, one message at a time
	hasty  bool // it does not wait: ErrNone

	s      *stream // whose turn it is
	left   int     // messages in it
	i      int     // its number in the list
	seen   map[*stream]bool
	at     []reader.Place // ends of logs that are waited at
	due    time.Time      // when something else may be due; zero: never
	waiter reader.Waiter
}

// next returns the next message, waiting for it.
func (p *pump) next() (*Message, error) {
	for {
		if p.ctx.Err() != nil {
			return nil, context.Cause(p.ctx)
		}
		if p.left > 0 {
			p.left--
			msg, err := p.s.pull()
			if msg != nil {
				return msg, nil
			}
			p.left = 0
			if told(err) {
				return nil, err
			}
		}
		if msg, err := p.round(); msg != nil || err != errLater {
			return msg, err
		}
	}
}

// told reports whether an error of pull is one for the consumer.
func told(err error) bool {
	switch err {
	case nil, errEnd, errBlocked, errLater, errMore:
		return false
	}
	return true
}

// round asks each partition once, and waits where none has a message; errLater
// says that it is to be called again.
func (p *pump) round() (*Message, error) {
	if p.m.life.Err() != nil {
		return nil, context.Cause(p.m.life)
	}
	if err := p.m.nextReport(); err != nil {
		return nil, err
	}
	list := *p.m.list.Load()
	now := time.Now()
	p.at, p.due = p.at[:0], now.Add(idleFor)
	busy, left := false, 0
	for range list {
		p.i++
		s := list[p.i%len(list)]
		if err := s.lookRedo(now); err != nil {
			return nil, err
		}
		msg, err := p.ask(s)
		switch {
		case msg != nil:
			p.s, p.left = s, turnSize-1
			return msg, nil
		case told(err):
			return nil, err
		case err == errMore:
			busy = true
		case err == errEnd:
			p.at = append(p.at, reader.Place{Log: s.claim.log, Next: s.r.Offset()})
		}
		p.due = s.due(p.due)
		if !s.ended(p.finish) {
			left++
		}
	}
	if busy {
		return nil, errLater
	}
	if p.toEnd && left == 0 && (len(list) > 0 || p.m.nothingComes()) {
		return nil, errEnd
	}
	if p.hasty {
		return nil, ErrNone
	}
	return nil, p.wait()
}

// nothingComes reports whether a member without partitions will not get one by
// waiting: there is none, or one cannot be consumed.
func (m *Member) nothingComes() bool {
	m.mu.Lock()
	failed := len(m.failed)
	m.mu.Unlock()
	numbers, err := m.g.src.numbers()
	return failed > 0 || err == nil && len(numbers) == 0
}

// ask pulls from a stream, which may be new to the loop.
func (p *pump) ask(s *stream) (*Message, error) {
	if err := p.meet(s); err != nil {
		return nil, err
	}
	return s.pull()
}

// meet begins with a stream that is new to the loop. It returns what pull does.
func (p *pump) meet(s *stream) error {
	if p.seen[s] {
		return nil
	}
	until := ^uint64(0)
	if p.toEnd {
		_, next, err := s.claim.log.Bounds(p.ctx)
		switch {
		case err != nil && s.over():
			return errBlocked // it was given up since the loop looked who has what
		case err != nil:
			return s.failed(err)
		}
		until = next
	}
	s.begin(until, p.serial)
	p.seen[s] = true
	return nil
}

// wait sleeps until there may be a message; errLater then.
func (p *pump) wait() error {
	err := p.waiter.Wait(p.ctx, p.m.wake, time.Until(p.due), p.at...)
	if err != nil {
		return err
	}
	return errLater
}

// close ends the loop.
func (p *pump) close() {
	for s := range p.seen {
		s.pauseRange()
	}
	if err := p.waiter.Close(); err != nil {
		p.m.g.opts.Logger.Debug("watching did not end well", "error", err)
	}
}
