package partition

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// manySegments writes a log of n segments of one record each.
func manySegments(t testing.TB, fsys vfs.FS, dir string, n int) {
	t.Helper()
	require.NoError(t, fsys.Mkdir(dir, 0o700))
	var end int64
	for base := range n {
		line := fmt.Appendf(nil, "{\"n\":%d}\n", base)
		end = int64(len(line))
		pair := segment.PairAt(dir, uint64(base))
		writeNew(t, fsys, pair.Records, line)
		writeNew(t, fsys, pair.Index, index.AppendEntry(index.AppendEntry(nil, 0), end))
	}
	m := segment.Meta{Sync: "always", Validate: "strict", Batch: 16<<20 + 1, Synced: segment.Mark{Base: uint64(n - 1), Position: end}}
	require.NoError(t, segment.WriteMeta(fsys, dir, m, 0o600))
}

func writeNew(t testing.TB, fsys vfs.FS, name string, data []byte) {
	f, err := fsys.Open(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil || f.Close() != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestOpenManySegments counts what opening does to files: it reads the
// directory once and looks at the last segments, however many there are.
func TestOpenManySegments(t *testing.T) {
	mem := vfs.NewMem()
	const n = 10_000
	manySegments(t, mem, "p", n)
	for _, open := range []func(string, *Options) (*Partition, error){OpenReader, Open} {
		counted := vfs.NewFault(mem, nil)
		p, err := open("p", &Options{FS: counted})
		require.NoError(t, err)
		kinds := map[vfs.OpKind]int{}
		for _, op := range counted.Ops() {
			kinds[op.Kind]++
		}
		require.Equal(t, 1, kinds[vfs.OpList])
		require.LessOrEqual(t, len(counted.Ops()), 60, "%v", kinds)
		require.LessOrEqual(t, kinds[vfs.OpOpen]-kinds[vfs.OpClose], 6, "few descriptors: %v", kinds)

		before := len(counted.Ops())
		for range 100 {
			_, next := p.Bounds()
			require.Equal(t, uint64(n), next)
		}
		for _, op := range counted.Ops()[before:] {
			require.NotEqual(t, vfs.OpList, op.Kind, "asking where the log ends does not read the directory")
		}
		require.NoError(t, p.Close())
	}
}

// TestOpenManySegmentsTime: opening takes at most twice the time of reading the
// directory. The best of several is taken of both, because others may be at
// work on the machine.
func TestOpenManySegmentsTime(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures time")
	}
	dir := t.TempDir() + "/p"
	manySegments(t, vfs.OS, dir, 10_000)
	reading := leastTime(func() func() error {
		names, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, names, 20_001)
		return func() error { return nil }
	})
	for name, open := range map[string]func(string, *Options) (*Partition, error){"reader": OpenReader, "writer": Open} {
		took := leastTime(func() func() error {
			p, err := open(dir, nil)
			require.NoError(t, err)
			return p.Close
		})
		t.Logf("%s: %v, reading the directory %v", name, took, reading)
		require.LessOrEqual(t, took, 2*reading, name)
	}
}

// leastTime is the shortest time that do took, without what it leaves to be
// done then.
func leastTime(do func() func() error) time.Duration {
	least := time.Hour
	for range 15 {
		begun := time.Now()
		after := do()
		least = min(least, time.Since(begun))
		if err := after(); err != nil {
			panic(err)
		}
	}
	return least
}

// TestRepairManySegments: planning a repair reads the directory a few times,
// however many segments there are.
func TestRepairManySegments(t *testing.T) {
	mem := vfs.NewMem()
	const n = 2000
	manySegments(t, mem, "p", n)
	counted := vfs.NewFault(mem, nil)
	report, err := Repair(t.Context(), "p", &Options{FS: counted}, RepairOptions{})
	require.NoError(t, err)
	require.Empty(t, report.Actions)
	lists := 0
	for _, op := range counted.Ops() {
		if op.Kind == vfs.OpList {
			lists++
		}
	}
	require.LessOrEqual(t, lists, 3)
}

// TestStatsManySegments: after reading every one of many segments, statistics
// look at the files that are open, and at no other.
func TestStatsManySegments(t *testing.T) {
	mem := vfs.NewMem()
	const n = 2000
	manySegments(t, mem, "p", n)
	counted := vfs.NewFault(mem, nil)
	p, err := OpenReader("p", &Options{FS: counted})
	require.NoError(t, err)
	for at := range uint64(n) {
		_, err := p.Get(at)
		require.NoError(t, err)
	}
	before := len(counted.Ops())
	s := p.Stats()
	require.Len(t, s.Read.Segments, n)
	require.Equal(t, n, s.Read.SegmentCount)
	require.LessOrEqual(t, s.Read.OpenSegments, 17)
	require.LessOrEqual(t, len(counted.Ops())-before, 60)
	require.NoError(t, p.Close())
}
