package group

import (
	"math"
	"time"
)

// begin prepares a stream for a loop: nothing is given out from record until
// on, and, where serial is set, one message at a time.
func (s *stream) begin(until uint64, serial bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until, s.serial, s.left = until, serial, false
}

// pauseRange ends a loop's use of the stream.
func (s *stream) pauseRange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until, s.serial, s.left = math.MaxUint64, false, true
}

// due is the earlier of a time and when something of the stream has to be
// looked at again although nothing wakes the loop. What cannot be given out
// anyway is not due, or the loop would go round without sleeping.
func (s *stream) due(before time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.resume
	switch {
	case s.blocked():
		return before // an answer, or Resume, wakes it
	case at.IsZero():
		at = s.retries.due()
	}
	if !at.IsZero() && at.Before(before) {
		return at
	}
	return before
}

// ended reports whether there is nothing to be given out up to where the loop
// ends: all was, and nothing waits for another attempt. What cannot be read, or
// is paused, is not waited for. With finish, all has to be answered as well.
func (s *stream) ended(finish bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice()
	if s.stopped || s.paused || !s.resume.IsZero() {
		return true
	}
	return s.w.next >= s.until && len(s.retries) == 0 && len(s.redo.wanted) == 0 && (!finish || s.hands == 0)
}
