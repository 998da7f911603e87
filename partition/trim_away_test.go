package partition

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// takeAway moves a segment to cold storage: its records, and its index too
// where that is asked for.
func takeAway(t testing.TB, fsys vfs.FS, base uint64, index bool) {
	t.Helper()
	pair := segment.PairAt("p", base)
	require.NoError(t, fsys.Rename(pair.Records, pair.Records+".cold"))
	if index {
		require.NoError(t, fsys.Rename(pair.Index, pair.Index+".cold"))
	}
}

// rows shows the segments of a plan.
func rows(plan TrimPlan) (shown []string) {
	for _, s := range plan.Segments {
		text := fmt.Sprintf("%d: %d records, %d bytes", s.Base, s.Records, s.Bytes)
		if s.Away {
			text += ", away"
		}
		shown = append(shown, text+", "+s.Action)
	}
	return shown
}

// TestTrimMiddleAway: a segment that is away between others is one of its own:
// it is not counted with the one before it, which goes by itself.
func TestTrimMiddleAway(t *testing.T) {
	for _, index := range []bool{true, false} {
		t.Run(fmt.Sprint("index too: ", index), func(t *testing.T) {
			mem := trimFiles(t)
			takeAway(t, mem, 10, index)
			p := mustOpen(t, "p", &Options{FS: mem})
			plan, err := p.PlanTrim(TrimPolicy{Before: 10})
			require.NoError(t, err)
			require.Equal(t, []string{"0: 10 records, 100 bytes, drop", "10: 10 records, 0 bytes, away, keep", "20: 5 records, 50 bytes, keep"}, rows(plan))
			require.NoError(t, p.Trim(10))
			start, _ := p.Bounds()
			require.EqualValues(t, 10, start)

			// Who names an offset behind it means it, and is told.
			plan, err = p.ApplyTrim(TrimPolicy{Before: 20})
			require.NoError(t, err)
			require.Equal(t, []string{"10: 10 records, 0 bytes, away, drop", "20: 5 records, 50 bytes, keep"}, rows(plan))
			require.Equal(t, "lies below offset 20; its files are away", plan.Segments[0].Reason)
			requireHolds(t, p, 20, 25)
			require.NoError(t, p.Close())
		})
	}
}

// TestTrimAwayBehindShortIndex: where the index of a segment is behind its
// records, how many there are follows from the names.
func TestTrimAwayBehindShortIndex(t *testing.T) {
	mem := trimFiles(t)
	name := segment.PairAt("p", 0).Index
	f, err := mem.Open(name, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(5*8))
	require.NoError(t, f.Close())
	p := mustOpen(t, "p", &Options{FS: mem})
	plan, err := p.PlanTrim(TrimPolicy{Before: 10})
	require.NoError(t, err)
	require.Equal(t, "0: 10 records, 100 bytes, drop", rows(plan)[0])
	require.NoError(t, p.Close())
}

// TestDecideAway: what is away has no age, and nothing behind it goes by its
// own; what is counted behind it makes it go.
func TestDecideAway(t *testing.T) {
	const h = time.Hour
	middle := func() trimLog {
		log := tens(0, 40*h, 30*h, 20*h, 10*h, 0)
		s := &log.segs[1]
		s.away, s.bytes, s.last = true, 0, time.Time{}
		return log
	}
	for _, c := range []struct {
		name   string
		policy TrimPolicy
		want   string
		reason string // of the one that is away
	}{
		{"age", TrimPolicy{Retention: Retention{MaxAge: h}}, "x----", "is away, so nobody knows when it was last appended to"},
		{"records, not enough behind it", TrimPolicy{Retention: Retention{MaxRecords: 31}}, "x----", "is needed for the last 31 records"},
		{"records behind it", TrimPolicy{Retention: Retention{MaxRecords: 30}}, "xx---", "30 records or more are behind it; its files are away"},
		{"bytes behind it", TrimPolicy{Retention: Retention{MaxBytes: 300}}, "xx---", "300 bytes or more are behind it; its files are away"},
		{"its bytes are not known", TrimPolicy{Retention: Retention{MaxBytes: 301}}, "-----", "is needed for the last 301 bytes"},
		{"segments behind it", TrimPolicy{Retention: Retention{MaxSegments: 3}}, "xx---", "3 segments or more are behind it; its files are away"},
		{"below an offset", TrimPolicy{Before: 35}, "xxx--", "lies below offset 35; its files are away"},
		{"everything", TrimPolicy{Before: math.MaxUint64}, "xxxxx", "all records go; its files are away"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := decide(middle(), c.policy, nil, true)
			require.Equal(t, c.want, shape(plan))
			require.Equal(t, c.reason, plan.Segments[1].Reason)
		})
	}

	// One with a time in the future before it is as old as the next that is
	// there, and one that is away in front keeps the rest.
	log := middle()
	log.segs[0].last = planNow.Add(h)
	require.Equal(t, "x----", shape(decide(log, TrimPolicy{Retention: Retention{MaxAge: h}}, nil, false)))
	log.segs[0].away = true
	require.Equal(t, "-----", shape(decide(log, TrimPolicy{Retention: Retention{MaxAge: h}}, nil, false)))
}

// TestRetentionKeepsWhatIsAway: a segment in cold storage is not dropped by the
// age of the one before it, however old that is, and is read again when it is
// back.
func TestRetentionKeepsWhatIsAway(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	p := mustOpen(t, dir, &Options{SegmentRecords: 10})
	appendLines(t, p, 0, 35)
	require.NoError(t, p.Close())
	long := time.Now().Add(-240 * time.Hour)
	require.NoError(t, os.Chtimes(segment.PairAt(dir, 0).Records, long, long))
	require.NoError(t, os.Chtimes(segment.PairAt(dir, 20).Records, long, long))
	cold := segment.PairAt(dir, 10)
	for _, name := range []string{cold.Records, cold.Index} {
		require.NoError(t, os.Rename(name, name+".cold"))
	}

	p = mustOpen(t, dir, &Options{SegmentRecords: 10, Retention: Retention{MaxAge: 24 * time.Hour}})
	require.Eventually(t, func() bool { return p.Stats().Retention.Rounds > 0 }, 10*time.Second, time.Millisecond)
	start, _ := p.Bounds()
	require.EqualValues(t, 10, start)
	for _, name := range []string{cold.Records, cold.Index} {
		require.NoError(t, os.Rename(name+".cold", name))
	}
	got, err := p.Get(15)
	require.NoError(t, err)
	require.Equal(t, string(line(15)), string(got))
	require.NoError(t, p.Close())
	require.Equal(t, 0, strings.Count(p.Stats().Retention.Error, "away"))
}

// TestTrimMostAway: of ten segments eight are away.
func TestTrimMostAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p := mustOpen(t, "p", &Options{FS: mem, SegmentRecords: 1})
		appendLines(t, p, 0, 10)
		for base := range uint64(8) {
			takeAway(t, mem, base+1, base%2 == 0)
		}
		plan, err := p.PlanTrim(TrimPolicy{Retention: Retention{MaxSegments: 2}})
		require.NoError(t, err)
		require.EqualValues(t, 1, plan.Segments[0].Records)
		for i := range plan.Segments[1 : len(plan.Segments)-1] {
			require.True(t, plan.Segments[i+1].Away, "%v", rows(plan))
		}
		require.NoError(t, p.Close())
	})
}
