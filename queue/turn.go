package queue

import (
	"context"
	"errors"
)

// errMakeWay ends the wait of a goroutine in Dequeue, which then waits again.
var errMakeWay = errors.New("another goroutine wants the turn for a moment")

// acquire takes the turn. Close never gives it back.
func (q *Queue[T]) acquire(ctx context.Context) error {
	if q.closed.Load() {
		return closedError(q.p.Path())
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case q.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case q.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-q.life.Done():
		return closedError(q.p.Path())
	}
}

func (q *Queue[T]) release() { <-q.turn }

// acquireSoon is acquire for who wants the turn for a moment, and must not wait
// until there is a value for somebody else: whoever waits for one makes way.
// Nothing is missed: who asks says so before it looks for one who waits, and who
// waits is to be seen before it looks for one who asks.
func (q *Queue[T]) acquireSoon() error {
	q.asking.Add(1)
	defer q.asking.Add(-1)
	if end := q.waits.Load(); end != nil {
		(*end)(errMakeWay)
	}
	return q.acquire(q.life)
}

// mayBeAsked lets others end the wait of the caller, which has the turn, until
// the function that it returns is called.
func (q *Queue[T]) mayBeAsked(end context.CancelCauseFunc) func() {
	q.waits.Store(&end)
	if q.asking.Load() > 0 {
		end(errMakeWay)
	}
	return func() { q.waits.Store(nil) }
}
