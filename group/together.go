package group

import "example.com/jlq/internal/offsets"

// Partitions that have records waiting are marked as held together, since a
// mark is a replacement of the offsets file, and a loop over a hundred partitions
// begins with all of them. What is marked and not delivered counts, should the
// consumer die before, as an attempt that was none. So a claim is only marked
// before its turn where it has no such attempt yet, and where one too many
// leaves its record more than one attempt: an innocent record does not reach its
// limit by what its neighbours do.

// enoughAttempts is the least Options.MaxAttempts for which one may be counted
// that was none.
const enoughAttempts = 3

// markAll marks the claim, and those of others that may be marked with it.
// Where that of an other is lost by now, its own turn says so.
func (c *claim) markAll(f *offsets.File, others []*claim) (marked []*claim, err error) {
	if err := c.mark(f); err != nil {
		return nil, err
	}
	for _, o := range others {
		if o.mark(f) == nil {
			marked = append(marked, o)
		}
	}
	return marked, nil
}

// waiting are the claims, but for c, whose next record is about to be given out.
// The goroutine that pulls calls it: it reads those records. The caller has
// m.saving.
func (m *Member) waiting(c *claim) (all []*claim) {
	if limit := m.g.opts.MaxAttempts; limit > 0 && limit < enoughAttempts {
		return nil
	}
	for _, s := range *m.list.Load() {
		if o := s.claim; o != c && !o.marked && !o.suspect && s.readAhead() {
			all = append(all, o)
		}
	}
	return all
}

// readAhead reports whether nothing of the stream is in flight and its next
// record can be given out, which is kept for then. What a filter would say of it
// is not asked.
func (s *stream) readAhead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.paused || s.filters || s.moving || s.failures > 0 || s.cur != nil || s.w.open > 0 || s.w.next >= s.until {
		return false
	}
	if s.reading {
		return true
	}
	rec, err := s.r.Next()
	if err != nil {
		return false // its own turn comes to the same error
	}
	s.read, s.reading = rec, true
	return true
}
