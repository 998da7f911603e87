package segment

import (
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestLiveWait: who waits is woken by an append and by the end, and by nothing
// that does not concern him.
func TestLiveWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(0, 5, 40)
		require.NoError(t, l.Wait(t.Context(), 4), "record 4 is there")
		woken := make(chan error, 1)
		go func() { woken <- l.Wait(t.Context(), 6) }()
		synctest.Wait()
		l.Extend([]int64{48}, []byte("1234567\n"))
		synctest.Wait()
		require.Empty(t, woken, "record 6 is not")
		l.Extend([]int64{56}, []byte("1234567\n"))
		require.NoError(t, <-woken)

		go func() { woken <- l.Wait(t.Context(), 7) }()
		synctest.Wait()
		l.Close()
		require.ErrorIs(t, <-woken, fs.ErrClosed)
		require.NoError(t, l.Wait(t.Context(), 6))
	})
}

// TestLiveTailFirst: the watermark does not pass what the tail knows.
func TestLiveTailFirst(t *testing.T) {
	l := NewLive(0, 0, 0)
	l.tail.mu.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Extend([]int64{8}, []byte("1234567\n"))
	}()
	time.Sleep(20 * time.Millisecond) // the append waits for the tail
	require.Zero(t, l.Next())
	l.tail.mu.Unlock()
	<-done
	require.Equal(t, uint64(1), l.Next())
}

// TestLocksGivenUp: a lock on what has lost its name is given up again.
func TestLocksGivenUp(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("p", 0o700))
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind != vfs.OpStat {
			return nil
		}
		require.NoError(t, mem.Rename("p", "moved"))
		return mem.Mkdir("p", 0o700)
	})
	var l Locks
	require.ErrorIs(t, l.Take(fsys, "p"), ErrReplaced)
	lock, err := mem.Lock("moved")
	require.NoError(t, err)
	require.NoError(t, lock.Close())
}
