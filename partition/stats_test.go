package partition

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

// TestStats: the sums of one process that appends, rolls and reads.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
			if op.Kind == vfs.OpSync && strings.HasSuffix(op.Path, ".jsonl") {
				time.Sleep(1500 * time.Microsecond)
			}
			return nil
		})
		p, err := Open("log", &Options{FS: slow, SegmentRecords: 10})
		require.NoError(t, err)
		for n := range 25 {
			_, err := p.Append(fmt.Appendf(nil, "%07d", 1e6+n))
			require.NoError(t, err)
		}
		require.Len(t, read(t, p, 0), 25)
		_, err = p.Get(3)
		require.NoError(t, err)

		s := p.Stats()
		require.Equal(t, [3]uint64{0, 25, 25}, [3]uint64{s.Start, s.Next, s.Durable})
		require.Equal(t, uint64(25), s.Written.Records)
		require.Equal(t, uint64(200), s.Written.Bytes)
		require.Equal(t, uint64(2), s.Written.Rolls)
		require.Len(t, s.Written.Segments, 3)
		for i, want := range []uint64{10, 10, 5} {
			require.Equal(t, uint64(10*i), s.Written.Segments[i].Base)
			require.Equal(t, want, s.Written.Segments[i].Records)
			require.Equal(t, 8*want, s.Written.Segments[i].Bytes)
			require.Equal(t, want, s.Read.Segments[i].Records)
			require.EqualValues(t, 8*want, s.Read.Segments[i].Bytes)
		}
		require.Equal(t, 3, s.Read.SegmentCount)
		require.GreaterOrEqual(t, s.Read.Bytes, uint64(200))
		require.Equal(t, uint64(208), s.Read.Tail.Bytes) // nothing of it was read from files
		require.Positive(t, s.Read.TailHeld)
		require.LessOrEqual(t, s.Read.TailHeld, s.Read.TailBound)
		require.Equal(t, uint64(1), s.Read.Gets)
		require.Equal(t, uint64(1500*time.Microsecond), s.Written.Fsync.Max)

		text := s.String()
		for _, line := range []string{
			"offsets   0 to 25 (next), durable below 25\n",
			"appended  25 records, 200 bytes in 25 batches (records: mean 1.0, p50 ≤ 1, p99 ≤ 1, max 1)\n",
			"index     25 entries in 25 writes (entries: mean 1.0, p50 ≤ 1, p99 ≤ 1, max 1)\n",
			"(mean 1.5ms, p50 ≤ 1.5ms, p99 ≤ 1.5ms, max 1.5ms)\n",
			"rolls     2, put off 0\n",
			"1 records at random\n",
			" bytes in memory\n",
			" of 3 segments (",
		} {
			require.Contains(t, text, line)
		}
		require.NotContains(t, text, "stalls")
		require.NoError(t, p.Close())
	})
}

// TestStatsOfRetention: what was dropped is in the figures, and who kept what.
func TestStatsOfRetention(t *testing.T) {
	p, err := Open("log", &Options{FS: vfs.NewMem(), SegmentRecords: 10, Retention: Retention{
		Hold: func() ([]Hold, func(), error) { return []Hold{{"billing", 12}}, func() {}, nil },
	}})
	require.NoError(t, err)
	defer p.Close()
	for range 35 {
		_, err := p.Append([]byte("1234567"))
		require.NoError(t, err)
	}
	require.NotContains(t, p.Stats().String(), "dropped")
	_, err = p.Get(3)
	require.NoError(t, err)
	require.NoError(t, p.Trim(30))
	s := p.Stats()
	require.Contains(t, s.String(), "dropped   1 segments, 10 records, 80 bytes, held by billing at 12\n")
	require.Equal(t, uint64(10), s.Start)
	require.Equal(t, 3, s.Read.SegmentCount)
	require.Equal(t, uint64(8), s.Read.Tail.Bytes+s.Read.Disk.Bytes) // of a segment that is gone
}

// TestStatsOfRollPutOff: why a roll was put off is said.
func TestStatsOfRollPutOff(t *testing.T) {
	full := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && strings.Contains(op.Path, "0000001.") {
			return syscall.EMFILE
		}
		return nil
	})
	p, err := Open("log", &Options{FS: full, SegmentRecords: 1})
	require.NoError(t, err)
	for range 2 {
		_, err := p.Append([]byte("1"))
		require.NoError(t, err)
	}
	require.Contains(t, p.Stats().String(), "rolls     0, put off 1: ")
	require.Contains(t, p.Stats().String(), syscall.EMFILE.Error())
	require.NoError(t, p.Close())
}

// TestStatsReadOnly: a reader has no figures of appending.
func TestStatsReadOnly(t *testing.T) {
	mem := vfs.NewMem()
	p, err := Open("log", &Options{FS: mem})
	require.NoError(t, err)
	_, err = p.Append([]byte("1"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	p, err = OpenReader("log", &Options{FS: mem})
	require.NoError(t, err)
	require.Zero(t, p.Stats().Written)
	require.NotContains(t, p.Stats().String(), "appended")
	require.NoError(t, p.Close())
}

// TestStatsNames: the names in JSON are an interface; those of the parts are
// tested where they are.
func TestStatsNames(t *testing.T) {
	text, err := json.Marshal(Stats{})
	require.NoError(t, err)
	require.Regexp(t, `^\{"start":0,"next":0,"durable":0,"read":\{"blocks":0,.*\},"written":\{"records":0,.*\}.*\}$`, string(text))
	var back Stats
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, uint64(0), back.Written.Records)
}
