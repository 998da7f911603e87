package writer

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// slowSync is a file system whose records take that long to sync.
func slowSync(took time.Duration) vfs.FS {
	return vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == pair.Records {
			time.Sleep(took)
		}
		return nil
	})
}

// TestStatsCountWhatIsStored: the sums agree in every mode, whatever the
// batches were.
func TestStatsCountWhatIsStored(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: sync})
		for n := range 5 {
			_, err := w.Append(rec(n))
			require.NoError(t, err)
		}
		_, err := w.AppendBatch(recs(5, 25))
		require.NoError(t, err)
		require.NoError(t, w.AppendAt(25, recs(25, 28)...))
		require.NoError(t, w.Close())

		s := w.Stats()
		size := uint64(len(readFile(t, fsys, pair.Records)))
		require.Equal(t, uint64(28), s.Records)
		require.Equal(t, size, s.Bytes)
		require.Equal(t, uint64(7), s.Batches)
		require.Equal(t, uint64(28), s.Published)
		require.Equal(t, []SegmentStats{{Base: 0, Records: 28, Bytes: size, Batches: 7}}, s.Segments)
		require.Equal(t, Buckets{1: 5, 2: 1, 5: 1}, s.BatchRecords.Buckets)
		require.Equal(t, uint64(20), s.BatchRecords.Max)
		require.Equal(t, size, s.BatchBytes.Sum)
		require.Equal(t, uint64(28), s.IndexEntries.Sum)
		require.Positive(t, s.Fsync.Count)
		require.Zero(t, s.Stalls)
	})
}

// TestStatsRefused: what is not stored is not counted.
func TestStatsRefused(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		if sync == SyncBuffered {
			t.Skip("it writes later")
		}
		fsys := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
			if op.Kind == vfs.OpWrite && op.Path == pair.Records {
				return syscall.ENOSPC
			}
			return nil
		})
		w, _ := mustOpen(t, fsys, Options{Sync: sync})
		_, err := w.Append(rec(0))
		require.ErrorIs(t, err, syscall.ENOSPC)
		_, err = w.Append([]byte("{"))
		require.Error(t, err)
		require.Zero(t, w.Stats().Records)
		require.Zero(t, w.Stats().Batches)
		require.Zero(t, w.Stats().Group.Count)
		require.NoError(t, w.Close())
	})
}

// TestStatsOfGroups: 64 appends come in groups, each of which takes one sync.
func TestStatsOfGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const took = time.Millisecond
		w, _ := mustOpen(t, slowSync(took), Options{})
		inParallel(64, func(n int) {
			if _, err := w.Append(rec(n)); err != nil {
				panic(err)
			}
		})
		s := w.Stats()
		require.Equal(t, s.Batches, s.Fsync.Count)
		require.Equal(t, uint64(took), s.Fsync.Max)
		require.Equal(t, s.Batches*uint64(took), s.Fsync.Sum)
		require.Equal(t, s.Batches, s.IndexEntries.Count)
		require.Equal(t, uint64(64), s.BatchRecords.Sum)
		require.Equal(t, s.Batches, s.Group.Count)
		require.GreaterOrEqual(t, s.Group.Quantile(0), uint64(took))
		require.LessOrEqual(t, s.Group.Max, uint64(2*took)) // its own sync, and that of the group before it
		require.NoError(t, w.Close())
	})
}

// TestStatsOfCoalescing: in the weaker modes the entries of a burst are
// written at once.
func TestStatsOfCoalescing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := mustOpen(t, vfs.NewMem(), Options{Sync: SyncOS})
		for range 3 {
			for n := range 10 {
				_, err := w.Append(rec(n))
				require.NoError(t, err)
			}
			time.Sleep(time.Second)
		}
		s := w.Stats()
		require.Equal(t, Histogram{Count: 3, Sum: 30, Max: 10, Buckets: Buckets{4: 3}}, s.IndexEntries)
		require.Equal(t, uint64(30), s.Batches)
		require.Zero(t, s.Group.Count)
		require.NoError(t, w.Close())
	})
}

// TestStatsOfStalls: an append that waits for the disk is counted once.
func TestStatsOfStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := mustOpen(t, slowSync(10*time.Second), Options{Sync: SyncInterval, Interval: time.Second})
		for n := range 10 {
			_, err := w.Append(rec(n))
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		stalls := w.Stats().Stalls
		require.Positive(t, stalls)
		require.Less(t, stalls, uint64(10))
		require.NoError(t, w.Close())
	})
}

// TestStatsOfManySegments: figures of the last segments are kept, and the sums
// of all.
func TestStatsOfManySegments(t *testing.T) {
	var c counts
	for base := range uint64(10_000) {
		c.batch(1, 10)
		c.batch(2, 30)
		c.seal(3 * base)
	}
	c.batch(1, 10)
	require.Equal(t, SegmentStats{Base: 30_000, Records: 1, Bytes: 10, Batches: 1}, c.segment(30_000))
	require.Len(t, c.sealed, maxSealed)
	require.Equal(t, SegmentStats{Base: 29_997, Records: 3, Bytes: 40, Batches: 2}, c.sealed[maxSealed-1])
	require.Equal(t, uint64(30_001), c.batchRecords.Sum)
	require.LessOrEqual(t, cap(c.sealed), 2*maxSealed)
}

// TestStatsNames: the names in JSON are an interface.
func TestStatsNames(t *testing.T) {
	text, err := json.Marshal(Stats{Segments: []SegmentStats{{}}})
	require.NoError(t, err)
	const none = `{"count":0,"sum":0,"max":0,"buckets":[]}`
	require.Equal(t, `{"records":0,"bytes":0,"batches":0,"published":0,"stalls":0,"batch_records":`+none+
		`,"batch_bytes":`+none+`,"index_entries":`+none+`,"fsync_ns":`+none+`,"group_ns":`+none+
		`,"segments":[{"base":0,"records":0,"bytes":0,"batches":0}],"rolls":0,"rolls_put_off":0}`, string(text))
}

// BenchmarkStatsShare measures what counting adds to one append of 255 bytes,
// beside the append itself in the same run, and reports it in percent.
func BenchmarkStatsShare(b *testing.B) {
	record := fmt.Appendf(nil, `{"pad":"%s"}`, strings.Repeat("x", 245))
	for _, sync := range []SyncMode{SyncOS, SyncBuffered} {
		b.Run(sync.String(), func(b *testing.B) {
			b.Chdir(b.TempDir())
			w, _ := mustOpen(b, vfs.OS, Options{Sync: sync})
			for b.Loop() {
				if _, err := w.Append(record); err != nil {
					b.Fatal(err)
				}
			}
			appends := float64(b.Elapsed()) / float64(b.N)
			var c counts
			const rounds = 1_000_000
			start := time.Now()
			for range rounds {
				c.batch(1, len(record)+1)
			}
			counting := float64(time.Since(start)) / rounds
			require.EqualValues(b, rounds, c.batchRecords.Sum)
			require.NoError(b, w.Close())
			b.ReportMetric(100*counting/appends, "%-counting")
		})
	}
}

// BenchmarkStatsShareOfGroups is the same for 64 goroutines that share syncs.
func BenchmarkStatsShareOfGroups(b *testing.B) {
	record := fmt.Appendf(nil, `{"pad":"%s"}`, strings.Repeat("x", 245))
	b.Chdir(b.TempDir())
	w, _ := mustOpen(b, vfs.OS, Options{})
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := w.Append(record); err != nil {
				panic(err)
			}
		}
	})
	appends := float64(b.Elapsed()) / float64(b.N)
	s := w.Stats()
	require.NoError(b, w.Close())
	const rounds = 10_000
	var c counts
	start := time.Now()
	for range rounds {
		since := time.Now()
		c.batch(64, 64*len(record))
		c.indexEntries.Observe(64)
		c.group.Observe(uint64(time.Since(since)))
	}
	counting := float64(time.Since(start)) / rounds / s.BatchRecords.Mean()
	b.ReportMetric(100*counting/appends, "%-counting")
	b.ReportMetric(s.BatchRecords.Mean(), "rec/group")
}
