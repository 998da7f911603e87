package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
	"example.com/jlq/reader"
)

// drawnFrom draws 50 records of a log of n, and returns them and what it cost.
func drawnFrom(t *testing.T, n int) (offsets []uint64, cost reader.Stats) {
	t.Helper()
	dir := t.TempDir()
	p, err := partition.Open(dir, &partition.Options{Sync: partition.SyncOS, SegmentRecords: 60_000})
	require.NoError(t, err)
	for from := 0; from < n; from += 10_000 {
		var batch [][]byte
		for i := from; i < min(n, from+10_000); i++ {
			batch = append(batch, fmt.Appendf(nil, `{"n":%d}`, i))
		}
		_, err := p.AppendBatch(batch)
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
	log, err := reader.Open(dir, nil)
	require.NoError(t, err)
	defer log.Close()
	c := &sampleCommand{app: newApp(nil, nil, nil), viewFlags: viewFlags{limit: 50}, seed: seedFlag{value: 1, given: true}}
	d := &draw{sampleCommand: c, ctx: t.Context(), lots: []lot{{log: log, span: span{0, uint64(n)}}}}
	for rec, err := range d.records() {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, rec.Offset), string(rec.Data))
		offsets = append(offsets, rec.Offset)
	}
	return offsets, log.Stats()
}

// TestDrawCost: a sample reads the records that it chose and no others, however
// many there are.
func TestDrawCost(t *testing.T) {
	for _, n := range []int{5_000, 100_000} {
		offsets, cost := drawnFrom(t, n)
		require.Len(t, offsets, 50)
		require.IsIncreasing(t, offsets)
		require.Zero(t, cost.ScanBytes)
		require.InDelta(t, 50, cost.Disk.Reads+cost.Mapping.Reads, 5, "and those that tell where the log ends")
		require.Less(t, cost.Disk.Bytes+cost.Mapping.Bytes, uint64(60*20))
	}
}
