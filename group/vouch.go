package group

import (
	"errors"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/partition"
)

// vouch returns the check of the record before next, for a commit. Where the
// log was cut or written anew meanwhile, it is an error that [otherLog] knows:
// committed with a check of the new log, or with none, what was consumed of the
// old one would count in the new one, and its records would be passed over.
func (s *stream) vouch(next uint64) (string, error) {
	c := s.claim
	before, err := c.checkAt(c.committed)
	if err != nil {
		return "", err
	}
	if c.check != "" && before != "" && before != c.check {
		return "", c.truncated(c.committed, c.committed)
	}
	check, err := c.checkAt(next)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	replaced, err := s.r.Replaced()
	if replaced {
		err = s.replaced()
	}
	return check, err
}

// checkAt is checkBefore, but an error where the log ends before.
func (c *claim) checkAt(next uint64) (string, error) {
	if next == 0 {
		return "", nil
	}
	data, err := c.log.Get(next - 1)
	if err == nil {
		return offsets.Check(data), nil
	}
	if e, ok := errors.AsType[*partition.RangeError](err); ok && e.Offset >= e.Next {
		return "", c.truncated(next, e.Next)
	}
	if unreadable(err) {
		return "", nil
	}
	return "", err
}

func (c *claim) truncated(committed, next uint64) error {
	return &TruncatedError{Group: c.g.name, Path: c.path, Partition: c.number, Committed: committed, Next: next}
}

// otherLog reports whether err says that the log is not the one that is
// consumed.
func otherLog(err error) bool {
	return errors.Is(err, ErrLogTruncated) || errors.Is(err, errReplaced)
}
