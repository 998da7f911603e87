package bench

import (
	"bytes"
	"context"
	"testing"

	"example.com/jlq/partition"
	"example.com/jlq/queue"
)

// The queue workloads; bench/peers has them for other queues.

func BenchmarkQueueInTurn(b *testing.B) { benchmarkQueues(b, RunQueueInTurn) }

func BenchmarkQueueByOne(b *testing.B) { benchmarkQueues(b, RunQueueByOne) }

func BenchmarkQueueBeside(b *testing.B) { benchmarkQueues(b, RunQueueBeside) }

func BenchmarkQueueSync(b *testing.B) {
	set := JSON(SyncsAlone)
	b.Run("jlq-always", func(b *testing.B) { RunQueueByOne(b, set, openQueue(partition.SyncAlways, rawCodec{})) })
}

func benchmarkQueues(b *testing.B, run func(*testing.B, *Set, QueueOpener)) {
	set := JSON(QueueRecords)
	b.Run("jlq-os", func(b *testing.B) { run(b, set, openQueue(partition.SyncOS, rawCodec{})) })
	b.Run("jlq-buffered", func(b *testing.B) { run(b, set, openQueue(partition.SyncBuffered, rawCodec{})) })
	b.Run("jlq-bytes-os", func(b *testing.B) { run(b, set, openQueue(partition.SyncOS, queue.Bytes())) })
}

// rawCodec is for values that are records already, as those of the peers are
// what they store.
type rawCodec struct{}

func (rawCodec) AppendRecord(dst, v []byte) ([]byte, error) { return append(dst, v...), nil }

func (rawCodec) Decode(record []byte) ([]byte, error) { return bytes.Clone(record), nil }

// jlqQueue is a queue as a contestant.
type jlqQueue struct{ q *queue.Queue[[]byte] }

func openQueue(sync partition.SyncMode, codec queue.Codec[[]byte]) QueueOpener {
	return func(dir string) (Queue, error) {
		q, err := queue.Open(dir, &queue.Options[[]byte]{Codec: codec, Log: partition.Options{Sync: sync}})
		return jlqQueue{q}, err
	}
}

// Enqueue implements Queue.
func (j jlqQueue) Enqueue(record []byte) error {
	_, err := j.q.Enqueue(record)
	return err
}

// Dequeue implements Queue.
func (j jlqQueue) Dequeue() ([]byte, error) {
	item, err := j.q.Dequeue(context.Background())
	if err != nil {
		return nil, err
	}
	item.Ack()
	return item.Value, nil
}

// Close implements Queue.
func (j jlqQueue) Close() error { return j.q.Close() }
