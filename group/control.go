package group

import (
	"fmt"
	"time"
)

// Pause stops the delivery of partitions, of all that the member has where none
// is named, until Resume. What is in flight goes on. A partition that comes
// later is not paused.
func (m *Member) Pause(partitions ...int) { m.each(partitions, func(s *stream) { s.pause(true) }) }

// Resume goes on with what Pause stopped.
func (m *Member) Resume(partitions ...int) { m.each(partitions, func(s *stream) { s.pause(false) }) }

// Seek goes on at another offset of a partition that the member has. Records in
// flight are void: answers that come late do nothing. The commits that follow
// never move the group backwards, so a Seek to an offset before the committed one
// has records delivered again, and no more; [Group.Reset] moves the group. One
// beyond the end is a [*RangeError], and nothing changes.
func (m *Member) Seek(partition int, offset uint64) error {
	var found *stream
	m.each([]int{partition}, func(s *stream) { found = s })
	if found == nil {
		return fmt.Errorf("group %s: seek: partition %d is not this member's", m.g.name, partition)
	}
	start, next, err := found.claim.log.Bounds(m.life)
	if err == nil && offset > next {
		// A commit there would say that the log was cut.
		err = &RangeError{Offset: offset, Start: start, Next: next}
	}
	if err != nil {
		return &PartitionError{Partition: partition, Err: err}
	}
	found.seek(offset)
	return nil
}

func (m *Member) each(partitions []int, do func(*stream)) {
	if len(partitions) == 0 {
		partitions = m.Partitions()
	}
	m.mu.Lock()
	var found []*stream
	for _, n := range partitions {
		if s := m.streams[n]; s != nil {
			found = append(found, s)
		}
	}
	m.mu.Unlock()
	for _, s := range found {
		do(s)
	}
}

// InFlight says what of one partition was delivered and is not finished.
type InFlight struct {
	Partition int       `json:"partition"`
	Next      uint64    `json:"next"`    // below it everything was delivered
	Done      uint64    `json:"done"`    // below it everything is finished
	Records   int       `json:"records"` // not finished, those that wait for another attempt among them
	Bytes     int64     `json:"bytes"`
	Waiting   int       `json:"waiting"`        // for another attempt
	Since     time.Time `json:"since,omitzero"` // how long Done has not moved, where something is in flight
}

// InFlight says what the member has in flight, by partition: a handler that
// never answers is the record Done.
func (m *Member) InFlight() []InFlight {
	var out []InFlight
	m.each(nil, func(s *stream) { out = append(out, s.inFlight(time.Now())) })
	return out
}

func (s *stream) inFlight(now time.Time) InFlight {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice()
	f := InFlight{
		Partition: s.claim.number, Next: s.w.next, Done: s.w.frontier(),
		Records: s.w.open, Bytes: s.w.bytes, Waiting: len(s.retries),
	}
	if s.w.open > 0 {
		f.Since = s.stuckSince(f.Done, now)
	}
	return f
}

// stuckSince is since when done is what it is, as far as anybody asked: a clock
// for each record would cost more than the record.
func (s *stream) stuckSince(done uint64, now time.Time) time.Time {
	if s.stuckAt != done || s.stuck.IsZero() {
		s.stuckAt, s.stuck = done, now
	}
	return s.stuck
}
