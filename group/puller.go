package group

import (
	"context"
	"errors"
)

// ErrNone is returned by [Puller.TryNext] where no message is to be had now.
var ErrNone = errors.New("no message now")

// Puller takes the messages of a member one at a time, for who waits with
// another context each time or not at all; [Member.Messages] is the simple way.
// It counts as the one loop that a member has, belongs to one goroutine at a
// time, and must be closed. Messages and errors are those of Messages; after an
// error of all partitions it may be asked again.
type Puller struct {
	p    pump
	stop func() bool
}

// Puller begins to take messages. It fails where a loop ranges over them, or
// another Puller has them.
func (m *Member) Puller() (*Puller, error) {
	if !m.ranging.CompareAndSwap(false, true) {
		return nil, errRanging
	}
	p := &Puller{p: pump{m: m, seen: map[*stream]bool{}}}
	p.stop = context.AfterFunc(m.life, func() { poke(m.wake) })
	return p, nil
}

// Next returns the next message and waits for it, until ctx ends or the member
// is closed. Then nothing was taken.
func (p *Puller) Next(ctx context.Context) (*Message, error) {
	p.p.ctx, p.p.hasty = ctx, false
	return p.p.next()
}

// TryNext returns the next message, or ErrNone where none is there: the logs
// are at their end, failed ones are not due, or too many are not answered.
func (p *Puller) TryNext() (*Message, error) {
	p.p.ctx, p.p.hasty = context.Background(), true
	return p.p.next()
}

// Close ends it. A message that it gave last stays in flight.
func (p *Puller) Close() {
	p.stop()
	p.p.close()
	p.p.m.ranging.Store(false)
}

// Waiting is how many records of the partitions that the member has now it has
// still to give out: new ones up to the end of the log, wanted or not, and those
// that failed and come again.
func (m *Member) Waiting(ctx context.Context) (n uint64, err error) {
	for _, s := range *m.list.Load() {
		start, next, err := s.claim.log.Bounds(ctx)
		if err != nil && s.over() {
			continue // it was given up a moment ago
		}
		if err != nil {
			return 0, &PartitionError{Partition: s.claim.number, Err: err}
		}
		s.mu.Lock()
		n += next - min(max(s.w.next, start), next) + uint64(len(s.retries))
		s.mu.Unlock()
	}
	return n, nil
}
