package group

import (
	"errors"
	"fmt"
	"time"
)

// ack settles a message whose answer the stream has to be told of.
func (s *stream) ack(m *Message) {
	s.mu.Lock()
	ok := m.answer()
	if ok {
		s.forget(m)
		s.settle(m)
	}
	s.mu.Unlock()
	if ok {
		poke(s.m.wake)
	}
}

// forget: m is answered, so the next read need not look at it.
func (s *stream) forget(m *Message) {
	if s.cur == m {
		s.cur = nil
	}
}

// nack lets a message wait for its next attempt, or makes it a dead letter.
func (s *stream) nack(m *Message, err error) {
	s.mu.Lock()
	if !m.answer() || m.session != s.now {
		s.mu.Unlock()
		return
	}
	if m.Last() {
		s.mu.Unlock()
		s.bury(m, err)
		return
	}
	s.wait(m, time.Now().Add(s.backoff().delay(m.Attempts-s.attemptsBefore(m))), m.Attempts+1)
	s.mu.Unlock()
	poke(s.m.wake)
}

// attemptsBefore are attempts that a redriven message had before it was asked
// for again: the wait begins anew.
func (s *stream) attemptsBefore(m *Message) int {
	if m.limit() > s.opts.MaxAttempts {
		return m.limit() - s.opts.MaxAttempts
	}
	return 0
}

func (s *stream) backoff() backoff { return backoff{s.opts.RetryDelay, s.opts.RetryMax} }

// wait lets the record of m come again, as another message, when it is due. It
// stays in flight meanwhile, so that no commit passes it.
func (s *stream) wait(m *Message, due time.Time, attempts int) *Message {
	m.detach()
	s.forget(m)
	again := &Message{
		Record: m.Record, Attempts: attempts, Value: m.Value, own: true,
		session: m.session, more: m.more,
	}
	s.hands--
	s.retries.add(due, again)
	s.answered()
	return again
}

// deadLetter makes a message a dead letter at once.
func (s *stream) deadLetter(m *Message, reason error) {
	s.mu.Lock()
	ok := m.answer() && m.session == s.now
	s.mu.Unlock()
	if ok {
		s.bury(m, reason)
	}
}

// bury writes the dead letter of a message, which is answered, and settles it
// once that is on the disk: from then on a commit may pass it. A crash between
// leaves the letter and the record uncommitted: it is delivered again, and may
// leave a second letter.
func (s *stream) bury(m *Message, reason error) {
	err := s.dead.write(s.letterOf(m, reason))
	s.mu.Lock()
	if m.session == s.now {
		if err == nil {
			s.forget(m)
			s.settle(m)
		} else {
			s.buryLater(m, reason, err)
		}
	}
	s.mu.Unlock()
	if _, deaths := errors.AsType[deathsError](reason); deaths && err == nil {
		s.opts.Logger.Warn("a record that its consumers died with went to the dead letters", "path", s.claim.path,
			"group", s.m.g.name, "offset", m.Offset, "attempts", m.Attempts)
	}
	poke(s.m.wake)
}

// deathsError is why a record is a dead letter whose consumers died with it, so
// many times: nobody else is there who could tell of it.
type deathsError int

func (n deathsError) Error() string {
	return fmt.Sprintf("its consumer died with it, %d times", int(n))
}

// buryLater tries again to write a dead letter, and has the consumer told why.
// The record stays in flight, so that it is not lost, and is not given out again.
func (s *stream) buryLater(m *Message, reason, err error) {
	s.untold = append(s.untold, &PartitionError{Partition: s.claim.number, Err: fmt.Errorf("record %s cannot be made a dead letter: %w", m, err)})
	s.failures++
	again := s.wait(m, time.Now().Add(s.backoff().delay(s.failures)), m.Attempts)
	again.more = m.moreWith(func(x *more) { x.doom = reason })
}

// keep gives a message memory of its own.
func (s *stream) keep(m *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.detach()
	if m.state.CompareAndSwap(current, kept) {
		s.forget(m)
	}
}
