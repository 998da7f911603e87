package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// writeSegments makes a partition of n segments with ten records of one size
// each.
func writeSegments(t testing.TB, dir string, n int) {
	t.Helper()
	end := int64(0)
	for i := range n {
		pair := segment.PairAt(dir, uint64(10*i))
		var records, entries []byte
		entries = index.AppendEntry(entries, 0)
		for j := range 10 {
			records = fmt.Appendf(records, "%09d\n", 1e8+10*i+j)
			entries = index.AppendEntry(entries, int64(len(records)))
		}
		end = int64(len(records))
		require.NoError(t, os.WriteFile(pair.Records, records, 0o600))
		require.NoError(t, os.WriteFile(pair.Index, entries, 0o600))
	}
	meta := segment.Meta{Format: 1, Sync: "always", Validate: "strict", Batch: 1 << 20}
	meta.Synced = segment.Mark{Base: uint64(10 * (n - 1)), Position: end}
	text, err := json.Marshal(meta)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "partition.json"), text, 0o600))
}

func examined(t testing.TB, dir string) *logStat {
	t.Helper()
	p, err := partition.OpenReader(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	s, err := examine(t.Context(), p, dir)
	require.NoError(t, err)
	return s
}

// TestStatOfSegments: whatever is wrong with one segment, the others are told
// of, and what is known of that one too.
func TestStatOfSegments(t *testing.T) {
	remove := func(paths ...string) error {
		for _, path := range paths {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		spoil    func(p segment.Pair) error // of the segment at 10 of 0, 10, 20
		base     uint64
		state    string
		index    string
		whole    string
		problem  string // "" where it is none
		segments int
	}{
		"all is well": {func(segment.Pair) error { return nil }, 10, "sealed", "ok", "complete", "", 3},
		"away": {func(p segment.Pair) error { return remove(p.Records, p.Index) },
			10, "away", "unknown", "complete", "segment of offsets from 10 is away", 3},
		"first away": {func(p segment.Pair) error { return remove(p.Records, p.Index) },
			0, "away", "unknown", "complete", "segment of offsets from 0 is away", 3},
		"last away": {func(p segment.Pair) error { return remove(p.Records, p.Index) },
			20, "away", "unknown", "complete", "segment of offsets from 20 is away", 3},
		"no index": {func(p segment.Pair) error { return remove(p.Index) },
			10, "sealed", "missing", "incomplete", "there is no index", 3},
		"empty index": {func(p segment.Pair) error { return os.Truncate(p.Index, 0) },
			10, "sealed", "missing", "incomplete", "there is no index", 3},
		"short index": {func(p segment.Pair) error { return os.Truncate(p.Index, 48) },
			10, "sealed", "behind", "incomplete", "it ends at position 50 of 100", 3},
		"long index": {func(p segment.Pair) error { return os.WriteFile(p.Index, make([]byte, 200), 0o600) },
			10, "sealed", "damaged", "incomplete", "entry 1 does not fit", 3},
		"noise": {func(p segment.Pair) error {
			return os.WriteFile(p.Index, []byte(strings.Repeat("noise!!!", 11)), 0o600)
		}, 10, "sealed", "damaged", "incomplete", "entry 1 does not fit", 3},
		"short records": {func(p segment.Pair) error { return os.Truncate(p.Records, 50) },
			10, "sealed", "damaged", "incomplete", "entry 6 does not fit", 3},
		"active index gone": {func(p segment.Pair) error { return remove(p.Index) },
			20, "active", "missing", "behind", "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeSegments(t, dir, 3)
			require.NoError(t, c.spoil(segment.PairAt(dir, c.base)))
			s := examined(t, dir)
			require.Len(t, s.Segments, c.segments)
			row := s.Segments[c.base/10]
			require.Equal(t, c.base, row.Base)
			require.Equal(t, c.state, row.State)
			require.Equal(t, c.index, row.Index)
			require.Equal(t, c.whole, s.Index)
			for _, other := range s.Segments {
				if other.Base != c.base {
					require.Equal(t, "ok", other.Index)
					require.Equal(t, uint64(10), other.Records)
					require.EqualValues(t, 100, other.Bytes)
					require.False(t, other.LastAppend.IsZero())
				}
			}
			if c.problem == "" {
				require.Empty(t, s.Problems)
				return
			}
			require.Len(t, s.Problems, 1)
			require.Contains(t, s.Problems[0], c.problem)
			require.Equal(t, exitInvalid, s.failed)
			require.EqualValues(t, 9, s.Sizes.P50)
			require.Contains(t, s.text(10), " "+c.state+" ")
		})
	}
}

// TestStatOfAllAway: a log of which nothing is left is not complete.
func TestStatOfAllAway(t *testing.T) {
	dir := t.TempDir()
	writeSegments(t, dir, 1)
	pair := segment.PairAt(dir, 0)
	require.NoError(t, os.Remove(pair.Records))
	require.NoError(t, os.Remove(pair.Index))
	s := examined(t, dir)
	require.Equal(t, "none", s.Index)
	require.Len(t, s.Problems, 1)
	require.Equal(t, []segmentStat{{State: "away", Index: "unknown", File: pair.Records}}, s.Segments)
	require.Equal(t, exitInvalid, s.failed)
}

// TestStatOfManySegments: a terminal gets the first and the last of them.
func TestStatOfManySegments(t *testing.T) {
	dir := t.TempDir()
	writeSegments(t, dir, 40)
	s := examined(t, dir)
	require.Len(t, s.Segments, 40)
	require.Equal(t, uint64(400), s.Records)
	require.EqualValues(t, 4000, s.Bytes)

	all := s.text(len(s.Segments))
	require.Equal(t, 40, strings.Count(all, ".jsonl\n"))
	require.NotContains(t, all, "more")
	few := s.text(shownSegments)
	require.Equal(t, shownSegments, strings.Count(few, ".jsonl\n"))
	require.Contains(t, few, "\n  … 30 more; --segments shows all\n")
	require.Regexp(t, `(?m)^ +20 +10 +100 `, few)
	require.Regexp(t, `(?m)^ +390 +10 +100 `, few)
	require.Regexp(t, `(?m)^  total +400 +4000 +3520$`, few)
}

// TestStatSaysTheTimeZone: times are local, and of which zone is said.
func TestStatSaysTheTimeZone(t *testing.T) {
	before := time.Local
	defer func() { time.Local = before }()
	time.Local = time.FixedZone("IST", 19800)
	s := segmentStat{LastAppend: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)}
	require.Contains(t, s.cells(), "2026-03-02 13:30:00 IST")
	require.Contains(t, new(segmentStat).cells(), "-")
}

// TestSizesOfASample: of a log with very many records, sizes come from
// chunks all over it.
func TestSizesOfASample(t *testing.T) {
	dir := t.TempDir()
	writeSegments(t, dir, 40)
	p, err := partition.OpenReader(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	m := newMeasurer(3 * mostMeasured)
	require.Equal(t, uint64(4), m.step)
	for _, seg := range p.Log().Info().Segments {
		end, err := m.index(t.Context(), seg, seg.Count)
		require.NoError(t, err)
		require.EqualValues(t, 100, end)
	}
	require.EqualValues(t, 100, m.sizes.count) // ten of forty segments, which are a chunk each
	require.Contains(t, (&sizeStat{Sampled: true}).text(), "of a sample")
}

// TestStatBesideRetention: a segment that is dropped while stat looks at the
// log is no problem, and the rest of the log is told of as it is then.
func TestStatBesideRetention(t *testing.T) {
	dir := t.TempDir()
	writeSegments(t, dir, 4)
	p, err := partition.OpenReader(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	info := p.Log().Info()
	trimTo(t, dir, 20)

	s, err := examineOnce(t.Context(), p, info, dir)
	require.NoError(t, err)
	require.NotEmpty(t, s.Problems) // by what it looked like before

	s, err = examine(t.Context(), p, dir)
	require.NoError(t, err)
	require.Empty(t, s.Problems)
	require.Equal(t, []uint64{20, 40, 20}, []uint64{s.Start, s.Next, s.Records})
	require.Len(t, s.Segments, 2)
}

// TestStatBesideWriter: whatever a writer does meanwhile, stat finds nothing
// wrong.
func TestStatBesideWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	p, err := partition.Open(dir, &partition.Options{Sync: partition.SyncOS, SegmentRecords: 20})
	require.NoError(t, err)
	for range 100 {
		_, err := p.Append([]byte("1234567"))
		require.NoError(t, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	written := make(chan error, 1)
	go func() { written <- appendAndTrim(ctx, p) }()
	for range 100 {
		s := examined(t, dir)
		require.Empty(t, s.Problems)
		sum := uint64(0)
		for _, seg := range s.Segments {
			require.Contains(t, []string{"sealed", "active"}, seg.State)
			sum += seg.Records
		}
		require.Equal(t, s.Records, sum)
	}
	stop()
	require.NoError(t, <-written)
	require.NoError(t, p.Close())
}

// appendAndTrim appends until ctx ends, and drops a segment now and then.
func appendAndTrim(ctx context.Context, p *partition.Partition) error {
	for n, start := 0, uint64(0); ctx.Err() == nil; n++ {
		if _, err := p.Append([]byte("1234567")); err != nil {
			return err
		}
		if _, next := p.Bounds(); n%50 == 0 && next > start+100 {
			start += 20
			if err := p.Trim(start); err != nil {
				return err
			}
		}
	}
	return nil
}

// trimTo drops the segments before that offset, as a writer does.
func trimTo(t *testing.T, dir string, start uint64) {
	t.Helper()
	meta, ok, err := segment.ReadMeta(vfs.OS, dir)
	require.NoError(t, err)
	require.True(t, ok)
	meta.Start = start
	require.NoError(t, segment.WriteMeta(vfs.OS, dir, meta, 0o600))
	for base := uint64(0); base < start; base += 10 {
		pair := segment.PairAt(dir, base)
		require.NoError(t, os.Remove(pair.Records))
		require.NoError(t, os.Remove(pair.Index))
	}
}
