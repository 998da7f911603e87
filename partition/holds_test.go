package partition

import (
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

// consumed registers groups with the log at path, each with its next offset in
// partition 0.
func consumed(t testing.TB, fsys vfs.FS, path string, groups map[string]uint64) offsets.Place {
	t.Helper()
	place, err := offsets.Locate(fsys, path)
	require.NoError(t, err)
	_, err = offsets.Update(fsys, place, 0, func(f *offsets.File) error {
		for group, next := range groups {
			f.Set(group, place.Key(max(place.Partition, 0)), offsets.Entry{Next: next})
		}
		return nil
	})
	require.NoError(t, err)
	return place
}

// TestTrimKeepsWhatGroupsNeed: without being told, no trim drops what a
// registered group has not consumed; a group that is new to the partition has
// consumed nothing.
func TestTrimKeepsWhatGroupsNeed(t *testing.T) {
	mem := trimFiles(t)
	place := consumed(t, mem, "p", map[string]uint64{"billing": 12, "audit": 25})
	p := mustOpen(t, "p", &Options{FS: mem})
	plan, err := p.ApplyTrim(TrimPolicy{Before: 20})
	require.NoError(t, err)
	require.Equal(t, "x--", shape(plan))
	require.Equal(t, []Hold{{"billing", 12}}, plan.Held)
	require.Contains(t, plan.Segments[1].Reason, "held by billing, which needs offset 12")
	require.Empty(t, plan.Lost)
	requireHolds(t, p, 10, 25)

	_, err = offsets.Update(mem, place, 0, func(f *offsets.File) error { f.Register("fresh"); return nil })
	require.NoError(t, err)
	consumed(t, mem, "p", map[string]uint64{"billing": 25})
	require.NoError(t, p.Trim(20))
	requireHolds(t, p, 10, 25)

	_, err = offsets.Update(mem, place, 0, func(f *offsets.File) error { delete(f.Groups, "fresh"); return nil })
	require.NoError(t, err)
	require.NoError(t, p.Trim(20))
	requireHolds(t, p, 20, 25)
	require.NoError(t, p.Close())
}

// TestTrimForceTellsWhoLoses: before it is done, and afterwards.
func TestTrimForceTellsWhoLoses(t *testing.T) {
	mem := trimFiles(t)
	consumed(t, mem, "p", map[string]uint64{"billing": 12, "audit": 25, "new": 0})
	p := mustOpen(t, "p", &Options{FS: mem})
	want := []Loss{{"billing", 12, 8}, {"new", 0, 20}}
	plan, err := p.PlanTrim(TrimPolicy{Before: 20, Force: true})
	require.NoError(t, err)
	require.Equal(t, want, plan.Lost)
	requireHolds(t, p, 0, 25)
	plan, err = p.ApplyTrim(TrimPolicy{Before: 20, Force: true})
	require.NoError(t, err)
	require.Equal(t, want, plan.Lost)
	require.EqualValues(t, 20, p.Stats().Retention.Lost)
	requireHolds(t, p, 20, 25)
	require.NoError(t, p.Close())
}

// TestTrimInTopic: the offsets of a partition in a topic are the topic's.
func TestTrimInTopic(t *testing.T) {
	mem := trimFiles(t)
	require.NoError(t, mem.Mkdir("t", 0o700))
	require.NoError(t, mem.Rename("p", "t/0"))
	require.NoError(t, vfs.ReplaceFile(mem, "t/topic.json", []byte(`{"format":1,"name":"orders","partitions":1}`), 0o600))
	place := consumed(t, mem, "t", map[string]uint64{"billing": 12})
	require.Equal(t, filepath.Join("t", "offsets.json"), place.File)
	p := mustOpen(t, "t/0", &Options{FS: mem})
	require.NoError(t, p.Trim(20))
	requireHolds(t, p, 10, 25)

	// Without the topic's name nobody knows whose entries these are.
	require.NoError(t, vfs.ReplaceFile(mem, "t/topic.json", nil, 0o600))
	err := p.Trim(20)
	require.ErrorContains(t, err, "nothing is dropped")
	require.ErrorContains(t, err, "topic.json")
	requireHolds(t, p, 10, 25)
	require.NoError(t, p.Close())
}

// TestTrimWithoutKnowingGroups: where both versions of the offsets are bad,
// nothing goes but by force, which says so.
func TestTrimWithoutKnowingGroups(t *testing.T) {
	mem := trimFiles(t)
	place := consumed(t, mem, "p", map[string]uint64{"billing": 25})
	for _, name := range []string{place.File, place.Prev()} {
		require.NoError(t, vfs.ReplaceFile(mem, name, nil, 0o600))
	}
	p := mustOpen(t, "p", &Options{FS: mem})
	refused := func() {
		err := p.Trim(20)
		require.ErrorIs(t, err, offsets.ErrDamaged)
		require.ErrorContains(t, err, "nothing is dropped")
		require.ErrorContains(t, err, place.File)
		require.Contains(t, p.Stats().Retention.Error, "offsets.json")
	}
	refused()
	// Files that were removed are no better than bad ones.
	require.NoError(t, mem.Mkdir(place.Groups, 0o700))
	require.NoError(t, mem.Remove(place.File))
	require.NoError(t, mem.Remove(place.Prev()))
	refused()
	_, err := p.PlanTrim(TrimPolicy{Before: 20})
	require.ErrorIs(t, err, offsets.ErrDamaged)
	requireHolds(t, p, 0, 25)

	plan, err := p.ApplyTrim(TrimPolicy{Before: 20, Force: true})
	require.NoError(t, err)
	require.Contains(t, plan.HoldsUnknown, "offsets.json")
	requireHolds(t, p, 20, 25)
	require.NoError(t, p.Close())
}

// TestTrimBesideCommits: no commit and no reset comes between the decision and
// the partition.json that makes it durable; planning locks nothing.
func TestTrimBesideCommits(t *testing.T) {
	mem := trimFiles(t)
	place := consumed(t, mem, "p", map[string]uint64{"billing": 20})
	var taken []bool // the lock of the offsets, at each replacement of partition.json
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpRename && strings.HasSuffix(op.To, "partition.json") {
			l, err := mem.Lock(place.Lock)
			taken = append(taken, err != nil)
			if err == nil {
				return l.Close()
			}
		}
		return nil
	})
	p := mustOpen(t, "p", &Options{FS: fsys})
	taken = nil
	before := len(fsys.Ops())
	_, err := p.PlanTrim(TrimPolicy{Before: 20})
	require.NoError(t, err)
	for _, op := range fsys.Ops()[before:] {
		require.False(t, op.Kind == vfs.OpLock || op.Kind == vfs.OpWrite, "%v", op)
	}
	require.NoError(t, p.Trim(20))
	require.Equal(t, []bool{true, false}, taken, "with start; when all files are gone, it does not matter any more")
	lock, err := mem.Lock(place.Lock)
	require.NoError(t, err, "it is given up")
	require.NoError(t, lock.Close())
	require.NoError(t, p.Close())
}

// TestTrimWithoutGroups makes no file that nobody asked for.
func TestTrimWithoutGroups(t *testing.T) {
	mem := trimFiles(t)
	p := mustOpen(t, "p", &Options{FS: mem})
	require.NoError(t, p.Trim(20))
	requireHolds(t, p, 20, 25)
	require.NoError(t, p.Close())
	names, err := mem.List("p")
	require.NoError(t, err)
	for _, name := range names {
		require.False(t, groupFile(name), name)
	}
}

// TestRetentionLosesPatience: beyond MaxHeldBytes or MaxHeldAge what is held
// goes all the same, and who loses what is told.
func TestRetentionLosesPatience(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		limits Retention
		start  uint64
	}{
		"held":         {Retention{MaxRecords: 1}, 0},
		"bytes":        {Retention{MaxRecords: 1, MaxHeldBytes: 100}, 10},
		"few bytes":    {Retention{MaxRecords: 1, MaxHeldBytes: 50}, 20},
		"age":          {Retention{MaxRecords: 1, MaxHeldAge: time.Minute}, 20},
		"young":        {Retention{MaxRecords: 1, MaxHeldAge: 2 * time.Hour}, 0},
		"no limit":     {Retention{MaxHeldBytes: 1, MaxHeldAge: 1}, 0},
		"nothing held": {Retention{MaxRecords: 1, Hold: HoldNothing}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			log := trimLog{start: 0, next: 25, segs: []trimSeg{
				{base: 0, from: 0, end: 10, bytes: 100, last: old},
				{base: 10, from: 10, end: 20, bytes: 100, last: old},
				{base: 20, from: 20, end: 25, bytes: 50, last: old, active: true},
			}}
			holds := []Hold{{"slow", 3}}
			if c.limits.Hold != nil {
				var err error
				holds, _, err = c.limits.Hold()
				require.NoError(t, err)
			}
			d := decision{policy: &TrimPolicy{Retention: c.limits}, log: log, holds: holds, now: time.Now()}
			plan := d.decide()
			require.Equal(t, c.start, plan.NewStart)
			if c.start == 0 || c.limits.Hold != nil {
				require.Empty(t, plan.Lost)
				return
			}
			require.Equal(t, []Loss{{"slow", 3, c.start - 3}}, plan.Lost)
			require.Contains(t, plan.Segments[0].Reason, "is held by slow, which needs offset 3, but")
		})
	}
}

// TestRetentionTellsWhoHolds: the background keeps what a group needs, and says
// once who that is; it goes when the patience ends, with a warning.
func TestRetentionTellsWhoHolds(t *testing.T) {
	var told strings.Builder
	mem := trimFiles(t)
	consumed(t, mem, "p", map[string]uint64{"slow": 3})
	opts := &Options{FS: mem, SegmentRecords: 10, Retention: Retention{MaxRecords: 1}, Logger: slog.New(slog.NewTextHandler(&told, nil))}
	p := mustOpen(t, "p", opts)
	appendWhole(t, p, 25, 45) // rolls wake it, and closing waits for it
	require.NoError(t, p.Close())
	require.Equal(t, 1, strings.Count(told.String(), "retention keeps segments that are still needed"), "%s", told.String())
	require.Equal(t, []string{"0", "10", "20", "30", "40"}, basesOf(t, mem, ".jsonl"))

	opts.Retention.MaxHeldBytes = 1
	p = mustOpen(t, "p", opts)
	appendWhole(t, p, 45, 55)
	require.NoError(t, p.Close())
	require.Contains(t, told.String(), "retention dropped records that were still needed")
	require.Contains(t, told.String(), "by=slow")
	require.NotContains(t, basesOf(t, mem, ".jsonl"), "0")
}

func appendWhole(t testing.TB, p *Partition, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		_, err := p.Append(fmt.Appendf(nil, `{"n":1%02d}`, n))
		require.NoError(t, err)
	}
}

// TestOpenBesideGroups: a group that was there first does not make a directory
// foreign.
func TestOpenBesideGroups(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("p", 0o700))
	place := consumed(t, mem, "p", map[string]uint64{"early": 0})
	require.NoError(t, mem.Mkdir(place.Groups, 0o700))
	require.NoError(t, mem.Mkdir(place.Dead, 0o700))
	p := mustOpen(t, "p", &Options{FS: mem})
	require.NoError(t, p.Close())
	_, err := Open("p", &Options{FS: mem, Retention: Retention{MaxRecords: 1, MaxHeldBytes: -1}})
	require.ErrorIs(t, err, fs.ErrInvalid)
}

// TestTrimWithoutGroupsLooksLittle: where no group was ever registered, asking
// costs a few looks at the directory, and opens and locks nothing that is there.
func TestTrimWithoutGroupsLooksLittle(t *testing.T) {
	mem := trimFiles(t)
	fsys := vfs.NewFault(mem, nil)
	p := mustOpen(t, "p", &Options{FS: fsys})
	before := len(fsys.Ops())
	h, err := p.holds(&TrimPolicy{Before: 20}, true)
	require.NoError(t, err)
	require.NoError(t, h.release())
	require.LessOrEqual(t, len(fsys.Ops())-before, 8)
	for _, op := range fsys.Ops()[before:] {
		require.True(t, op.Kind == vfs.OpStat || op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, "topic.json"), "%v", op)
	}
	require.NoError(t, p.Close())
}
