package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"example.com/jlq/group"
	"example.com/jlq/partition"
)

// ErrEmpty is returned by TryDequeue and Peek where no value waits.
var ErrEmpty = errors.New("the queue is empty")

// Queue is a queue of values of type T. It is safe for concurrent use and must
// be closed.
type Queue[T any] struct {
	p     *partition.Partition
	group *group.Group
	opts  Options[T]

	// turn is held by the goroutine that takes the next message: it is a
	// mutex that a context can stop waiting for.
	turn   chan struct{}
	member *group.Member // nil until somebody wants a value
	puller *group.Puller
	peeked *Item[T] // taken by Peek, and the next that Dequeue returns

	asking atomic.Int64                            // goroutines that want the turn for a moment
	waits  atomic.Pointer[context.CancelCauseFunc] // ends the wait of who has the turn and waits for a value

	life   context.Context // ends when the queue is closed
	end    context.CancelFunc
	closed atomic.Bool

	inFlight atomic.Int64 // items that were given out and are not answered
	dropper  *dropper     // nil unless DropConsumed

	records sync.Pool // *[]byte, what values are encoded into
}

// Open opens the queue at path, which is created where nothing is there: as a
// bare file where path ends in .jsonl, .ndjson or .records, else as a directory.
// A log that exists already becomes a queue of the records that it holds.
//
// Opening takes the writer's lock (partition.ErrLocked when another process has
// it), unless Options say otherwise, and recovers what a crash left.
func Open[T any](path string, opts *Options[T]) (*Queue[T], error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	p, g, err := openLog(path, &o)
	if err != nil {
		return nil, err
	}
	q := &Queue[T]{p: p, group: g, opts: o, turn: make(chan struct{}, 1)}
	q.life, q.end = context.WithCancel(context.Background())
	q.records.New = func() any { return new([]byte) }
	if o.DropConsumed {
		q.dropper = newDropper(p)
	}
	return q, nil
}

// openLog opens the partition as the options want it, and its group.
func openLog[T any](path string, o *Options[T]) (*partition.Partition, *group.Group, error) {
	open := partition.Open
	if o.ConsumeOnly {
		open = partition.OpenReader
	} else if err := registerBefore(path, o); err != nil {
		return nil, nil, err
	}
	p, err := open(path, &o.Log)
	if err != nil {
		return nil, nil, advise(err, o.ConsumeOnly)
	}
	g, err := group.OpenOn(p, o.Group, &o.Delivery)
	if err == nil && !o.ConsumeOnly {
		err = g.Register(context.Background())
	}
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	return p, g, nil
}

// advise adds to an error of opening what a process that is not alone should
// have done.
func advise(err error, consumeOnly bool) error {
	switch {
	case errors.Is(err, partition.ErrLocked):
		return fmt.Errorf("%w: a process that only consumes sets Options.ConsumeOnly, several that enqueue set Options.Log.Shared", err)
	case consumeOnly && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: a process that opens it without ConsumeOnly makes the queue", err)
	}
	return err
}

// registerBefore makes the group of a log that is there already known before
// the log is opened: retention begins with that, and would drop what nobody has
// a claim to.
func registerBefore[T any](path string, o *Options[T]) error {
	g, err := group.Open(path, o.Group, &o.Delivery)
	if err == nil {
		err = g.Register(context.Background())
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, partition.ErrNotLog) { // yet: opening makes it one, or says why not
		return nil
	}
	return err
}

// Path is the directory or file of the queue.
func (q *Queue[T]) Path() string { return q.p.Path() }

// Log is the partition that holds the values: its statistics, its records. It is
// closed with the queue, and not by anybody else.
func (q *Queue[T]) Log() *partition.Partition { return q.p }

// Group is the consumer group whose place is that of the queue: its lag, its
// dead letters and their redrive, its reset.
func (q *Queue[T]) Group() *group.Group { return q.group }

// Sync returns when every value that was enqueued before the call survives a
// power loss, and so does that the answered ones were.
func (q *Queue[T]) Sync() error {
	if q.closed.Load() {
		return closedError(q.p.Path())
	}
	var err error
	if !q.opts.ConsumeOnly {
		err = q.p.Sync()
	}
	if m := q.joined(); m != nil {
		err = errors.Join(err, m.CommitSync())
	}
	return err
}

// Close waits for what is in flight, as long as Options.Delivery.DrainTimeout (a
// second), commits what was answered, makes everything durable and gives the
// queue up. Who waits in Dequeue gets an error that matches fs.ErrClosed, and so
// does a second call of Close. What is not answered by then is delivered again
// when the queue is opened next.
func (q *Queue[T]) Close() error {
	if q.closed.Swap(true) {
		return closedError(q.p.Path())
	}
	q.end()
	q.turn <- struct{}{} // whoever waits has given it back; nobody gets it again
	var err error
	if q.member != nil {
		q.puller.Close()
		err = q.member.Close()
	}
	return errors.Join(err, q.dropper.stop(), q.p.Close())
}

// joined returns the member, or nil.
func (q *Queue[T]) joined() *group.Member {
	if q.acquireSoon() != nil {
		return nil
	}
	defer q.release()
	return q.member
}

func closedError(path string) error {
	return &fs.PathError{Op: "use queue", Path: path, Err: fs.ErrClosed}
}
