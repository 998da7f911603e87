package group

// routine reports whether the next record takes the short way: the message
// before it was acked and is the only one in flight, nothing waits to be
// delivered again, and nobody asks anything else of the stream. That is so for
// nearly every record of a consumer that acks one after the other.
func (s *stream) routine() bool {
	m := s.cur
	return m != nil && m.state.Load() == acked && m.session == s.now && m.more == nil && !m.own &&
		!invariants && s.w.single() && s.hands == 1 && s.plain()
}

// plain reports whether nothing but reading on has to be done.
func (s *stream) plain() bool {
	return !s.stopped && !s.paused && !s.reading && !s.moving && !s.filters && s.opts.Decode == nil &&
		s.failures == 0 && s.attempts == 0 && len(s.untold) == 0 && len(s.retries) == 0 && len(s.redo.wanted) == 0 &&
		s.w.next >= s.single && s.w.next < s.until && s.claim.held.Load()
}

// step settles the message that the loop was at, and makes it the one of the
// next record: what leave and fresh come to where routine is true. No other
// record is in flight meanwhile, so the next one is admitted whatever its size,
// and as the lock is held all the time, no commit takes the mark away before it
// is in flight.
func (s *stream) step() (*Message, func() (*Message, error), error) {
	rec, err := s.r.Next()
	if err != nil {
		s.leave()
		work, err := s.unread(err)
		return nil, work, err
	}
	m := s.cur
	m.Record, m.Value, m.Attempts = rec, nil, 1
	m.state.Store(current)
	s.w.replace(rec.Offset, int64(len(rec.Data)))
	return m, nil, nil
}
