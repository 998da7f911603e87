package reader

import (
	"encoding/json"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// manySegments writes a partition of n segments with ten records each.
func manySegments(t testing.TB, d disk, n int) (records []string) {
	records = numbered(0, 10*n)
	for i := range n {
		d.pair(t, uint64(10*i), text(records[10*i:10*i+10]...))
	}
	return records
}

// readAll reads every record of the log in order.
func readAll(t testing.TB, log *Log) (n int) {
	t.Helper()
	for _, err := range log.Records(0) {
		require.NoError(t, err)
		n++
	}
	return n
}

func TestStatsPerSegment(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		records := manySegments(t, d, 4)
		log := d.open(t, "", Options{})
		before := log.Stats()
		require.Equal(t, 4, before.SegmentCount)
		require.Len(t, before.Segments, 1) // the last one, which opening looks at

		require.Equal(t, 40, readAll(t, log))
		s := log.Stats()
		require.Len(t, s.Segments, 4)
		var sum Reads
		for i, seg := range s.Segments {
			size := int64(len(text(records[10*i : 10*i+10]...)))
			require.Equal(t, uint64(10*i), seg.Base)
			require.Equal(t, uint64(10), seg.Records)
			require.Equal(t, size, seg.Bytes)
			require.True(t, seg.Open)
			require.GreaterOrEqual(t, seg.Disk.Bytes, uint64(size))
			require.Zero(t, seg.Mapping)
			require.Zero(t, seg.Tail)
			sum.add(seg.Disk)
		}
		require.Equal(t, sum, s.Disk)
		require.Equal(t, uint64(len(text(records...))), s.Bytes)
		require.Equal(t, 4, s.OpenSegments)
		require.Equal(t, 8, s.OpenFiles)
	})
}

// TestStatsOfTouchedOnly: a log of many segments has figures of those that
// were read from.
func TestStatsOfTouchedOnly(t *testing.T) {
	d := osDisk(t)
	manySegments(t, d, 60)
	log := d.open(t, "", Options{})
	for _, offset := range []uint64{7, 8, 301} {
		_, err := log.Get(offset)
		require.NoError(t, err)
	}
	s := log.Stats()
	require.Equal(t, 60, s.SegmentCount)
	require.Len(t, s.Segments, 3)
	require.Equal(t, uint64(0), s.Segments[0].Base)
	require.Equal(t, uint64(2), s.Segments[0].Disk.Reads)
	require.Equal(t, uint64(300), s.Segments[1].Base)
	require.Equal(t, uint64(3), s.Gets)

	// Of segments whose files were closed again, the figures stay.
	require.Equal(t, 600, readAll(t, log))
	s = log.Stats()
	require.Len(t, s.Segments, 60)
	require.LessOrEqual(t, s.OpenSegments, maxOpen)
	require.False(t, s.Segments[0].Open)
	require.Positive(t, s.Segments[0].Bytes)
	require.Equal(t, uint64(3), s.Segments[0].Disk.Reads)
}

// TestStatsOfMapping: every byte of every random read is counted, however many
// read at once.
func TestStatsOfMapping(t *testing.T) {
	d := osDisk(t)
	records := manySegments(t, d, 2)
	log := d.open(t, "", Options{})
	if !mappable(log) {
		t.Skip("this system does not map files")
	}
	warm(t, log, 0)
	before := log.Stats()
	require.Equal(t, 1, before.Mappings)
	require.Equal(t, before.Segments[0].MappedBytes, before.MappedBytes)
	require.Equal(t, int64(len(text(records[:10]...))+11*8), before.MappedBytes)

	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 10_000 {
				if _, err := log.Get(uint64(i % 10)); err != nil {
					panic(err)
				}
			}
		})
	}
	all.Wait()
	s := log.Stats()
	require.Equal(t, uint64(40_000), s.Mapping.Reads-before.Mapping.Reads)
	require.Equal(t, uint64(40_000), s.Gets-before.Gets)
	require.Equal(t, uint64(4000*(len(text(records[:10]...))-10)), s.Mapping.Bytes-before.Mapping.Bytes)
	require.Equal(t, before.Disk, s.Disk)
	require.Equal(t, s.Mapping, s.Segments[0].Mapping)
}

// TestMappedCountNeverRunsOver: lanes that are nearly full are emptied, and
// nothing is lost.
func TestMappedCountNeverRunsOver(t *testing.T) {
	var m mappedCount
	m.lanes[0].n.Store(math.MaxUint64 >> 1 &^ (1 << (laneBytes - 1))) // both numbers at their last
	want := m.load()
	for range 3 {
		m.count(16, 1<<30)
		want.add(Reads{1, 1 << 30})
		require.Equal(t, want, m.load())
	}
	for range 100 {
		m.count(1, 1<<30)
		want.add(Reads{1, 1 << 30})
	}
	require.Equal(t, want, m.load())
	require.Less(t, m.lanes[1].n.Load()&(1<<laneBytes-1), uint64(1<<laneBytes-1))
}

// TestStatsOfTrimmed: what was read from a segment stays in the sums when
// retention takes it, so that they never go back.
func TestStatsOfTrimmed(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		manySegments(t, d, 4)
		log := d.open(t, "", Options{})
		readAll(t, log)
		before := log.Stats()
		for _, base := range []uint64{0, 10} {
			p := segment.PairAt(d.dir, base)
			require.NoError(t, d.fs.Remove(p.Records))
			require.NoError(t, d.fs.Remove(p.Index))
		}
		require.NoError(t, log.Refresh())
		after := log.Stats()
		require.Len(t, after.Segments, 2)
		require.Equal(t, 2, after.SegmentCount)
		require.Equal(t, before.Disk, after.Disk)
		require.Equal(t, 2, after.OpenSegments)
	})
}

// TestStatsOfTail: what the writer of the process has not written yet is read
// from its memory.
func TestStatsOfTail(t *testing.T) {
	d := osDisk(t)
	w := newFakeWriter(t, d, 0, 10)
	log := w.attach(Options{})
	w.add(5, buffered)
	require.Equal(t, 15, readAll(t, log))
	s := log.Stats()
	require.Equal(t, uint64(len(text(numbered(10, 5)...))), s.Tail.Bytes)
	require.Positive(t, s.Tail.Reads)
	require.Equal(t, s.Tail, s.Segments[0].Tail)
	require.Equal(t, uint64(15), s.Segments[0].Records)
}

// TestStatsCostsNoReading: taking the figures reads no file and asks
// for the sizes of those that are open.
func TestStatsCostsNoReading(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("/log", 0o700))
	counted := vfs.NewFault(mem, nil)
	d := disk{counted, "/log"}
	manySegments(t, d, 4)
	log := d.open(t, "", Options{})
	readAll(t, log)
	before := len(counted.Ops())
	log.Stats()
	asked := counted.Ops()[before:]
	require.Len(t, asked, 4)
	for _, op := range asked {
		require.Equal(t, vfs.OpStat, op.Kind)
	}
}

// TestStatsNames: the names in JSON are an interface.
func TestStatsNames(t *testing.T) {
	text, err := json.Marshal(Stats{Segments: []SegmentStats{{}}})
	require.NoError(t, err)
	const none = `{"reads":0,"bytes":0}`
	require.Equal(t, `{"blocks":0,"bytes":0,"gets":0,"disk":`+none+`,"mapping":`+none+`,"tail":`+none+
		`,"tail_held":0,"tail_bound":0,"maps":0,"opens":0,"retries":0,"restarts":0,"scan_bytes":0,"open_segments":0,"open_files":0,"mappings":0,"mapped_bytes":0`+
		`,"segment_count":0,"segments":[{"base":0,"records":0,"bytes":0,"open":false,"mapped_bytes":0,"disk":`+none+
		`,"mapping":`+none+`,"tail":`+none+`}]}`, string(text))
}

// BenchmarkStatsShare measures what counting adds to a scan and to random
// reads, beside these themselves in the same run, and reports it in percent.
func BenchmarkStatsShare(b *testing.B) {
	d := disk{vfs.OS, b.TempDir()}
	records := numbered(0, 10_000)
	d.pair(b, 0, text(records...))
	log := d.open(b, "", Options{})
	size := len(text(records...))
	share := func(b *testing.B, per float64, count func(i int)) {
		const rounds = 1_000_000
		start := time.Now()
		for i := range rounds {
			count(i)
		}
		counting := float64(time.Since(start)) / rounds
		b.ReportMetric(100*counting/(float64(b.Elapsed())/float64(b.N)*per), "%-counting")
	}
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			for _, err := range log.Records(0) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		var c segmentCounts
		var all counters
		share(b, float64(blockBytes)/float64(size), func(int) { // a block
			c.disk.count(blockBytes)
			all.blocks.Add(1)
			all.bytes.Add(blockBytes)
		})
	})
	b.Run("get", func(b *testing.B) {
		var buf []byte
		warm(b, log, 0)
		i := 0
		for b.Loop() {
			data, err := log.GetInto(buf, uint64(i%len(records)))
			if err != nil {
				b.Fatal(err)
			}
			buf, i = data, i+7
		}
		var c mappedCount
		share(b, 1, func(i int) { c.count(uint64(i*7), 40) })
	})
}

// BenchmarkStatsOfManySegments: a snapshot of a log of 10,000 segments, all of
// which were read from.
func BenchmarkStatsOfManySegments(b *testing.B) {
	mem := vfs.NewMem()
	require.NoError(b, mem.Mkdir("/log", 0o700))
	d := disk{mem, "/log"}
	manySegments(b, d, 10_000)
	log := d.open(b, "", Options{})
	readAll(b, log)
	for b.Loop() {
		if s := log.Stats(); len(s.Segments) != 10_000 {
			b.Fatal(len(s.Segments))
		}
	}
}
