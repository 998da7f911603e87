package queue

import (
	"errors"

	"example.com/jlq/group"
)

// Len is how many values wait to be dequeued: those that nobody has been given
// yet, and those that failed and come again. What is in flight is not among
// them: add InFlight for everything that is not finished. Values that will turn
// out not to decode count until their turn comes.
//
// It is exact where this Queue consumes. Where another one does, it is what
// the last commit left, at most about a second old, in flight or not.
func (q *Queue[T]) Len() (int, error) {
	if err := q.acquireSoon(); err != nil {
		return 0, err
	}
	defer q.release()
	n, err := q.waiting()
	if q.ahead() != nil {
		n++
	}
	return n, err
}

// InFlight is how many values this Queue has given out that are not answered.
func (q *Queue[T]) InFlight() int { return int(q.inFlight.Load()) }

// waiting is what Len says, but for a value that Peek has taken.
func (q *Queue[T]) waiting() (int, error) {
	if q.consuming() {
		n, err := q.member.Waiting(q.life)
		return int(n), err
	}
	lags, err := q.group.Lag(q.life)
	if errors.Is(err, group.ErrNotRegistered) {
		start, next := q.p.Bounds() // nobody has consumed anything yet
		return int(next - start), nil
	}
	n := 0
	for _, lag := range lags {
		n += int(lag.Lag)
	}
	return n, err
}

// consuming reports whether this Queue is the one that consumes.
func (q *Queue[T]) consuming() bool { return q.member != nil && len(q.member.Partitions()) > 0 }
