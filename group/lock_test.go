package group

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

// A directory that is replaced between finding and locking it is not the one
// that the next one will lock.
func TestLockOfAReplacedDirectory(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("dir", 0o700))
	replaced := false
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpStat && op.Path == "dir" && !replaced { // it is locked by now
			replaced = true
			return errors.Join(mem.Remove("dir"), mem.Mkdir("dir", 0o700))
		}
		return nil
	})
	_, err := lockNamed(fault, "dir")
	require.ErrorIs(t, err, errMoved)
	l, err := lockNamed(fault, "dir")
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

// Who lost its claim leaves the directory to its successor.
func TestReleaseLeavesTheSuccessors(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	g := open(t, mem, "log", Options{})
	m := join(t, g)
	require.NoError(t, mem.Rename("log/groups", "trash"))
	successor := join(t, g)
	require.NoError(t, m.Close())
	lags, err := g.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, successor.Info().ID, lags[0].Member.ID)
	require.NoError(t, successor.Close())
}

// While a record is in flight, commits leave the mark, and the next record costs
// no write.
func TestMarkStaysWhileInFlight(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 5)
	g := open(t, mem, "log", Options{CommitEvery: -1})
	m := join(t, g)
	for msg, err := range m.Messages(t.Context()) {
		require.NoError(t, err)
		if msg.Offset < 2 {
			msg.Ack()
			continue
		}
		require.NoError(t, m.CommitSync())
		e := entry(t, g)
		require.True(t, e.Held)
		require.Equal(t, uint64(2), e.Next)
		require.True(t, (*m.list.Load())[0].claim.held.Load())
		break
	}
	require.NoError(t, m.Close())
}

// Going back delivers again, and what was committed stays until that is passed.
func TestSeekBackCommitsNothing(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 5)
	g := open(t, mem, "log", Options{CommitEvery: -1})
	m := join(t, g)
	consume := func(n int) {
		for msg, err := range m.Messages(t.Context()) {
			require.NoError(t, err)
			msg.Ack()
			if n--; n == 0 {
				break
			}
		}
		require.NoError(t, m.CommitSync())
	}
	consume(3)
	require.NoError(t, m.Seek(0, 0))
	consume(1)
	require.Equal(t, uint64(3), place(t, g))
	require.Equal(t, offsets.Check([]byte(`{"n":2}`)), entry(t, g).Check)
	consume(4)
	require.Equal(t, uint64(5), place(t, g))
	require.NoError(t, m.Close())
}

// After a commit that failed nobody knows whether the mark is on the disk: it is
// written again before the next delivery.
func TestFailedCommitMarksAgain(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 5)
	broken := errors.New("broken")
	failing := false
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if failing && op.Kind == vfs.OpSyncDir {
			return broken
		}
		return nil
	})
	g := open(t, fault, "log", Options{CommitEvery: -1})
	m := join(t, g)
	s := (*m.list.Load())[0]
	require.NoError(t, m.hold(s))
	failing = true
	require.ErrorIs(t, m.CommitSync(), broken)
	failing = false
	require.NoError(t, m.hold(s))
	require.True(t, entry(t, g).Held)
	require.NoError(t, m.Close())
}
