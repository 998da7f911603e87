package group

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"example.com/jlq/internal/vfs"
)

// redo are the dead letters that are delivered again.
type redo struct {
	wanted []uint64  // offsets in the partition of dead letters
	open   int       // given out, and not finished
	done   []uint64  // finished, and not marked so yet
	next   time.Time // when to look again
	seen   vfs.Info  // of the marks that wanted comes from
	failed string    // the last failure to deliver one that the consumer was told
}

// finish says that a letter was dealt with.
func (r *redo) finish(letter uint64) {
	r.open--
	r.done = append(r.done, letter)
}

// void forgets what is given out; it is still wanted.
func (r *redo) void() { r.open, r.wanted, r.seen = 0, nil, vfs.Info{} }

// redoEvery is how often it is looked for letters that are asked for again.
const redoEvery = time.Second

// lookRedo marks what is finished, and looks what is wanted, once a second.
func (s *stream) lookRedo(now time.Time) error {
	s.mu.Lock()
	due := !s.opts.NoCommit && !s.stopped && !s.paused && !now.Before(s.redo.next)
	if due {
		s.redo.next = now.Add(redoEvery)
	}
	s.mu.Unlock()
	if !due {
		return nil
	}
	err := errors.Join(s.dead.recover(), s.saveRedo(), s.loadRedo())
	if err == nil {
		s.redoTold = ""
		return nil
	}
	if s.redoTold == err.Error() {
		return nil
	}
	// New records go on: only the loop comes here, so it needs no lock.
	s.redoTold = err.Error()
	return &PartitionError{Partition: s.claim.number, Err: fmt.Errorf("dead letters of group %s: %w", s.m.g.name, err)}
}

// saveRedo marks the letters that were dealt with. A crash before it has them
// delivered once more.
func (s *stream) saveRedo() error {
	s.mu.Lock()
	done := slices.Clone(s.redo.done)
	s.mu.Unlock()
	if len(done) == 0 {
		return nil
	}
	err := s.dead.change(func(m *marks) {
		for _, n := range done {
			m.settle(n)
		}
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.redo.done = s.redo.done[len(done):]
	s.mu.Unlock()
	return nil
}

// loadRedo looks which letters are wanted, where that has changed.
func (s *stream) loadRedo() error {
	info, err := s.opts.FS.Stat(s.dead.marksPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	same := info.Same(s.redo.seen) && info.Size == s.redo.seen.Size && info.ModTime.Equal(s.redo.seen.ModTime)
	busy := s.redo.open > 0 || len(s.redo.done) > 0
	s.mu.Unlock()
	if same || busy {
		return nil
	}
	m, err := s.dead.marks()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.redo.wanted, s.redo.seen = m.Wanted.all(), info
	return nil
}

// redeliver gives a dead letter out again. One that cannot be had is looked for
// again with the others, in a second, and new records go on meanwhile.
func (s *stream) redeliver(number uint64) (*Message, error) {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	m, err := s.messageOf(number, now)
	s.mu.Lock()
	if err != nil {
		s.missLetter(number, err)
	}
	if m == nil || s.now != now || s.stopped {
		s.mu.Unlock()
		return nil, nil
	}
	s.redo.failed = ""
	s.hands++
	s.redo.open++
	s.mu.Unlock()
	return s.prepare(m, nil)
}

// missLetter has the consumer told, once for each reason, and has the marks read
// again.
func (s *stream) missLetter(number uint64, err error) {
	s.redo.seen = vfs.Info{}
	if s.redo.failed == err.Error() {
		return
	}
	s.redo.failed = err.Error()
	err = fmt.Errorf("dead letter %d of group %s: %w", number, s.m.g.name, err)
	s.untold = append(s.untold, &PartitionError{Partition: s.claim.number, Err: err})
}

// messageOf makes a message of a dead letter, or none where it was tried too
// often. That it is tried is durable first: one that kills its consumer is not
// tried for ever.
func (s *stream) messageOf(number uint64, now *session) (*Message, error) {
	letter, err := s.dead.get(number)
	if err != nil {
		return nil, err
	}
	tried, limit := 0, s.opts.MaxAttempts
	err = s.dead.change(func(m *marks) {
		tried = m.Tried[number] + 1
		if limit > 0 && tried > limit {
			m.unwant(number)
			return
		}
		m.try(number)
	})
	if err != nil || limit > 0 && tried > limit {
		return nil, err
	}
	m := &Message{Attempts: letter.Attempts + tried, session: now, more: &more{letter: number + 1}, own: true}
	m.Offset, m.Data = letter.Offset, letter.Data()
	if limit > 0 {
		m.more.limit = letter.Attempts + limit
	}
	if letter.Left {
		m.Data, err = s.claim.log.Get(letter.Offset)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}
