package partition

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestReadersOfTakenBackSegment: readers that saw the files of a segment which
// was then taken back, because the roll failed, read on in the old one, in the
// process of the writer and in others.
func TestReadersOfTakenBackSegment(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			mem := rollDisk()
			var p, other *Partition
			var broken atomic.Bool
			fsys := vfs.NewFault(mem, func(op vfs.Op) error {
				if !broken.Load() || op.Kind != vfs.OpSyncDir || !strings.HasSuffix(op.Path, "p") {
					return nil
				}
				// The pair is there. Who looks now opens it.
				for _, r := range []*Partition{p, other} {
					require.NoError(t, r.Log().Refresh())
					_, err := r.Get(3)
					require.Error(t, err)
					requireNumbered(t, r, 3)
				}
				return syscall.EIO
			})
			p = mustOpen(t, "p", &Options{FS: fsys, Sync: mode, Interval: time.Hour, TailCache: -1})
			for i := range 3 {
				appendOne(t, p, i)
			}
			require.NoError(t, p.Sync())
			var err error
			other, err = OpenReader("p", &Options{FS: mem, Poll: time.Millisecond})
			require.NoError(t, err)
			inside, outside := p.Reader(2), other.Reader(2) // stand at the end when it happens
			for _, r := range []interface{ Offset() uint64 }{inside, outside} {
				require.Equal(t, uint64(2), r.Offset())
			}
			for _, r := range []*Partition{p, other} {
				requireNumbered(t, r, 3)
			}
			_, err = inside.Next()
			require.NoError(t, err)
			_, err = outside.Next()
			require.NoError(t, err)

			broken.Store(true)
			require.ErrorIs(t, p.Roll(), syscall.EIO)
			broken.Store(false)
			require.Equal(t, []uint64{0}, bases(t, mem, "p"))
			for i := range 3 {
				appendOne(t, p, i+3)
			}
			require.NoError(t, p.Sync())
			for _, r := range []*Partition{p, other} {
				data, err := r.Get(3)
				require.NoError(t, err)
				require.Equal(t, string(line(3)), string(data))
			}
			rec, err := inside.Next()
			require.NoError(t, err)
			require.Equal(t, uint64(3), rec.Offset)
			rec, err = outside.Next()
			require.NoError(t, err)
			require.Equal(t, uint64(3), rec.Offset)
			for _, r := range []*Partition{p, other} {
				requireNumbered(t, r, 6)
			}

			require.NoError(t, p.Roll())
			appendOne(t, p, 6)
			require.NoError(t, p.Sync())
			for _, r := range []*Partition{p, other} {
				requireNumbered(t, r, 7)
				requireFollowed(t, r, 7)
			}
			require.NoError(t, other.Close())
			require.NoError(t, p.Close())
		})
	}
}

// requireFollowed follows a log up to record n-1.
func requireFollowed(t testing.TB, p *Partition, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	at := 0
	for rec, err := range p.Follow(ctx, 0) {
		require.NoError(t, err)
		require.Equal(t, string(line(at)), string(rec.Data))
		if at++; at == n {
			return
		}
	}
}

// TestRollPermissions: a new segment may be read by those who may read the old
// one, whatever the writer was opened with.
func TestRollPermissions(t *testing.T) {
	mem := rollDisk()
	p := mustOpen(t, "p", &Options{FS: mem, Mode: 0o640})
	appendOne(t, p, 0)
	require.NoError(t, p.Close())
	p = mustOpen(t, "p", &Options{FS: mem})
	require.NoError(t, p.Roll())
	for _, name := range []string{"00000000000000000001.jsonl", "00000000000000000001.index"} {
		info, err := mem.Stat(filepath.Join("p", name))
		require.NoError(t, err)
		require.Equal(t, "-rw-r-----", info.Mode.String(), name)
	}
	require.NoError(t, p.Close())
}

// TestRollLocks: the records file of the new segment is locked, that of the
// sealed one no longer is.
func TestRollLocks(t *testing.T) {
	mem := rollDisk()
	p := mustOpen(t, "p", &Options{FS: mem})
	appendOne(t, p, 0)
	require.NoError(t, p.Roll())
	_, err := mem.Lock(filepath.Join("p", "00000000000000000001.jsonl"))
	require.ErrorIs(t, err, ErrLocked)
	lock, err := mem.Lock(filepath.Join("p", "00000000000000000000.jsonl"))
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	require.NoError(t, p.Close())
}
