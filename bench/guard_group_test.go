package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
	"example.com/jlq/partition"
	"example.com/jlq/queue"
	"example.com/jlq/topic"
)

// groupGuards are what groups and queues cost beyond the logs beneath them.
func groupGuards() []guard {
	return []guard{
		// A member looks twice a second who else there is, whatever it does.
		{"consume and ack 100 records", 6, 0.9, 100, consuming},
		{"mark and commit one record", 590, 38.9, 50, committing},
		{"enqueue, SyncOS", 0, 1.3, 500, enqueueing},
		{"dequeue and ack", 2, 0.1, 2000, dequeueing},
		{"enqueue, dequeue and ack, SyncOS", 2, 1.4, 500, queueing},
		{"merge 10,000 records of a topic", 130, 45, 5, merging},
	}
}

// consuming ranges over messages.
func consuming(t *testing.T, dir string, fs *countingFS) func() error {
	const records = 50_000
	guardedLog(t, dir, records)
	member := guardedMember(t, dir, fs)
	const each = 100 // a loop that begins and ends for each record is another thing
	return func() error {
		_, err := consume(t.Context(), member, each)
		return err
	}
}

// committing commits each record.
func committing(t *testing.T, dir string, fs *countingFS) func() error {
	guardedLog(t, dir, 1000)
	member := guardedMember(t, dir, fs)
	return func() error { return ackAndCommit(t.Context(), member, 1) }
}

func guardedMember(t *testing.T, dir string, fs *countingFS) *group.Member {
	t.Helper()
	g, err := group.Open(dir, "guard", &group.Options{CommitEvery: -1, FS: fs})
	require.NoError(t, err)
	member, err := g.Join(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, member.Close()) })
	return member
}

func guardedQueue(t *testing.T, dir string, fs *countingFS) *queue.Queue[[]byte] {
	t.Helper()
	q, err := queue.Open(dir, &queue.Options[[]byte]{
		Codec: rawCodec{}, Log: partition.Options{Sync: partition.SyncOS, FS: fs}, Delivery: group.Options{CommitEvery: -1},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, q.Close()) })
	return q
}

// merging reads a topic in the order of time.
func merging(t *testing.T, dir string, fs *countingFS) func() error {
	set := JSON(10_000)
	top, err := topic.OpenReader(filledTopic(t, dir, mergedPartitions, set), &topic.Options{Partition: partition.Options{FS: fs}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, top.Close()) })
	return func() error {
		n, err := tallyTopic(top, nil)
		return firstError(err, n.Check(set))
	}
}

func enqueueing(t *testing.T, dir string, fs *countingFS) func() error {
	q, record := guardedQueue(t, dir, fs), JSON(1).Record(0)
	return func() error {
		_, err := q.Enqueue(record)
		return err
	}
}

func dequeueing(t *testing.T, dir string, fs *countingFS) func() error {
	guardedLog(t, dir, 10_000)
	q := guardedQueue(t, dir, fs)
	return func() error { return dequeued(q) }
}

func queueing(t *testing.T, dir string, fs *countingFS) func() error {
	q, record := guardedQueue(t, dir, fs), JSON(1).Record(0)
	return func() error {
		_, err := q.Enqueue(record)
		return firstError(err, dequeued(q))
	}
}

func dequeued(q *queue.Queue[[]byte]) error {
	item, err := q.Dequeue(context.Background())
	if err == nil {
		item.Ack()
	}
	return err
}
