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

// remote is a file system that says of one directory that it is another
// machine's.
type remote struct {
	vfs.FS
	dir string
}

func (r remote) Network(dir string) (string, error) {
	if filepath.Clean(dir) == r.dir {
		return "nfs", nil
	}
	return "", nil
}

// TestNetworkRefused: a log on a network file system is not written, and
// nothing of it is made before that is known.
func TestNetworkRefused(t *testing.T) {
	for _, name := range []string{"p", "p/", "p.jsonl"} {
		dir := t.TempDir()
		path := dir + string(filepath.Separator) + name
		opts := &Options{FS: remote{vfs.OS, dir}}
		_, err := Open(path, opts)
		require.ErrorIs(t, err, ErrNetwork)
		_, err = os.Lstat(path)
		require.ErrorIs(t, err, fs.ErrNotExist)

		p := mustOpen(t, path, &Options{FS: opts.FS, AllowNetwork: true})
		require.NoError(t, p.Close())
		if name != "p.jsonl" {
			opts.FS = remote{vfs.OS, filepath.Clean(path)}
		}
		_, err = Open(path, opts)
		require.ErrorIs(t, err, ErrNetwork)
	}
}

// TestStartBeyondTheEnd: a partition.json whose start lies above all segments
// tells of one that is away. Writers say so as readers do.
func TestStartBeyondTheEnd(t *testing.T) {
	for _, start := range []uint64{5, 10, 11, segment.MaxOffset} {
		dir := filepath.Join(t.TempDir(), "p")
		tenRecords(t, dir)
		meta, _, err := segment.ReadMeta(vfs.OS, dir)
		require.NoError(t, err)
		meta.Start = start
		require.NoError(t, segment.WriteMeta(vfs.OS, dir, meta, 0o600))
		before := readFile(t, dir, "partition.json")

		_, err = Open(dir, nil)
		away, is := errors.AsType[*SegmentAwayError](err)
		require.True(t, is, "%v", err)
		require.Equal(t, start, away.Base)
		require.Equal(t, before, readFile(t, dir, "partition.json"))

		r, err := OpenReader(dir, nil)
		require.NoError(t, err)
		_, err = r.Get(start + 100)
		if start < 10 {
			require.Error(t, err)
		} else {
			_, is = errors.AsType[*SegmentAwayError](err)
			require.True(t, is, "%v", err)
		}
		require.NoError(t, r.Close())
	}
}
