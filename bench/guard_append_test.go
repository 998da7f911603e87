package bench

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

func appendGuards() (out []guard) {
	// The weaker modes write the index every 2 ms, however few records that is
	// for: that is the part behind the point, more on a slow machine. Under
	// SyncAlways half of the goroutines wait for a sync while the other half is
	// woken, so that it takes 200 groups for 6,400 records; the scheduler has some
	// say in that, and in the allocations of each. One more for each record would
	// be 6,400 more.
	for _, m := range []struct {
		mode                   partition.SyncMode
		allocs                 float64
		one, batch             float64
		togetherAllocs, groups float64
	}{
		{partition.SyncOS, 0, 1.5, 1.8, 400, 7500},
		{partition.SyncInterval, 0, 1.5, 1.8, 400, 7500},
		{partition.SyncBuffered, 0, 0.5, 0.8, 400, 50},
		{partition.SyncAlways, 10, 6, 6, 6000, 1400},
	} {
		out = append(out,
			guard{"append one, " + m.mode.String(), m.allocs, m.one, 500, appending(m.mode, 1)},
			guard{"append a batch of 100, " + m.mode.String(), m.allocs, m.batch, 100, appending(m.mode, BatchSize)},
			guard{"append 6,400 by 64 goroutines, " + m.mode.String(), m.togetherAllocs, m.groups, 1, appendingTogether(m.mode)},
		)
	}
	return append(out,
		// A shared log is locked and looked at anew for each batch.
		guard{"append one, shared, os", 67, 17, 50, appendingShared(partition.SyncOS, 1)},
		guard{"append a batch of 100, shared, os", 67, 17, 50, appendingShared(partition.SyncOS, BatchSize)},
		guard{"append one, shared, always", 69, 19, 50, appendingShared(partition.SyncAlways, 1)},
		guard{"append in turns with another, shared, os", 140, 20, 50, appendingInTurns},
		guard{"stream 10,000 lines, os", 40, 8, 3, streaming},
		guard{"append one and roll, os", 150, 33, 20, rolling},
		guard{"trim one segment of 120 to 140", 2300, 42, 20, trimming},
	)
}

func streaming(t *testing.T, dir string, fs *countingFS) func() error {
	log, lines := guarded(t, dir, fs, partition.SyncOS), JSON(10_000).Lines(0, 10_000)
	return func() error {
		n, err := log.ReadFrom(bytes.NewReader(lines))
		return firstError(err, mustBe(int(n), len(lines)))
	}
}

// trimming drops one segment each time, of more than there are times. It reads
// the names of those that are kept, and looks at no more files for them.
func trimming(t *testing.T, dir string, fs *countingFS) func() error {
	manySegments(t, dir, 200)
	log := guarded(t, dir, fs, partition.SyncOS)
	before := uint64(0)
	return func() error {
		before++
		err := log.Trim(before)
		start, _ := log.Bounds()
		return firstError(err, mustBe(int(start), int(before)))
	}
}

func rolling(t *testing.T, dir string, fs *countingFS) func() error {
	log, set := guarded(t, dir, fs, partition.SyncOS), JSON(1)
	return func() error { return firstError(log.Append(set.Batch(0, 1)), log.Roll()) }
}

func appending(mode partition.SyncMode, size int) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		log, batch := guarded(t, dir, fs, mode), JSON(size).Batch(0, size)
		return func() error { return log.Append(batch) }
	}
}

// appendingShared has every turn to itself.
func appendingShared(mode partition.SyncMode, size int) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		log, batch := guardedShared(t, dir, fs, mode), JSON(size).Batch(0, size)
		return func() error { return log.Append(batch) }
	}
}

// appendingInTurns has another writer append before each, which is not counted:
// what it appended is taken in first. Its allocations are among them.
func appendingInTurns(t *testing.T, dir string, fs *countingFS) func() error {
	log, other := guardedShared(t, dir, fs, partition.SyncOS), guardedShared(t, dir, vfs.OS, partition.SyncOS)
	batch := JSON(1).Batch(0, 1)
	return func() error { return firstError(other.Append(batch), log.Append(batch)) }
}

func guardedShared(t *testing.T, dir string, fs vfs.FS, mode partition.SyncMode) jlqStore {
	t.Helper()
	p, err := partition.Open(dir, &partition.Options{Sync: mode, Shared: true, FS: fs})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return jlqStore{p}
}

func appendingTogether(mode partition.SyncMode) func(*testing.T, string, *countingFS) func() error {
	return func(t *testing.T, dir string, fs *countingFS) func() error {
		fs.syncTakes = time.Millisecond
		log, set := guarded(t, dir, fs, mode), JSON(SyncsTogether)
		return func() error { return appendTogether(log, set, Goroutines) }
	}
}
