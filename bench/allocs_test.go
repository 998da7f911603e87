package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// Allocations for each operation may fall, but not rise. The hot paths have
// none; a SyncAlways append pays for its turn in the group.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	set := JSON(1000)
	guard := func(name string, limit float64, op func() error) {
		t.Run(name, func(t *testing.T) {
			var err error
			got := testing.AllocsPerRun(2000, func() {
				if err == nil {
					err = op()
				}
			})
			require.NoError(t, err)
			require.LessOrEqual(t, got, limit, "allocations for each operation")
		})
	}
	for mode, limit := range map[partition.SyncMode]float64{
		partition.SyncOS: 0, partition.SyncBuffered: 0, partition.SyncInterval: 0, partition.SyncAlways: 12,
	} {
		log := guarded(t, mode)
		guard("append one "+mode.String(), limit, func() error { return log.Append(set.Batch(7, 8)) })
		guard("append batch "+mode.String(), limit, func() error { return log.Append(set.Batch(0, BatchSize)) })
	}
	log := guarded(t, partition.SyncOS)
	require.NoError(t, appendAll(log, set, BatchSize))
	// From here the index file has all records, and readers may map it.
	require.NoError(t, log.Sync())
	buf, at := make([]byte, 0, 1024), uint64(0)
	guard("get", 0, func() error {
		at = (at + 617) % uint64(set.Len())
		_, err := log.GetInto(buf, at)
		return err
	})
	// The index file has a young record within 2 ms only; until then it is read
	// from what writer and readers of a process share.
	young := uint64(set.Len())
	guard("append and get", 1, func() error {
		if err := log.Append(set.Batch(7, 8)); err != nil {
			return err
		}
		_, err := log.GetInto(buf, young)
		young++
		return err
	})
	require.NoError(t, appendAll(log, JSON(4000), BatchSize))
	r := log.Reader(0)
	guard("next", 0, func() error {
		_, err := r.Next()
		return err
	})
}

func guarded(t *testing.T, mode partition.SyncMode) jlqStore {
	t.Helper()
	log, err := openJLQStore(t.TempDir(), mode, partition.Strict)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log.(jlqStore)
}
