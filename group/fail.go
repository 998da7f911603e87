package group

import (
	"errors"
	"fmt"
	"time"

	"example.com/jlq/internal/segment"
)

// errReplaced: offsets of the old file mean nothing in the new one, unless that
// begins with the same records, which a new claim finds out.
var errReplaced = errors.New("the file was replaced by another one")

// failed is fail for who does not have the lock.
func (s *stream) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fail(err)
}

// fail lets the partition rest for a while: what failed may be mended, by
// jlq repair or by a disk that has room again, and is then gone on with. The
// consumer is told once, the others go on.
func (s *stream) fail(err error) error {
	s.failures++
	s.resume = time.Now().Add(s.backoff().delay(s.failures))
	if s.told == err.Error() {
		return errLater
	}
	s.told = err.Error()
	if _, named := errors.AsType[*PartitionError](err); named {
		return err
	}
	return &PartitionError{Partition: s.claim.number, Err: err}
}

// replaced is what is wrong where the name of a bare file denotes another one.
func (s *stream) replaced() error {
	return fmt.Errorf("%s: %w", s.claim.path, errReplaced)
}

// skipDamage leaves records behind that cannot be read, and makes one dead
// letter of all that lie together.
func (s *stream) skipDamage(why error) (work func() (*Message, error), err error) {
	from := s.r.Offset()
	if err := s.r.Skip(); err != nil {
		return nil, err
	}
	to := s.r.Offset()
	if to <= from {
		return nil, nil
	}
	// In flight until the letter is on the disk, as one record.
	m := &Message{Attempts: 1, session: s.now, own: true, more: &more{lost: to - from}}
	m.Offset = from
	m.state.Store(answered)
	s.w.deliver(from, 0)
	s.w.pass(to)
	s.hands++
	reason := fmt.Errorf("%s cannot be read: %w", segment.Plural(to-from, "record"), why)
	return func() (*Message, error) { s.bury(m, reason); return nil, nil }, nil
}
