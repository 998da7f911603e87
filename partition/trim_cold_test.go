package partition

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// coldLog writes a log of segments of ten records, of which the last appends
// were so long ago, and returns it with another directory.
func coldLog(t testing.TB, ages ...time.Duration) *shelf {
	t.Helper()
	base := t.TempDir()
	s := &shelf{filepath.Join(base, "p"), filepath.Join(base, "cold")}
	require.NoError(t, os.Mkdir(s.cold, 0o700))
	p := mustOpen(t, s.dir, &Options{SegmentRecords: 10})
	for i := range 10*len(ages) + 5 {
		appendOne(t, p, i)
	}
	require.NoError(t, p.Close())
	for i, age := range ages {
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(filepath.Join(s.dir, fmt.Sprintf("%020d.jsonl", 10*i)), at, at))
	}
	return s
}

// requireLeft reads all of a log of numbered records that begins with start.
func requireLeft(t testing.TB, p *Partition, start, next int) {
	t.Helper()
	from, to := p.Bounds()
	require.Equal(t, fmt.Sprint(start, next), fmt.Sprint(from, to))
	at := start
	for rec, err := range p.Records(from) {
		require.NoError(t, err)
		require.Equal(t, string(line(at)), string(rec.Data))
		at++
	}
	require.Equal(t, next, at)
}

// TestTrimAgeOfAway: a segment that is away between others does not go by the age
// of the one before it, which seems to hold its records.
func TestTrimAgeOfAway(t *testing.T) {
	s := coldLog(t, 9*time.Hour, time.Hour, time.Minute)
	policy := TrimPolicy{Retention: Retention{MaxAge: 5 * time.Hour}}
	start := func() uint64 {
		p := mustOpen(t, s.dir, nil)
		plan, err := p.ApplyTrim(policy)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		return plan.NewStart
	}
	require.NoError(t, s.move(s.dir, s.cold, 10, ".jsonl", ".index"))
	require.EqualValues(t, 10, start(), "what is away was appended to an hour ago, for all that is known")
	require.NoError(t, s.move(s.cold, s.dir, 10, ".jsonl", ".index"))
	require.EqualValues(t, 10, start())
	p := mustOpen(t, s.dir, nil)
	requireLeft(t, p, 10, 35)
	require.NoError(t, p.Close())
}

// TestTrimWhileAway: the first segments are dropped while they are away. When
// they come back they are no part of the log, and nobody removes them; what was
// kept is whole.
func TestTrimWhileAway(t *testing.T) {
	s := coldLog(t, time.Hour, time.Hour, time.Minute)
	require.NoError(t, s.move(s.dir, s.cold, 0, ".jsonl", ".index"))
	p := mustOpen(t, s.dir, nil)
	_, err := p.Get(3)
	require.True(t, missing(err), "%v", err)
	plan, err := p.ApplyTrim(TrimPolicy{Before: 20})
	require.NoError(t, err)
	require.True(t, plan.Segments[0].Away)
	require.EqualValues(t, 20, plan.NewStart)
	require.NoError(t, s.move(s.cold, s.dir, 0, ".jsonl", ".index"))
	for _, at := range []uint64{3, 13} {
		_, err = p.Get(at)
		requireGone(t, err, at, 20, 35)
	}
	requireLeft(t, p, 20, 35)
	require.NoError(t, p.Close())
	for _, problem := range problems(t, s.dir) {
		require.True(t, problem.Note, "%+v", problem) // that it lies below start
	}
	p = mustOpen(t, s.dir, nil)
	requireLeft(t, p, 20, 35)
	require.NoError(t, p.Close())
	require.FileExists(t, filepath.Join(s.dir, "00000000000000000000.jsonl"), "it is nobody's to remove")
}

// TestRetentionGoesOnBesideAway: limits by number count what is away, too, so
// that moving segments to another place makes the log keep neither more nor
// fewer records.
func TestRetentionGoesOnBesideAway(t *testing.T) {
	for _, base := range []uint64{0, 10, 20} {
		s := coldLog(t, time.Hour, time.Hour, time.Hour)
		require.NoError(t, s.move(s.dir, s.cold, base, ".jsonl", ".index"))
		p := mustOpen(t, s.dir, nil)
		plan, err := p.PlanTrim(TrimPolicy{Retention: Retention{MaxRecords: 5}})
		require.NoError(t, err)
		require.EqualValues(t, 30, plan.NewStart, "without %d", base)
		plan, err = p.PlanTrim(TrimPolicy{Retention: Retention{MaxRecords: 30}})
		require.NoError(t, err)
		require.Zero(t, plan.NewStart, "without %d", base)
		require.NoError(t, p.Close())
	}
}
