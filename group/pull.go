package group

import (
	"errors"
	"fmt"
	"io"
	"time"

	"example.com/jlq/partition"
	"example.com/jlq/reader"
)

// What pull returns where there is no message.
var (
	errEnd     = errors.New("at the end of the log")
	errBlocked = errors.New("something has to be answered first")
	errLater   = errors.New("not yet")
	errMore    = errors.New("ask again")
)

// skipBatch is how many records a filter passes over before the stream looks
// up again.
const skipBatch = 4096

// pull returns the next message, or why there is none: errEnd, errBlocked,
// errLater, errMore, or an error for the consumer. The message that was pulled
// before is left by then: it is settled, or its Data moves.
func (s *stream) pull() (*Message, error) {
	for {
		m, work, err := s.next()
		if work == nil {
			return m, err
		}
		if m, err = work(); err != nil {
			return nil, s.failed(err)
		}
		if m != nil {
			return m, nil
		}
	}
}

// next is one turn of pull under the lock. What has to be written before a
// message can be given out is the work it returns, to be done without the lock.
func (s *stream) next() (m *Message, work func() (*Message, error), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.routine() {
		return s.step()
	}
	s.leave()
	if err := s.ready(); err != nil {
		return nil, nil, err
	}
	if m, work = s.again(); m != nil || work != nil {
		return m, work, nil
	}
	return s.fresh()
}

// leave ends the time of the message that was pulled last.
func (s *stream) leave() {
	m := s.cur
	if m == nil {
		return
	}
	s.cur = nil
	switch m.state.Load() {
	case acked:
		s.settle(m)
		s.reuse(m)
	case current, kept:
		if s.opts.AutoAck && m.answer() {
			s.settle(m)
			s.reuse(m)
			return
		}
		m.detach()
		if !m.state.CompareAndSwap(current, kept) && m.state.CompareAndSwap(acked, answered) {
			s.settle(m)
		}
	}
}

// reuse has the memory of a message, which was acked and is left, serve for the
// next one: allocating one for each record would cost more than reading it. One
// that was answered in another way, or kept, is left alone. With invariants
// nothing is used again, and who answers such a message gets a panic.
func (s *stream) reuse(m *Message) {
	switch {
	case m.own:
	case invariants:
		m.session, m.Record = nil, reader.Record{}
	default:
		m.Value, m.more = nil, nil
		s.spare = m
	}
}

// ready reports why nothing may be given out now.
func (s *stream) ready() error {
	switch {
	case len(s.untold) > 0:
		err := s.untold[0]
		s.untold = s.untold[1:]
		return err
	case s.blocked():
		return errBlocked
	case time.Now().Before(s.resume):
		return errLater
	}
	s.resume = time.Time{} // else due would have nobody sleep any more
	return nil
}

// blocked reports whether nothing is given out until somebody does something.
func (s *stream) blocked() bool { return s.stopped || s.paused || s.serial && s.hands > 0 }

// again returns a message whose time has come again.
func (s *stream) again() (*Message, func() (*Message, error)) {
	if len(s.retries) > 0 {
		if m := s.retries.take(time.Now()); m != nil {
			s.hands++
			return s.retry(m)
		}
	}
	if len(s.redo.wanted) > 0 && s.redo.open == 0 { // one at a time
		number := s.redo.wanted[0]
		s.redo.wanted = s.redo.wanted[1:]
		return nil, func() (*Message, error) { return s.redeliver(number) }
	}
	return nil, nil
}

// retry gives a message out that has waited, or does what there was no way to
// do before.
func (s *stream) retry(m *Message) (*Message, func() (*Message, error)) {
	switch x := m.more; {
	case x != nil && x.doom != nil:
		m.state.Store(answered)
		return nil, func() (*Message, error) { s.bury(m, x.doom); return nil, nil }
	case x != nil && x.raw:
		x.raw = false
		return nil, func() (*Message, error) { return s.prepare(m, x.bad) }
	}
	s.give(m)
	return m, nil
}

// give makes m what the loop is at.
func (s *stream) give(m *Message) { s.cur = m }

// fresh returns the next record of the log that is wanted.
func (s *stream) fresh() (*Message, func() (*Message, error), error) {
	for range skipBatch {
		if s.w.next >= s.until {
			return nil, nil, errEnd
		}
		rec, err := s.peek()
		if err != nil {
			work, err := s.unread(err)
			return nil, work, err
		}
		if work, err := s.admit(rec); work != nil || err != nil {
			s.read, s.reading = rec, true
			return nil, work, err
		}
		if !s.filters {
			return s.deliver(rec, nil)
		}
		s.read, s.reading = rec, true // it is not lost where the filter panics
		wanted, bad := s.wanted(rec)
		s.reading = false
		if wanted || bad != nil {
			return s.deliver(rec, bad)
		}
		s.w.pass(rec.Offset + 1)
	}
	return nil, nil, errMore
}

// admit returns why a record cannot be given out now, or what has to be done
// before. Behind a consumer that died, records are given out only when nothing
// else is in flight and all before is committed: one of these may have killed it,
// and if that happens again, the committed offset says which.
func (s *stream) admit(rec reader.Record) (work func() (*Message, error), err error) {
	if !s.w.admits(int64(len(rec.Data)), s.opts.MaxInFlight, s.opts.MaxInFlightBytes) {
		return nil, errBlocked
	}
	if rec.Offset >= s.single {
		return nil, nil
	}
	if s.w.open > 0 {
		return nil, errBlocked
	}
	if rec.Offset != s.saved {
		return s.save, nil
	}
	return nil, nil
}

// save commits up to the record that is read.
func (s *stream) save() (*Message, error) {
	s.mu.Lock()
	s.w.pass(s.read.Offset) // nothing before it is wanted
	at := s.read.Offset
	s.mu.Unlock()
	if err := s.m.save([]*stream{s}); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.saved = at
	s.mu.Unlock()
	return nil, nil
}

// deliver makes a message of the record that was read. It is in flight from
// here on, so that no commit passes it whatever becomes of it.
func (s *stream) deliver(rec reader.Record, bad error) (*Message, func() (*Message, error), error) {
	m := s.spare
	if s.spare = nil; m == nil {
		m = new(Message)
	}
	m.Record, m.session, m.Attempts = rec, s.now, 1
	m.state.Store(current)
	s.w.deliver(rec.Offset, int64(len(rec.Data)))
	s.hands++
	if s.attempts > 0 && rec.Offset == s.claim.next {
		m.Attempts += s.attempts
		if limit := s.opts.MaxAttempts; limit > 0 && s.attempts >= limit {
			m.Attempts = s.attempts
			bad = deathsError(s.attempts)
		}
	}
	if s.failures > 0 {
		s.failures, s.told, s.resume = 0, "", time.Time{}
	}
	if bad == nil && s.opts.Decode == nil && s.claim.held.Load() {
		s.give(m)
		return m, nil, nil
	}
	return nil, func() (*Message, error) { return s.prepare(m, bad) }, nil
}

// prepare does what must be done without the lock before a message, which is in
// flight already, is given out.
func (s *stream) prepare(m *Message, bad error) (*Message, error) {
	if !s.claim.held.Load() {
		// From here on a crash counts as an attempt.
		if err := s.m.hold(s); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if m.session == s.now {
				again := s.wait(m, time.Now().Add(s.backoff().delay(s.failures+1)), m.Attempts)
				again.more = m.moreWith(func(x *more) { x.raw, x.bad = true, bad })
			}
			return nil, err
		}
	}
	return s.decode(m, bad), nil
}

// decode makes the value of a message, or a dead letter of what cannot become
// one: no attempt would change that.
func (s *stream) decode(m *Message, bad error) *Message {
	if bad == nil && s.opts.Decode != nil {
		if m.Value, bad = s.opts.Decode(m.Data); bad != nil {
			bad = fmt.Errorf("it does not decode: %w", bad)
		}
	}
	if bad != nil {
		m.state.Store(answered)
		s.bury(m, bad)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.give(m)
	return m
}

// peek returns the next record, or the one that was read and not given out.
func (s *stream) peek() (reader.Record, error) {
	if !s.reading && !s.moving {
		return s.r.Next()
	}
	return s.peekElse()
}

func (s *stream) peekElse() (reader.Record, error) {
	if s.moving {
		if err := s.r.Seek(s.target); err != nil {
			return reader.Record{}, err
		}
		s.moving, s.reading = false, false
		return s.r.Next()
	}
	s.reading = false
	return s.read, nil
}

// unread decides what a failure to read means: the end, records that retention
// has dropped, damage, or something that may be over by and by.
func (s *stream) unread(err error) (work func() (*Message, error), _ error) {
	if err == io.EOF {
		return s.end()
	}
	if e, ok := errors.AsType[*partition.RangeError](err); ok && e.Start > e.Offset {
		s.w.pass(e.Start)
		s.target, s.moving = e.Start, true
		return nil, &PartitionError{Partition: s.claim.number, Err: &LostError{
			Group: s.m.g.name, Path: s.claim.path, Partition: s.claim.number, From: e.Offset, To: e.Start}}
	}
	if errors.Is(err, reader.ErrClosed) {
		return nil, err
	}
	if s.opts.SkipDamage {
		if work, failed := s.skipDamage(err); work != nil || failed != nil {
			return work, failed
		}
	}
	s.target, s.moving = s.r.Offset(), true
	return nil, s.fail(err)
}

// end is what the end of the log means: that of a file whose name denotes
// another one by now is not waited at. What is in hands of the old one is waited
// for.
func (s *stream) end() (work func() (*Message, error), _ error) {
	replaced, err := s.r.Replaced()
	switch {
	case err != nil:
		return nil, s.fail(err)
	case !replaced:
		return nil, errEnd
	case s.opts.NoCommit:
		return nil, s.fail(s.replaced())
	case s.hands > 0:
		return nil, errBlocked
	}
	return func() (*Message, error) { return nil, s.m.moveOn(s) }, nil
}
