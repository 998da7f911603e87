//go:build unix

package queue

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Fault: a consumer that waits keeps a processor busy. What is measured is the
// processor time of this process, which others on the machine do not change; how
// the fault itself would be measured is shown beside it.
func TestFaultBusyWaiting(t *testing.T) {
	q := texts(t, newPath(t))
	requireEmpty(t, q) // it has joined
	const wait = 300 * time.Millisecond
	idle := busy(t, wait, func(ctx context.Context) {
		for range 8 {
			go func() {
				if _, err := q.Dequeue(ctx); err == nil {
					t.Error("a value came from nowhere")
				}
			}()
		}
		<-ctx.Done()
	})
	spinning := busy(t, wait, func(ctx context.Context) {
		for ctx.Err() == nil {
			if _, err := q.TryDequeue(); err == nil {
				t.Error("a value came from nowhere")
			}
		}
	})
	t.Logf("processor time of 8 that wait %v: %v; of one that asks again and again: %v", wait, idle, spinning)
	require.Less(t, idle, wait/10)
	require.Greater(t, spinning, 3*idle, "the measurement cannot tell")
}

// busy returns the processor time that the process takes during work.
func busy(t *testing.T, wait time.Duration, work func(context.Context)) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	before := processorTime(t)
	work(ctx)
	return processorTime(t) - before
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
