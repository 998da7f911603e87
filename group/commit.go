package group

import (
	"errors"
	"fmt"

	"example.com/jlq/internal/offsets"
)

// saving is what a commit writes of one partition.
type saving struct {
	s      *stream
	next   uint64
	check  string
	marked bool
	ended  error // why the claim is over: it is another's, or the log is another one
}

// hold makes durable that records of s are about to be in flight. Who delivers
// counts a record as in flight first, and then calls this unless held is
// true: so that either this or a commit that takes the mark away sees the other.
// A crash from here on counts as an attempt.
//
// Where the claim is another's by now, the stream ends.
func (m *Member) hold(s *stream) error {
	m.saving.Lock()
	err := m.markHeld(s.claim)
	m.saving.Unlock()
	if errors.Is(err, ErrFenced) {
		return m.lose(s, err)
	}
	return err
}

func (m *Member) markHeld(c *claim) error {
	if c.held.Load() {
		return nil
	}
	if !c.marked && c.lock != nil {
		if err := m.markTogether(c); err != nil {
			return err
		}
	}
	c.held.Store(true)
	return nil
}

// markTogether writes the mark, and in the same replacement of the file those
// that would be written next.
func (m *Member) markTogether(c *claim) error {
	others := m.waiting(c)
	err := m.g.update(func(f *offsets.File) (err error) {
		others, err = c.markAll(f, others)
		return err
	})
	if err != nil {
		return err
	}
	c.marked = true
	for _, o := range others {
		o.marked = true
		o.held.Store(true)
	}
	return nil
}

func (c *claim) mark(f *offsets.File) error {
	e, err := c.entry(f)
	if err != nil {
		return err
	}
	e.Held = true
	f.Set(c.g.name, c.key, e)
	return nil
}

// saveSoon commits in the background: an error is told, and it is tried again.
func (m *Member) saveSoon() {
	m.sayOnce(committing, m.save(*m.list.Load()))
}

// save commits what is finished of the streams, in one replacement of the file.
// Those whose claim is another's now, or whose log is another one, end; the
// error is theirs. One that cannot be read keeps no other from being saved.
func (m *Member) save(streams []*stream) error {
	if m.g.opts.NoCommit {
		return nil
	}
	m.saving.Lock()
	all, err := m.gather(streams)
	if len(all) > 0 {
		unready := m.ready(all)
		err = errors.Join(err, unready, m.write(all))
	}
	m.saving.Unlock()
	for _, v := range all {
		if v.ended != nil {
			err = errors.Join(err, m.lose(v.s, v.ended))
		}
	}
	return err
}

// ready has the consumer bring what it finished to where it should be. Where
// that fails, nothing counts as finished; a mark is taken away all the same,
// since nobody died.
func (m *Member) ready(all []saving) error {
	if m.g.opts.BeforeCommit == nil {
		return nil
	}
	err := m.g.opts.BeforeCommit()
	if err == nil {
		return nil
	}
	for i := range all {
		all[i].next, all[i].check = all[i].s.claim.committed, ""
	}
	return err
}

// saveLast commits streams that deliver no more. What was in flight counts as
// given back: nobody died.
func (m *Member) saveLast(streams []*stream) error {
	for _, s := range streams {
		s.void()
	}
	return m.save(streams)
}

// gather finds out what there is to be written.
func (m *Member) gather(streams []*stream) (all []saving, err error) {
	for _, s := range streams {
		v, ok, failed := gatherOne(s)
		if failed != nil {
			err = errors.Join(err, &PartitionError{Partition: s.claim.number, Err: failed})
		}
		if ok {
			all = append(all, v)
		}
	}
	return all, err
}

func gatherOne(s *stream) (v saving, ok bool, err error) {
	c := s.claim
	held := c.held.Swap(false) // before looking whether anything is in flight: see Member.hold
	next, idle := s.progress()
	if held && !idle {
		c.held.Store(true)
	}
	v = saving{s: s, next: max(next, c.committed), marked: c.marked && !idle}
	if v.next > c.committed {
		v.check, err = s.vouch(v.next)
	}
	if err != nil {
		v.next = c.committed
	}
	if otherLog(err) {
		// What is in hands is of the old one. Nobody died of it.
		s.void()
		v.marked, v.ended, err = false, err, nil
	}
	return v, v.next != c.committed || v.marked != c.marked || v.ended != nil, err
}

// write commits them. Its error is about all of them.
func (m *Member) write(all []saving) error {
	if len(all) == 0 {
		return nil
	}
	err := m.g.update(func(f *offsets.File) error {
		for i := range all {
			if err := all[i].put(f); err != nil {
				all[i].ended = err
			}
		}
		return nil
	})
	for i := range all {
		v, c := &all[i], all[i].s.claim
		if err == nil && v.ended == nil {
			if v.next > c.committed {
				c.committed, c.check = v.next, v.check
			}
			c.marked = v.marked
		} else {
			c.marked = c.marked && v.marked // it is the one or the other
		}
	}
	return err
}

// put changes the entry of one claim, or returns [ErrFenced].
func (v *saving) put(f *offsets.File) error {
	c := v.s.claim
	e, err := c.entry(f)
	if err != nil {
		return err
	}
	// The committed offset moved only if it was read wrong: a reset takes the claim.
	if v.next > e.Next {
		if err := e.Commit(c.gen, v.next, v.check); err != nil {
			return fmt.Errorf("group %s, partition %d: %w", c.g.name, c.number, err)
		}
	}
	e.Held = v.marked
	f.Set(c.g.name, c.key, e)
	return nil
}

// lose ends the delivery of a partition that is another's now.
func (m *Member) lose(s *stream, err error) error {
	s.void()
	return errors.Join(&PartitionError{Partition: s.claim.number, Err: err}, m.drop(s))
}

// drop releases a stream that delivers no more, unless it was removed by
// somebody else, who does.
func (m *Member) drop(s *stream) error {
	m.mu.Lock()
	mine := m.streams[s.claim.number] == s
	if mine {
		delete(m.streams, s.claim.number)
		m.publish()
	}
	m.mu.Unlock()
	if !mine {
		return nil
	}
	return s.release()
}

// moveOn gives up the partition of a stream whose file was replaced, with
// nothing in flight. Sharing out takes it again, and begins in the new file
// where that holds what was consumed; where it does not, the group can be
// reset, since nobody has the claim.
func (m *Member) moveOn(s *stream) error {
	s.void()
	return errors.Join(m.save([]*stream{s}), m.drop(s))
}
