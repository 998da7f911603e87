package partition

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// rollDisk is a file system that can be crashed and has the directory to
// open in.
func rollDisk() *vfs.Mem { return vfs.NewMem() }

func line(n int) []byte { return fmt.Appendf(nil, `{"n":%d}`, n) }

// bases are the segments of a partition.
func bases(t testing.TB, fsys vfs.FS, dir string) (out []uint64) {
	t.Helper()
	pairs, err := segment.Place{Path: dir}.Pairs(fsys)
	require.NoError(t, err)
	for _, p := range pairs {
		out = append(out, p.Base)
	}
	return out
}

// requireNumbered reads a log in every way: it holds line(0) to line(n-1).
func requireNumbered(t testing.TB, p *Partition, n int) {
	t.Helper()
	at := 0
	for rec, err := range p.Records(0) {
		require.NoError(t, err)
		require.Equal(t, uint64(at), rec.Offset)
		require.Equal(t, string(line(at)), string(rec.Data))
		at++
	}
	require.Equal(t, n, at)
	for rec, err := range p.Backward(uint64(n)) {
		require.NoError(t, err)
		at--
		require.Equal(t, uint64(at), rec.Offset)
		require.Equal(t, string(line(at)), string(rec.Data))
	}
	require.Zero(t, at)
	for i := range n {
		data, err := p.Get(uint64(i))
		require.NoError(t, err)
		require.Equal(t, string(line(i)), string(data))
	}
	start, next := p.Bounds()
	require.Zero(t, start)
	require.Equal(t, uint64(n), next)
}

// TestRollByRecords: under every mode a segment gets no more records than it
// may, and nothing is lost when the log is opened again.
func TestRollByRecords(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			fsys := rollDisk()
			p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode, SegmentRecords: 3})
			for i := range 10 {
				_, err := p.Append(line(i))
				require.NoError(t, err)
			}
			require.Equal(t, []uint64{0, 3, 6, 9}, bases(t, fsys, "p"))
			requireNumbered(t, p, 10)
			require.Equal(t, uint64(3), p.Stats().Written.Rolls)
			require.NoError(t, p.Close())

			p = mustOpen(t, "p", &Options{FS: fsys, Sync: mode})
			requireNumbered(t, p, 10)
			require.Zero(t, p.Recovery().Lines())
			require.NoError(t, p.Close())
		})
	}
}

// TestRollByHand: Roll seals what is there, and says when there is nothing.
func TestRollByHand(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			fsys := rollDisk()
			p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode})
			require.ErrorIs(t, p.Roll(), ErrEmptySegment)
			_, err := p.AppendBatch([][]byte{line(0), line(1)})
			require.NoError(t, err)
			require.NoError(t, p.Roll())
			require.Equal(t, uint64(2), p.Durable())
			require.ErrorIs(t, p.Roll(), ErrEmptySegment)
			requireNumbered(t, p, 2)
			_, err = p.Append(line(2))
			require.NoError(t, err)
			requireNumbered(t, p, 3)
			require.Equal(t, []uint64{0, 2}, bases(t, fsys, "p"))
			require.NoError(t, p.Close())
			require.ErrorIs(t, p.Roll(), fs.ErrClosed)
		})
	}
}
