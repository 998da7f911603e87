package segment

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestLiveRoll: after a roll the tail knows nothing of the old segment, whose
// positions are in its index, and the positions of the new one begin at 0.
func TestLiveRoll(t *testing.T) {
	l := NewLive(0, 2, 20)
	l.Extend([]int64{30, 40}, []byte("123456789\n123456789\n"))
	l.SetPublished(2)
	l.Roll()
	require.Equal(t, uint64(4), l.Base())
	require.Equal(t, uint64(4), l.Next())
	require.Equal(t, uint64(4), l.Published())
	require.Empty(t, l.Buffered())
	require.Empty(t, l.Pending())

	l.Extend([]int64{8}, []byte("abcdefg\n"))
	require.Equal(t, []int64{8}, l.Pending())
	posts := make([]int64, 4)
	n, ok := l.Positions(4, posts)
	require.True(t, ok)
	require.Equal(t, []int64{0, 8}, posts[:n])
	_, ok = l.Positions(3, posts)
	require.False(t, ok, "it is in the index of the old segment")
}

// rollDir is a partition directory with one recovered segment of two records.
func rollDir(t *testing.T, hook func(vfs.Op) error) (*vfs.Mem, *Active, *Locks) {
	t.Helper()
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("p", 0o700))
	a, _, _, err := Recover(vfs.NewFault(mem, hook), "p", PairAt("p", 0), RecoverOptions{
		Mode: Meta{Format: 1, Sync: SyncAlwaysName, Validate: ValidateStrictName}, MaxLine: 1 << 10, Perm: 0o600,
	})
	require.NoError(t, err)
	require.NoError(t, a.Write([]byte("1\n2\n")))
	a.Accept(4)
	_, err = a.Publish([]int64{2, 4})
	require.NoError(t, err)
	locks := &Locks{}
	require.NoError(t, locks.Take(mem, "p"))
	require.NoError(t, locks.Take(mem, a.Records))
	return mem, a, locks
}

// TestNextFails: whatever fails, the old segment is as it was, the new one's
// files are gone, and its lock is given up.
func TestNextFails(t *testing.T) {
	count := 0
	_, a, locks := rollDir(t, func(vfs.Op) error { count++; return nil })
	before := count
	b, err := a.Next(2, locks)
	require.NoError(t, err)
	total := count - before
	require.NoError(t, b.Discard(locks))

	for n := range total {
		at, failed, from := 0, vfs.Op{}, -1
		mem, a, locks := rollDir(t, func(op vfs.Op) error {
			if from >= 0 && op.N == from+n {
				failed = op
				return syscall.EIO
			}
			at = op.N
			return nil
		})
		from = at + 1
		names, err := mem.List("p")
		require.NoError(t, err)
		_, err = a.Next(2, locks)
		require.ErrorIs(t, err, syscall.EIO)
		after, err := mem.List("p")
		require.NoError(t, err)
		require.Equal(t, names, after, "%v", failed)
		require.Len(t, locks.held, 2, "%v", failed)
		require.NoError(t, a.Check(0))
		again, err := a.Next(2, locks)
		require.NoError(t, err, "%v", failed)
		require.NoError(t, again.Close())
		require.NoError(t, locks.Release())
		require.NoError(t, a.Close())
	}
}

// TestDiscardLeavesOthers: a file that another program put under the name is
// not removed.
func TestDiscardLeavesOthers(t *testing.T) {
	mem, a, locks := rollDir(t, nil)
	b, err := a.Next(2, locks)
	require.NoError(t, err)
	require.NoError(t, mem.Rename(b.Records, filepath.Join("p", "moved")))
	f, err := mem.Open(b.Records, os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, b.Discard(locks))
	_, err = mem.Stat(b.Records)
	require.NoError(t, err)
	_, err = mem.Stat(b.Index)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestNextOfLink: an index that is a link, of whatever kind, is not taken over.
func TestNextOfLink(t *testing.T) {
	mem, a, locks := rollDir(t, nil)
	f, err := mem.Open("other", os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, mem.Link("other", PairAt("p", 2).Index))
	_, err = a.Next(2, locks)
	require.ErrorContains(t, err, "hard links")
	info, err := mem.Stat("other")
	require.NoError(t, err)
	require.Zero(t, info.Size)
}

// TestNextReplaced: a file that another program puts in the place of one of the
// new ones is noticed, and stays.
func TestNextReplaced(t *testing.T) {
	for _, name := range []string{PairAt("p", 2).Records, PairAt("p", 2).Index} {
		var mem *vfs.Mem
		saved := false
		mem, a, locks := rollDir(t, func(op vfs.Op) error {
			if op.Kind != vfs.OpSyncDir || mem == nil {
				return nil
			}
			saved = true
			return vfs.ReplaceFile(mem, name, []byte("saved"), 0o600)
		})
		_, err := a.Next(2, locks)
		require.True(t, saved)
		require.ErrorIs(t, err, ErrReplaced)
		data, err := vfs.ReadFile(mem, name, 10)
		require.NoError(t, err)
		require.Equal(t, "saved", string(data))
		require.NoError(t, a.Check(0))
	}
}

// TestDiscardOrder: of a roll that is taken back, the records file goes first.
func TestDiscardOrder(t *testing.T) {
	var removed []string
	_, a, locks := rollDir(t, func(op vfs.Op) error {
		if op.Kind == vfs.OpRemove {
			removed = append(removed, op.Path)
		}
		return nil
	})
	b, err := a.Next(2, locks)
	require.NoError(t, err)
	require.NoError(t, b.Discard(locks))
	require.Equal(t, []string{b.Records, b.Index}, removed)
}
