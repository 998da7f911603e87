package segment

import (
	"context"
	"io/fs"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestWakeAll: one append wakes everybody, though it wakes only the first.
func TestWakeAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(0, 0, 0)
		const many = 50
		woken := make(chan error, many)
		for range many {
			go func() { woken <- l.Wait(t.Context(), 0) }()
		}
		synctest.Wait()
		require.EqualValues(t, many, l.wake.waiting.Load())
		l.Extend([]int64{8}, []byte("1234567\n"))
		synctest.Wait()
		require.Len(t, woken, many)
		for range many {
			require.NoError(t, <-woken)
		}
		require.Zero(t, l.wake.waiting.Load())
	})
}

// TestWakeLeave: who leaves, from whatever place of the list, does not keep those
// behind him from being woken.
func TestWakeLeave(t *testing.T) {
	const many = 5
	for gone := range many {
		synctest.Test(t, func(t *testing.T) {
			l := NewLive(0, 0, 0)
			woken := make(chan error, many)
			ctx, cancel := context.WithCancel(t.Context())
			for i := range many {
				c := t.Context()
				if i == gone {
					c = ctx
				}
				go func() { woken <- l.Wait(c, 0) }()
				synctest.Wait()
			}
			cancel()
			require.ErrorIs(t, <-woken, context.Canceled)
			require.EqualValues(t, many-1, l.wake.waiting.Load())
			l.Extend([]int64{8}, []byte("1234567\n"))
			for range many - 1 {
				require.NoError(t, <-woken)
			}
		})
	}
}

// TestWakeHandedOn: who gives up while the list that he was in is being woken
// wakes the next all the same.
func TestWakeHandedOn(t *testing.T) {
	var w wake
	a, b := w.enter(), w.enter()
	w.all(false)
	w.leave(a)
	require.Len(t, b.woken, 1)
	w.leave(b)
	require.Zero(t, w.waiting.Load())
	require.NotNil(t, w.free)
}

// TestWakeClose wakes all for good.
func TestWakeClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(0, 0, 0)
		ended := make(chan error, 3)
		for range 3 {
			go func() { ended <- l.Wait(t.Context(), 0) }()
		}
		synctest.Wait()
		l.Close()
		l.Close()
		for range 3 {
			require.ErrorIs(t, <-ended, fs.ErrClosed)
		}
		require.ErrorIs(t, l.Wait(t.Context(), 0), fs.ErrClosed)
	})
}

// TestWakeStorm: with waiting, giving up and appending all at once nobody sleeps
// on, and memory is used again.
func TestWakeStorm(t *testing.T) {
	l := NewLive(0, 0, 0)
	const records, followers = 2000, 20
	var all sync.WaitGroup
	for f := range followers {
		all.Go(func() {
			for at := uint64(0); at < records; {
				ctx, cancel := context.WithCancel(t.Context())
				if f%2 == 1 {
					go cancel()
				}
				if err := l.Wait(ctx, at); err == nil {
					at = l.Next()
				}
				cancel()
			}
		})
	}
	for i := range int64(records) {
		l.Extend([]int64{8 * (i + 1)}, []byte("1234567\n"))
	}
	all.Wait()
	require.Zero(t, l.wake.waiting.Load())
	n := 0
	for x := l.wake.free; x != nil; x = x.next {
		n++
	}
	require.LessOrEqual(t, n, followers)
}
