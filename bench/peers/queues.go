package peers

import (
	"context"
	"errors"
	"time"

	"github.com/VictoriaMetrics/VictoriaMetrics/lib/persistentqueue"
	"github.com/joncrlsn/dque"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/jlq/bench"
)

// PeerQueue is a contestant of the queue workloads.
type PeerQueue struct {
	Name string
	// Open creates a queue in dir, which syncs each record before Enqueue
	// returns if sync is set.
	Open func(dir string, sync bool) (bench.Queue, error)
	// NeverSyncs says that the peer cannot be told to sync.
	NeverSyncs bool
	// Slow says that it is measured with fewer records.
	Slow bool
}

// Queues returns the contestants.
func Queues() []PeerQueue {
	return []PeerQueue{
		{Name: "dque", Open: openDque, Slow: true},
		{Name: "vm-persistentqueue", Open: openVM, NeverSyncs: true},
		{Name: "jetstream", Open: openJetQueue, Slow: true},
	}
}

// dequeSegment is the number of items in a file of dque, as in its README.
const dequeSegment = 50

// dqueQueue is a queue of github.com/joncrlsn/dque: items in gob, a file for
// each so many, which is in memory as a whole. An item is gone when it was
// taken: there is nothing to acknowledge.
type dqueQueue struct{ q *dque.DQue }

// item is what gob is given.
type item struct{ Data []byte }

func openDque(dir string, sync bool) (bench.Queue, error) {
	q, err := dque.New("queue", dir, dequeSegment, func() any { return &item{} })
	if err != nil {
		return nil, err
	}
	if !sync {
		err = q.TurboOn()
	}
	return dqueQueue{q}, err
}

// Enqueue implements bench.Queue.
func (d dqueQueue) Enqueue(record []byte) error { return d.q.Enqueue(&item{Data: record}) }

// Dequeue implements bench.Queue.
func (d dqueQueue) Dequeue() ([]byte, error) {
	v, err := d.q.DequeueBlock()
	if err != nil {
		return nil, err
	}
	return v.(*item).Data, nil
}

// Close implements bench.Queue.
func (d dqueQueue) Close() error { return d.q.Close() }

// vmQueue is the persistent queue of VictoriaMetrics: blocks of bytes in files
// of 512 MiB behind a memory buffer. A block is gone when it was read, and where
// reading stands is written about once a second; it never syncs.
type vmQueue struct {
	q   *persistentqueue.FastQueue
	buf []byte
}

// openVM keeps no blocks in memory, so that all of them go through the file.
func openVM(dir string, _ bool) (bench.Queue, error) {
	return &vmQueue{q: persistentqueue.MustOpenFastQueue(dir, "queue", 1, 0, false)}, nil
}

// Enqueue implements bench.Queue.
func (v *vmQueue) Enqueue(record []byte) error {
	if !v.q.TryWriteBlock(record) {
		return errors.New("refused")
	}
	return nil
}

// Dequeue implements bench.Queue.
func (v *vmQueue) Dequeue() ([]byte, error) {
	buf, ok := v.q.MustReadBlock(v.buf[:0])
	if !ok {
		return nil, errors.New("closed")
	}
	v.buf = buf
	return buf, nil
}

// Close implements bench.Queue.
func (v *vmQueue) Close() error {
	v.q.MustClose()
	return nil
}

// jetQueue is a stream that one durable consumer works off, each message
// acknowledged.
type jetQueue struct {
	*jetLog
	messages jetstream.MessagesContext
}

func openJetQueue(dir string, sync bool) (bench.Queue, error) {
	log, err := openJetStream(dir, sync)
	if err != nil {
		return nil, err
	}
	q := &jetQueue{jetLog: log.(*jetLog)}
	if err := q.consume(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return q, nil
}

func (q *jetQueue) consume() error {
	consumer, err := q.stream.CreateOrUpdateConsumer(context.Background(), jetstream.ConsumerConfig{
		Durable: "queue", AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute, MaxAckPending: 10 * fillBatch,
	})
	if err != nil {
		return err
	}
	q.messages, err = consumer.Messages(jetstream.PullMaxMessages(fillBatch))
	return err
}

// Enqueue implements bench.Queue.
func (q *jetQueue) Enqueue(record []byte) error { return q.Append([][]byte{record}) }

// Dequeue implements bench.Queue.
func (q *jetQueue) Dequeue() ([]byte, error) {
	message, err := q.messages.Next()
	if err != nil {
		return nil, err
	}
	return message.Data(), message.Ack()
}

// Close implements bench.Queue.
func (q *jetQueue) Close() error {
	q.messages.Stop()
	return q.jetLog.Close()
}
