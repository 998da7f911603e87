package queue

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waiting starts a goroutine that waits in Dequeue, and returns once it does.
func waiting(t *testing.T, q *Queue[string]) <-chan string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		item, err := q.Dequeue(context.Background())
		if err != nil {
			got <- err.Error()
			return
		}
		item.Ack()
		got <- item.Value
	}()
	require.Eventually(t, func() bool { return q.waits.Load() != nil }, patience, time.Millisecond)
	return got
}

// soon returns what do returned, which must not wait.
func soon(t *testing.T, what string, do func() error) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		t.Fatalf("%s waits for a goroutine that is in Dequeue", what)
		return nil
	}
}

// TestNobodyWaitsForWhoWaits: a goroutine in Dequeue, which may wait for ever,
// keeps no other one from asking.
func TestNobodyWaitsForWhoWaits(t *testing.T) {
	q := texts(t, newPath(t))
	got := waiting(t, q)
	for range 100 {
		require.NoError(t, soon(t, "Sync", q.Sync))
		require.NoError(t, soon(t, "Len", func() error { _, err := q.Len(); return err }))
		require.ErrorIs(t, soon(t, "TryDequeue", func() error { _, err := q.TryDequeue(); return err }), ErrEmpty)
		require.ErrorIs(t, soon(t, "Peek", func() error { _, err := q.Peek(); return err }), ErrEmpty)
	}
	put(t, q, "a")
	require.Equal(t, "a", <-got)
}
