package group

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// fill makes a lone partition of n records {"n":0}, {"n":1}, …
func fill(t *testing.T, fsys vfs.FS, path string, n int) {
	t.Helper()
	p, err := partition.Open(path, &partition.Options{FS: fsys, Sync: partition.SyncOS})
	require.NoError(t, err)
	_, next := p.Bounds()
	for i := range n {
		_, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, int(next)+i))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
}

func open(t *testing.T, fsys vfs.FS, path string, opts Options) *Group {
	t.Helper()
	opts.FS = fsys
	g, err := Open(path, "g", &opts)
	require.NoError(t, err)
	return g
}

func join(t *testing.T, g *Group) *Member {
	t.Helper()
	m, err := g.Join(t.Context())
	require.NoError(t, err)
	return m
}

// entry is the group's entry in the file, for partition 0 of what is no topic.
func entry(t *testing.T, g *Group) offsets.Entry {
	t.Helper()
	f, fallback, err := offsets.Read(g.src.fs, g.src.place)
	require.NoError(t, err)
	require.Nil(t, fallback)
	e, ok := f.Lookup("g", "0")
	require.True(t, ok, "the group is registered")
	return e
}

func TestJoinRegistersAndClaims(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{})
	m := join(t, g)
	require.Equal(t, []int{0}, m.Partitions())
	require.Equal(t, offsets.Entry{Gen: 1}, entry(t, g), "nothing was delivered")
	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "again")
	m = join(t, g)
	require.Equal(t, uint64(2), entry(t, g).Gen)
	require.NoError(t, m.Close())
}

func TestToLast(t *testing.T) {
	for n, want := range map[uint64]uint64{0: 10, 3: 7, 10: 0, 11: 0} {
		mem := vfs.NewMem()
		fill(t, mem, "log", 10)
		m := join(t, open(t, mem, "log", Options{Start: ToLast(n)}))
		require.NoError(t, m.Close())
		require.Equal(t, want, entry(t, m.g).Next, "the last %d", n)
	}
}
