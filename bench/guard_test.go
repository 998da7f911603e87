package bench

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// guard is one operation and what it costs: both figures may fall, but not
// rise. Whoever makes one fall writes the new one down here.
type guard struct {
	name   string
	allocs float64 // allocations of one operation, rounded down
	calls  float64 // calls of the file system of one operation
	times  int     // operations in one measurement
	// prepare makes what the operation works on, in a new directory, and
	// returns it. Only what goes through fs is counted.
	prepare func(t *testing.T, dir string, fs *countingFS) (op func() error)
}

// attempts is how often an operation is measured. The least counts: a machine
// that is busy has more of what is done by the clock, such as writing the index
// every 2 ms, and never less of the rest.
const attempts = 4

// TestGuard counts; it measures no time.
func TestGuard(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates, and makes slow what is done by the clock")
	}
	for _, guards := range [][]guard{appendGuards(), readGuards(), openGuards(), groupGuards()} {
		for _, g := range guards {
			t.Run(g.name, func(t *testing.T) { g.check(t) })
		}
	}
}

func (g guard) check(t *testing.T) {
	fs := newCountingFS()
	op := g.prepare(t, t.TempDir(), fs)
	require.NoError(t, op(), "the first one, which is not counted")
	allocs, calls := math.Inf(1), tally{"none": math.Inf(1)}
	for range attempts {
		a, c := g.measure(t, fs, op)
		allocs = min(allocs, a)
		if c.total() < calls.total() {
			calls = c
		}
	}
	t.Logf("allocations %.2f of %g, calls %.3f of %g: %v", allocs, g.allocs, calls.total(), g.calls, calls)
	require.NoError(t, g.compare(allocs, calls))
}

// compare says which figure rose.
func (g guard) compare(allocs float64, calls tally) error {
	if math.Floor(allocs) > g.allocs {
		return fmt.Errorf("%s: allocations rose to %.2f for each, from %g", g.name, allocs, g.allocs)
	}
	if calls.total() > g.calls {
		return fmt.Errorf("%s: calls of the file system rose to %.3f for each (%v), from %g", g.name, calls.total(), calls, g.calls)
	}
	return nil
}

// A guard that says nothing when a figure rises is none.
func TestGuardsSayWhatRose(t *testing.T) {
	g := guard{name: "append", allocs: 2, calls: 1.5}
	require.NoError(t, g.compare(2.9, tally{"write": 1, "sync": 0.5}))
	require.EqualError(t, g.compare(3, nil), "append: allocations rose to 3.00 for each, from 2")
	require.EqualError(t, g.compare(0, tally{"write": 1, "sync": 0.5, "stat": 0.25}),
		"append: calls of the file system rose to 1.750 for each (write 1, sync 0.5, stat 0.25), from 1.5")
	fs := newCountingFS()
	guarded(t, t.TempDir(), fs, partition.SyncAlways)
	for _, kind := range []string{"open", "write", "sync", "syncdir", "stat", "lock", "list", "rename", "close"} {
		require.Positive(t, fs.tally()[kind], kind)
	}
}

// measure returns the allocations and the calls of one operation.
func (g guard) measure(t *testing.T, fs *countingFS, op func() error) (float64, tally) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	calls := fs.tally()
	runtime.ReadMemStats(&before)
	for range g.times {
		if err := op(); err != nil {
			require.NoError(t, err)
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(g.times), fs.tally().since(calls, g.times)
}

func guarded(t *testing.T, dir string, fs vfs.FS, sync partition.SyncMode) jlqStore {
	t.Helper()
	p, err := partition.Open(dir, &partition.Options{Sync: sync, FS: fs})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return jlqStore{p}
}

func guardedReader(t *testing.T, dir string, fs vfs.FS) jlqStore {
	t.Helper()
	p, err := partition.OpenReader(dir, &partition.Options{FS: fs})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return jlqStore{p}
}

// guardedLog writes a log that is open nowhere.
func guardedLog(t *testing.T, dir string, records int) *Set {
	t.Helper()
	set := JSON(records)
	p, err := partition.Open(dir, &partition.Options{Sync: partition.SyncOS})
	require.NoError(t, err)
	require.NoError(t, appendAll(jlqStore{p}, set, BatchSize))
	require.NoError(t, p.Close())
	return set
}
