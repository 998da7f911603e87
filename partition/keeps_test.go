package partition

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestBareNameIsDurable: what is acknowledged in a bare file is there after a
// power loss, whoever made the file just now, and also where an index lay there
// already, which need not be replaced.
func TestBareNameIsDurable(t *testing.T) {
	for _, found := range []bool{false, true} {
		mem := vfs.NewMem()
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl.index", make([]byte, 8), 0o600))
		if found {
			f, err := mem.Open("f.jsonl", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
		p := mustOpen(t, "f.jsonl", &Options{FS: mem})
		_, err := p.Append([]byte("1"))
		require.NoError(t, err)
		after := mem.Crash(vfs.CrashConfig{})
		_ = p.Close()
		r, err := OpenReader("f.jsonl", &Options{FS: after})
		require.NoError(t, err)
		require.Equal(t, []string{"1"}, read(t, r, 0))
		require.NoError(t, r.Close())
	}
}

// TestFailedOpenGivesUp: a log that could not be opened is not locked.
func TestFailedOpenGivesUp(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mustOpen(t, "p", &Options{FS: mem}).Close())
	meta := filepath.Join("p", segment.MetaName)
	content, err := vfs.ReadFile(mem, meta, 1<<20)
	require.NoError(t, err)
	require.NoError(t, vfs.ReplaceFile(mem, meta, []byte("{"), 0o600))
	_, err = Open("p", &Options{FS: mem})
	require.Error(t, err)
	require.NoError(t, vfs.ReplaceFile(mem, meta, content, 0o600))
	require.NoError(t, mustOpen(t, "p", &Options{FS: mem}).Close())
}

// TestSegmentIsNoBareFile: the files of a partition are written through its
// directory only, where its promise and its lock are.
func TestSegmentIsNoBareFile(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mustOpen(t, "p", &Options{FS: mem}).Close())
	for _, path := range []string{segment.PairAt("p", 0).Records, segment.PairAt("p", 9).Records, filepath.Join("p", segment.MetaName)} {
		_, err := Open(path, &Options{FS: mem})
		require.ErrorContains(t, err, "is a file of a partition", path)
	}
	names, err := mem.List("p")
	require.NoError(t, err)
	require.Len(t, names, 3)
}

// TestLocksTaken: while a log is open for appending, everything that leads to
// its records is locked.
func TestLocksTaken(t *testing.T) {
	for log, names := range map[string][]string{
		"p":       {"p", segment.PairAt("p", 0).Records},
		"f.jsonl": {"f.jsonl", "f.jsonl.index"},
	} {
		mem := vfs.NewMem()
		for _, what := range []string{"made", "found"} {
			p := mustOpen(t, log, &Options{FS: mem})
			for _, name := range names {
				_, err := mem.Lock(name)
				require.ErrorIs(t, err, ErrLocked, "%s, %s", name, what)
			}
			require.NoError(t, p.Close())
			for _, name := range names {
				lock, err := mem.Lock(name)
				require.NoError(t, err, "%s, %s", name, what)
				require.NoError(t, lock.Close())
			}
		}
	}
}

// TestLockedBeforeRecovery: nothing is changed before the locks are taken, and
// they are held until everything is on the disk.
func TestLockedBeforeRecovery(t *testing.T) {
	pair := segment.PairAt("p", 0)
	mem := vfs.NewMem()
	p := mustOpen(t, "p", &Options{FS: mem})
	_, err := p.Append([]byte("1"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, vfs.ReplaceFile(mem, pair.Records, []byte("1\ntorn"), 0o600))

	fault := vfs.NewFault(mem, nil)
	p = mustOpen(t, "p", &Options{FS: fault})
	_, err = p.Append([]byte("2"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	var locks, changes, unlocks []int
	for _, op := range fault.Ops() {
		switch {
		case op.Kind == vfs.OpLock:
			locks = append(locks, op.N)
		case op.Kind == vfs.OpClose && op.Path == "p":
			unlocks = append(unlocks, op.N)
		case op.Kind.Changes() && op.Kind != vfs.OpOpen:
			changes = append(changes, op.N)
		}
	}
	require.Len(t, locks, 2)
	require.Len(t, unlocks, 1)
	require.Less(t, locks[1], changes[0])
	require.Less(t, changes[len(changes)-1], unlocks[0])
}

// TestSyncedSegmentAway: the segment that the promise names is missing, which
// a later one does not make up for.
func TestSyncedSegmentAway(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("p", 0o700))
	pair := segment.PairAt("p", 100)
	require.NoError(t, vfs.ReplaceFile(mem, pair.Records, nil, 0o600))
	require.NoError(t, vfs.ReplaceFile(mem, pair.Index, make([]byte, 8), 0o600))
	meta := segment.Meta{Sync: "always", Validate: "strict", Batch: 1 << 20, Start: 50, Synced: segment.Mark{Base: 50, Position: 8}}
	require.NoError(t, segment.WriteMeta(mem, "p", meta, 0o600))
	_, err := Open("p", &Options{FS: mem})
	away, is := errors.AsType[*SegmentAwayError](err)
	require.True(t, is, "%v", err)
	require.Equal(t, uint64(50), away.Base)
}

// TestForeignDirectory: a slip of the keyboard does not scatter files in a
// directory that is something else.
func TestForeignDirectory(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("photos", 0o700))
	require.NoError(t, vfs.ReplaceFile(mem, "photos/cat.png", []byte("x"), 0o600))
	_, err := Open("photos", &Options{FS: mem})
	require.ErrorIs(t, err, ErrNotLog)
	names, err := mem.List("photos")
	require.NoError(t, err)
	require.Equal(t, []string{"cat.png"}, names)
	_, err = mem.Stat("photos/cat.png.index")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestSaverKeeps: what a sync writes to partition.json keeps the start of the
// log, and the larger bound on a batch.
func TestSaverKeeps(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("p", 0o700))
	pair := segment.PairAt("p", 7)
	require.NoError(t, vfs.ReplaceFile(mem, pair.Records, nil, 0o600))
	require.NoError(t, vfs.ReplaceFile(mem, pair.Index, make([]byte, 8), 0o600))
	meta := segment.Meta{Sync: "always", Validate: "strict", Batch: 1 << 30, Start: 7, Synced: segment.Mark{Base: 7}}
	require.NoError(t, segment.WriteMeta(mem, "p", meta, 0o600))

	p := mustOpen(t, "p", &Options{FS: mem})
	offset, err := p.Append([]byte("1"))
	require.NoError(t, err)
	require.Equal(t, uint64(7), offset)
	require.NoError(t, p.Close())
	now, _, err := segment.ReadMeta(mem, "p")
	require.NoError(t, err)
	require.Equal(t, segment.Mark{Base: 7, Position: 2}, now.Synced)
	require.Equal(t, uint64(7), now.Start)
	require.Equal(t, int64(1<<30), now.Batch)
}
