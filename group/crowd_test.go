package group

import (
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// A member takes only as many partitions as leave its process open files, says so
// once, and others have the rest.
func TestMemberLeavesFilesFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 10, 2)
		g := open(t, mem, "orders", Options{})
		g.files = 8
		a := join(t, g)
		require.Len(t, a.Partitions(), 4)
		err := a.nextReport()
		var crowded *CrowdedError
		require.ErrorAs(t, err, &crowded)
		require.Equal(t, &CrowdedError{Group: "g", Held: 4, Left: 6, Files: 8}, crowded)
		var one *PartitionError
		require.ErrorAs(t, err, &one, "the loop goes on")
		require.ErrorIs(t, err, syscall.EMFILE)
		time.Sleep(5 * balanceEvery)
		require.NoError(t, a.nextReport(), "once")
		b := join(t, g)
		time.Sleep(rebalanceWithin)
		require.Len(t, a.Partitions(), 4)
		require.Len(t, b.Partitions(), 4)
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	})
}

// A reset needs all claims at once: where there are too many, it says so.
func TestResetOfTooMany(t *testing.T) {
	mem := vfs.NewMem()
	newTopic(t, mem, 3, 1)
	require.NoError(t, open(t, mem, "orders", Options{}).Register(t.Context()))
	g := open(t, vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpLock && strings.HasSuffix(op.Path, "/g/2") {
			return syscall.EMFILE
		}
		return nil
	}), "orders", Options{})
	_, err := g.Reset(t.Context(), ToEnd())
	require.ErrorIs(t, err, syscall.EMFILE)
	require.ErrorContains(t, err, "3 partitions are claimed at once")
	require.ErrorContains(t, err, "ulimit -n")
	require.Equal(t, map[int]uint64{0: 0, 1: 0, 2: 0}, committed(t, g))
}

// A group that is unregistered between the registering of a member and its first
// claim is registered again.
func TestUnregisteredBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 3)
		other := open(t, mem, "log", Options{})
		require.NoError(t, other.Register(t.Context()))
		done := false
		g := open(t, vfs.NewFault(mem, func(op vfs.Op) error {
			if !done && op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, newSuffix) {
				done = true
				require.NoError(t, other.Unregister(t.Context()))
			}
			return nil
		}), "log", Options{})
		m := join(t, g)
		require.True(t, done)
		require.Empty(t, m.Partitions())
		require.ErrorIs(t, m.nextReport(), ErrNotRegistered)
		time.Sleep(failedFor + 2*balanceEvery)
		require.Equal(t, []int{0}, m.Partitions())
		require.NoError(t, m.nextReport())
		require.Equal(t, []uint64{0, 1, 2}, all(t, m))
		require.NoError(t, m.Close())
		require.Equal(t, uint64(3), place(t, g))
	})
}

// Another process is stopped while it has the lock of the offsets: consuming goes
// on, the log names who has it, and what was finished is saved once it goes on.
func TestStoppedWithinACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 10)
		var text strings.Builder
		g := open(t, mem, "log", Options{Logger: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelWarn}))})
		m := join(t, g)
		for _, msg := range take(t, m, 1) {
			msg.Ack()
		}
		require.NoError(t, m.CommitSync())
		msgs := take(t, m, 1)
		stopped, err := mem.Lock(g.src.place.Lock)
		require.NoError(t, err)
		msgs[0].Ack()
		for _, msg := range take(t, m, 5) {
			msg.Ack()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NoError(t, m.nextReport(), "the loop goes on")
		require.Contains(t, text.String(), g.src.place.Lock)
		require.Contains(t, text.String(), "stopped or hangs")
		require.NoError(t, stopped.Close())
		time.Sleep(20 * time.Second)
		require.Equal(t, uint64(7), place(t, g))
		require.NoError(t, m.Close())
	})
}
