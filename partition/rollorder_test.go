package partition

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestRollOrder: what a roll does to the disk, in the order that recovery
// relies on.
func TestRollOrder(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			fsys := vfs.NewFault(rollDisk(), nil)
			p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode})
			appendOne(t, p, 0)
			if mode != SyncAlways {
				require.NoError(t, p.Sync()) // what is written late is written
				appendOne(t, p, 1)
			}
			before := len(fsys.Ops())
			require.NoError(t, p.Roll())
			var got []string
			for _, op := range fsys.Ops()[before:] {
				switch op.Kind {
				case vfs.OpStat, vfs.OpReadAt, vfs.OpList:
				default:
					got = append(got, op.Kind.String()+" "+filepath.Base(op.Path))
				}
			}
			const a, b1, b2 = "00000000000000000000", "00000000000000000001", "00000000000000000002"
			b := b1
			if mode != SyncAlways {
				b = b2
			}
			want := []string{
				"sync " + a + ".jsonl", "sync " + a + ".index",
				"open " + b + ".index", "write " + b + ".index", "open " + b + ".jsonl",
				"lock " + b + ".jsonl", "syncdir p",
				"open partition.json.tmp", "write partition.json.tmp", "sync partition.json.tmp", "close partition.json.tmp",
				"rename partition.json.tmp", "syncdir p",
				"close " + a + ".jsonl", "close " + a + ".jsonl", "close " + a + ".index",
			}
			require.GreaterOrEqual(t, len(got), len(want))
			require.Equal(t, want, got[len(got)-len(want):])
			for _, late := range got[:len(got)-len(want)] {
				require.Contains(t, []string{"write " + a + ".jsonl", "write " + a + ".index"}, late)
			}
			require.NoError(t, p.Close())
		})
	}
}

// TestRollGroups: callers that share one fdatasync do not share a segment
// beyond its limit.
func TestRollGroups(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			mem := rollDisk()
			p := mustOpen(t, "p", &Options{FS: mem, Sync: mode, SegmentRecords: 3})
			var all sync.WaitGroup
			for range 16 {
				all.Go(func() {
					for range 20 {
						if _, err := p.Append([]byte("1")); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			require.NoError(t, p.Close())
			for _, pair := range segmentsOf(t, mem) {
				info, err := mem.Stat(pair.Index)
				require.NoError(t, err)
				require.LessOrEqual(t, index.Count(info.Size), uint64(3))
			}
			require.GreaterOrEqual(t, len(segmentsOf(t, mem)), 107)
			require.Empty(t, problemsOn(t, mem, "p"))
		})
	}
}

func segmentsOf(t testing.TB, fsys vfs.FS) []segment.Pair {
	t.Helper()
	pairs, err := segment.Place{Path: "p"}.Pairs(fsys)
	require.NoError(t, err)
	return pairs
}
