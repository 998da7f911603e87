package queue

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// What a queue starts ends with it, and what waits for it too.
func TestNothingIsLeft(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	q, err := Open(newPath(t), &Options[string]{DropConsumed: true})
	require.NoError(t, err)
	put(t, q, "a", "b")
	takeAll(t, q, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for range 4 {
		go func() {
			var err error
			for err == nil {
				_, err = q.Dequeue(ctx)
			}
			ended <- err
		}()
	}
	cancel()
	for range 4 {
		require.ErrorIs(t, <-ended, context.Canceled)
	}
	require.NoError(t, q.Close())
}
