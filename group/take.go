package group

import (
	"context"
	"errors"
	"time"
)

// takeSome takes up to count of the partitions, whichever are free, and says
// how many. What goes wrong with one is told and concerns only that one.
func (m *Member) takeSome(ctx context.Context, numbers []int, count int) (got int) {
	count = m.fitting(numbers, count)
	for got < count && len(numbers) > 0 && ctx.Err() == nil {
		var locked []*claim
		if locked, numbers = m.lockSome(ctx, numbers, count-got); len(locked) == 0 {
			break // all that is left is another's, or rests
		}
		for _, b := range m.g.begin(ctx, locked) {
			if b.err != nil {
				m.unknown(b.err)
				m.fail(b.number, errors.Join(b.err, b.close()))
				continue
			}
			got++
			m.add(b.claim, b.lost)
		}
	}
	return got
}

// lockSome locks up to count of the partitions, and returns those that it did
// not come to.
func (m *Member) lockSome(ctx context.Context, numbers []int, count int) (locked []*claim, rest []int) {
	for i, n := range numbers {
		if len(locked) == count || ctx.Err() != nil {
			return locked, numbers[i:]
		}
		if m.resting(n) {
			continue
		}
		c := m.g.newClaim(n)
		switch err := c.acquire(); {
		case errors.Is(err, errBusy):
		case err != nil:
			m.fail(n, err)
		default:
			locked = append(locked, c)
		}
	}
	return locked, nil
}

// add begins to deliver a partition.
func (m *Member) add(c *claim, lost *LostError) {
	if err := c.sign(m.Info().ID); err != nil {
		m.report(&PartitionError{Partition: c.number, Err: err})
	}
	if lost != nil {
		m.report(&PartitionError{Partition: c.number, Err: lost})
	}
	m.g.opts.Logger.Info("took a partition", "group", m.g.name, "partition", c.number, "next", c.next, "attempts", c.attempts)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.failed, c.number)
	m.streams[c.number] = newStream(m, c)
	m.publish()
}

// unknown has the partitions registered again, where somebody unregistered the
// group after this member registered it and before it could be seen.
func (m *Member) unknown(err error) {
	if errors.Is(err, ErrNotRegistered) {
		m.seen = nil
	}
}

// fail tells of a partition that cannot be taken, once for each reason.
func (m *Member) fail(number int, err error) {
	m.mu.Lock()
	again := m.failed[number].text == err.Error()
	m.failed[number] = failure{err.Error(), time.Now().Add(failedFor)}
	m.mu.Unlock()
	if !again {
		m.report(&PartitionError{Partition: number, Err: err})
	}
}

// resting reports whether a partition that could not be taken is left alone.
func (m *Member) resting(number int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.failed[number].until)
}
