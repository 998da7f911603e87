package queue

import (
	"context"
	"errors"
	"io/fs"

	"example.com/jlq/group"
)

// ErrElsewhere is returned by TryDequeue and Peek while another process, or
// another Queue of this one, consumes the queue. Dequeue waits for it to end.
var ErrElsewhere = errors.New("another consumer has the queue")

// Dequeue returns the next value and waits for one where there is none. When
// ctx ends, the error is its cause, and nothing was taken. Any other error is
// about the log, which it names; one that concerns only some of its records,
// such as values that were dropped before they were consumed, is returned once,
// and the next call goes on.
func (q *Queue[T]) Dequeue(ctx context.Context) (*Item[T], error) {
	for {
		item, err := q.dequeue(ctx)
		if !errors.Is(err, errMakeWay) {
			return item, err
		}
	}
}

// dequeue is Dequeue, but gives way to who wants the turn for a moment.
func (q *Queue[T]) dequeue(ctx context.Context) (*Item[T], error) {
	if err := q.acquire(ctx); err != nil {
		return nil, err
	}
	defer q.release()
	item, err := q.tryTake(ctx)
	if !errors.Is(err, ErrEmpty) && !errors.Is(err, ErrElsewhere) {
		return item, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(q.life, func() { cancel(closedError(q.p.Path())) })()
	defer q.mayBeAsked(cancel)()
	return q.accept(func() (*group.Message, error) { return q.puller.Next(ctx) })
}

// TryDequeue returns the next value, or ErrEmpty where none waits now. A value
// that failed and whose time has not come again does not wait.
func (q *Queue[T]) TryDequeue() (*Item[T], error) {
	if err := q.acquireSoon(); err != nil {
		return nil, err
	}
	defer q.release()
	return q.tryTake(q.life)
}

// Peek returns the value that the next Dequeue returns, and takes nothing; or
// ErrEmpty. Where several goroutines dequeue, another may take it.
func (q *Queue[T]) Peek() (v T, err error) {
	if err := q.acquireSoon(); err != nil {
		return v, err
	}
	defer q.release()
	if q.ahead() == nil {
		item, err := q.tryTake(q.life)
		if err != nil {
			return v, err
		}
		q.peeked = item
		q.inFlight.Add(-1)
	}
	return q.peeked.Value, nil
}

// ahead is the value that Peek has taken, or nil. The caller has the turn.
func (q *Queue[T]) ahead() *Item[T] {
	if q.peeked != nil && q.peeked.msg.Context().Err() != nil {
		q.peeked = nil // the claim is lost: the value is delivered again, maybe to another process
	}
	return q.peeked
}

// tryTake returns a value that is there. The caller has the turn; with ctx only
// joining the group ends.
func (q *Queue[T]) tryTake(ctx context.Context) (*Item[T], error) {
	if item := q.ahead(); item != nil {
		q.peeked = nil
		q.inFlight.Add(1)
		return item, nil
	}
	if err := q.join(ctx); err != nil {
		return nil, err
	}
	return q.accept(q.puller.TryNext)
}

// join makes the queue a member of its group. That is put off until somebody
// wants a value: a process that only enqueues must not keep others from
// consuming.
func (q *Queue[T]) join(ctx context.Context) (err error) {
	if q.member != nil {
		return nil
	}
	m, err := q.group.Join(ctx)
	if err != nil {
		return err
	}
	if q.puller, err = m.Puller(); err != nil {
		return errors.Join(err, m.Close())
	}
	q.member = m
	return nil
}

// accept makes an item of the next message whose value decodes. The others
// become dead letters.
func (q *Queue[T]) accept(next func() (*group.Message, error)) (*Item[T], error) {
	for {
		msg, err := next()
		if err != nil {
			return nil, q.explain(err)
		}
		v, err := q.opts.Codec.Decode(msg.Data)
		if err != nil {
			msg.Dead(err)
			continue
		}
		q.dropper.wake()
		q.inFlight.Add(1)
		return &Item[T]{Value: v, Offset: msg.Offset, Attempts: msg.Attempts, msg: msg, inFlight: &q.inFlight}, nil
	}
}

// explain turns what a group says into what a queue says.
func (q *Queue[T]) explain(err error) error {
	switch {
	case errors.Is(err, group.ErrNone) && !q.consuming():
		return ErrElsewhere
	case errors.Is(err, group.ErrNone):
		return ErrEmpty
	case q.closed.Load() && !errors.Is(err, fs.ErrClosed):
		return closedError(q.p.Path())
	}
	return err
}
