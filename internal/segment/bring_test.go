package segment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// direct remembers what is done past the cache. before is called before a file
// is opened there.
type direct struct {
	*broken
	before func()
	did    []string
}

func (d *direct) OpenDirect(name string) (vfs.File, error) {
	if d.before != nil {
		d.before()
	}
	f, err := d.broken.OpenDirect(name)
	return &directFile{f, d}, err
}

type directFile struct {
	vfs.File
	d *direct
}

func (f *directFile) WriteAt(p []byte, off int64) (int, error) {
	f.d.did = append(f.d.did, "write")
	return f.File.WriteAt(p, off)
}

func (f *directFile) Truncate(size int64) error {
	f.d.did = append(f.d.did, "truncate")
	return f.File.Truncate(size)
}

func (f *directFile) Sync() error {
	f.d.did = append(f.d.did, "sync")
	return f.File.Sync()
}

// TestBringIsSynced: what is brought to the disk, and the size of the file
// again, are synced behind it.
func TestBringIsSynced(t *testing.T) {
	records := PairAt("p", 0).Records
	fsys := &direct{broken: &broken{Mem: vfs.NewMem(), disk: map[string]string{records: three[:8]}}}
	state{recs: three, idx: []uint64{0, 8}, meta: always(8)}.put(t, fsys)
	a, _, _, err := recoverState(fsys, always(8))
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, []string{"write", "truncate", "sync"}, fsys.did)
}

// TestBringSparesOthers: a file that takes the name meanwhile is not written
// to.
func TestBringSparesOthers(t *testing.T) {
	records, saved := PairAt("p", 0).Records, strings.Repeat("[1]\n", 6)
	fsys := &direct{broken: &broken{Mem: vfs.NewMem(), disk: map[string]string{records: three[:8]}}}
	fsys.before = func() {
		require.NoError(t, vfs.ReplaceFile(fsys.Mem, records, []byte(saved), 0o600))
	}
	state{recs: three, idx: []uint64{0, 8}, meta: always(8)}.put(t, fsys)
	_, _, _, err := recoverState(fsys, always(8))
	require.ErrorIs(t, err, ErrReplaced)
	require.Empty(t, fsys.did)
	require.Equal(t, saved, read(t, fsys, records))
}

// TestBareIndexIsSettled: entries of a bare file's index that the cache alone
// holds come into a new one.
func TestBareIndexIsSettled(t *testing.T) {
	pair := BarePair("f.jsonl")
	fsys := &broken{Mem: vfs.NewMem(), disk: map[string]string{pair.Index: string(entriesOf(0, 8, 0, 0))}}
	require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, []byte(three), 0o600))
	require.NoError(t, vfs.ReplaceFile(fsys, pair.Index, entriesOf(0, 8, 16, 24), 0o600))
	before, err := fsys.Stat(pair.Index)
	require.NoError(t, err)
	require.NoError(t, recoverBare(t, fsys, pair).Close())
	after, err := fsys.Stat(pair.Index)
	require.NoError(t, err)
	require.False(t, before.Same(after))
	require.Equal(t, string(entriesOf(0, 8, 16, 24)), read(t, fsys, pair.Index))
}
