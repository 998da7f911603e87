package queue

import (
	"sync/atomic"

	"example.com/jlq/group"
)

// Item is a value that was dequeued. It is in flight until it is answered, once,
// by any goroutine; later answers do nothing, and neither does one that comes
// after the queue was closed or another process took over: the value is then
// delivered again.
type Item[T any] struct {
	Value    T
	Offset   uint64 // its number in the log
	Attempts int    // how often it was delivered, this time included

	msg      *group.Message
	inFlight *atomic.Int64 // of the queue
	answered atomic.Bool
}

// Ack says that the value is dealt with. It costs no system call: what was
// answered is committed once a second, by [Queue.Sync] and by [Queue.Close].
func (i *Item[T]) Ack() {
	if i.answer() {
		i.msg.Ack()
	}
}

// Nack says that it failed, and why. It is delivered again after a while,
// others going on meanwhile. After MaxAttempts it becomes a dead letter, which is
// on the disk when Nack returns.
func (i *Item[T]) Nack(err error) {
	if i.answer() {
		i.msg.Nack(err)
	}
}

// Dead makes the value a dead letter at once, for a reason that no attempt
// would change. It is on the disk when Dead returns.
func (i *Item[T]) Dead(reason error) {
	if i.answer() {
		i.msg.Dead(reason)
	}
}

// answer takes the right to answer, once.
func (i *Item[T]) answer() bool {
	if i.answered.Swap(true) {
		return false
	}
	i.inFlight.Add(-1)
	return true
}
