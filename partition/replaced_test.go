package partition

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// doBehind does something before the first operation that when accepts, behind one
// that after accepts.
func doBehind(mem *vfs.Mem, after, when func(op vfs.Op) bool, do func(mem *vfs.Mem)) *vfs.Fault {
	armed, done := false, false
	return vfs.NewFault(mem, func(op vfs.Op) error {
		if armed && !done && when(op) {
			done = true
			do(mem)
		}
		armed = armed || after(op)
		return nil
	})
}

func opIs(kind vfs.OpKind, path string) func(vfs.Op) bool {
	return func(op vfs.Op) bool { return op.Kind == kind && op.Path == path }
}

// TestReplacedAfterLocking: a file that an editor saves between locking and
// opening is not the one that is locked, and another writer could have it.
func TestReplacedAfterLocking(t *testing.T) {
	pair := segment.PairAt("p", 0)
	for _, c := range []struct{ log, locked, replaced string }{
		{"p", pair.Records, pair.Records},
		{"f.jsonl", "f.jsonl", "f.jsonl"},
	} {
		mem := vfs.NewMem()
		p := mustOpen(t, c.log, &Options{FS: mem})
		_, err := p.Append([]byte("1"))
		require.NoError(t, err)
		require.NoError(t, p.Close())
		content, err := vfs.ReadFile(mem, c.replaced, 1<<20)
		require.NoError(t, err)
		replaced := false
		fsys := doBehind(mem, opIs(vfs.OpLock, c.locked), opIs(vfs.OpOpen, c.replaced), func(mem *vfs.Mem) {
			require.NoError(t, vfs.ReplaceFile(mem, c.replaced, content, 0o600))
			replaced = true
		})
		_, err = Open(c.log, &Options{FS: fsys})
		require.True(t, replaced)
		require.ErrorIs(t, err, ErrReplaced, c.replaced)
	}
}

// TestRenamedWhileLocking: a directory that is renamed between opening and
// locking it is not what its name denotes, and the new one has its own writer.
func TestRenamedWhileLocking(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mustOpen(t, "p", &Options{FS: mem}).Close())
	fsys := doBehind(mem, opIs(vfs.OpLock, "p"), opIs(vfs.OpStat, "p"), func(mem *vfs.Mem) {
		require.NoError(t, mem.Rename("p", "moved"))
		require.NoError(t, mem.Mkdir("p", 0o700))
	})
	_, err := Open("p", &Options{FS: fsys})
	require.ErrorIs(t, err, ErrReplaced)
	names, err := mem.List("p")
	require.NoError(t, err)
	require.Empty(t, names, "nothing was made in the new directory")
	_, err = mem.Stat(filepath.Join("moved", segment.MetaName))
	require.NoError(t, err)
}
