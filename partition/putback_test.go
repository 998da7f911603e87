package partition

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// putBack copies the files of a segment from one disk to another, as a person
// would that had moved them away before.
func putBack(t testing.TB, from, to vfs.FS, base uint64) {
	t.Helper()
	pair := segment.PairAt("p", base)
	for _, name := range []string{pair.Records, pair.Index} {
		data, err := vfs.ReadFile(from, name, 1<<20)
		require.NoError(t, err)
		require.NoError(t, vfs.ReplaceFile(to, path.Join("p", path.Base(name)), data, 0o600))
	}
}

// TestTrimPutBack: segments that were put back when a trim had gone past them
// are no part of the log, and nobody removes them: not a trim, not retention,
// not an opening.
func TestTrimPutBack(t *testing.T) {
	mem, archive := trimFiles(t), trimFiles(t)
	p := mustOpen(t, "p", &Options{FS: mem, Retention: Retention{MaxSegments: 1}})
	require.NoError(t, p.Trim(10))
	require.NoError(t, p.Trim(20))
	putBack(t, archive, mem, 0)
	there := func(what string, want ...string) {
		t.Helper()
		require.Equal(t, want, basesOf(t, mem, ".jsonl"), what)
		require.Equal(t, want, basesOf(t, mem, ".index"), what)
	}
	require.NoError(t, p.Trim(20))
	there("after a trim of nothing", "0", "20")
	requireHolds(t, p, 20, 25)
	require.NoError(t, p.Roll())
	require.NoError(t, p.Trim(25))
	there("after a trim", "0", "25")
	require.NoError(t, p.Close())
	there("after Close", "0", "25")

	putBack(t, archive, mem, 10)
	p = mustOpen(t, "p", &Options{FS: mem, Retention: Retention{MaxSegments: 1}})
	require.Empty(t, p.Recovery().Lines())
	there("after opening", "0", "10", "25")
	requireEmpty(t, p, 25)
	require.NoError(t, p.Close())

	r, err := OpenReader("p", &Options{FS: mem})
	require.NoError(t, err)
	var notes []string
	for found, err := range r.Verify(t.Context()) {
		require.NoError(t, err)
		require.True(t, found.Note, "%v", found)
		notes = append(notes, found.Reason)
	}
	require.Equal(t, []string{"2 segments (376 bytes) lie below the start of the log, offset 25: no part of it, and left alone; jlq cat reads them in a directory of their own"}, notes)
	require.NoError(t, r.Close())
}

// TestTrimForgets: where it could not be written down that the files are gone,
// the next trim does it.
func TestTrimForgets(t *testing.T) {
	mem := trimFiles(t)
	renames := 0
	p := mustOpen(t, "p", &Options{FS: vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind != vfs.OpRename {
			return nil
		}
		if renames++; renames == 2 {
			return vfs.ErrTooLarge
		}
		return nil
	})})
	renames = 0
	require.ErrorIs(t, p.Trim(20), vfs.ErrTooLarge)
	meta, _, err := segment.ReadMeta(mem, "p")
	require.NoError(t, err)
	require.Equal(t, segment.Span{From: 0, To: 20}, meta.Dropping)
	require.NoError(t, p.Trim(20))
	meta, _, err = segment.ReadMeta(mem, "p")
	require.NoError(t, err)
	require.Equal(t, segment.Span{}, meta.Dropping)
	require.NoError(t, p.Close())
}
