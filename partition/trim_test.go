package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// trimFiles is a log of segments of 10, 10 and 5 records, in the directory p.
func trimFiles(t testing.TB) *vfs.Mem {
	log := files{}
	for base := 0; base < 30; base += 10 {
		recs := ""
		for n := base; n < min(base+10, 25); n++ {
			recs += fmt.Sprintf("{\"n\":1%02d}\n", n)
		}
		name := fmt.Sprintf("%020d", base)
		log[name+".jsonl"], log[name+".index"] = recs, indexOf(recs)
	}
	log.promise(0, 20, 50)
	log["partition.json"] += "\n"
	log[fmt.Sprintf("%020d.torn-4", 0)] = "{\"n"
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("p", 0o700))
	for name, data := range log {
		require.NoError(t, vfs.ReplaceFile(mem, "p/"+name, []byte(data), 0o600))
	}
	return mem.Crash(vfs.CrashConfig{Data: vfs.DataKept, Names: vfs.NamesKept})
}

// basesOf are those of the files with that ending.
func basesOf(t testing.TB, fsys vfs.FS, ext string) (found []string) {
	names, err := fsys.List("p")
	require.NoError(t, err)
	for _, name := range names {
		if base, ok := strings.CutSuffix(name, ext); ok {
			found = append(found, strings.TrimLeft(base[:len(base)-1], "0")+base[len(base)-1:])
		}
	}
	return found
}

// requireHolds reads the log whole: it has the records from start up to next.
func requireHolds(t testing.TB, p *Partition, start, next int) {
	t.Helper()
	gotStart, gotNext := p.Bounds()
	require.Equal(t, fmt.Sprint(start, next), fmt.Sprint(gotStart, gotNext))
	var want []string
	for n := start; n < next; n++ {
		want = append(want, fmt.Sprintf(`{"n":1%02d}`, n))
	}
	require.Equal(t, want, read(t, p, gotStart))
	slices.Reverse(want)
	var back []string
	for rec, err := range p.Backward(math.MaxUint64) {
		require.NoError(t, err)
		back = append(back, string(rec.Data))
	}
	require.Equal(t, want, back)
}

func requireGone(t testing.TB, err error, offset, start, next uint64) {
	t.Helper()
	gone, ok := errors.AsType[*RangeError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, RangeError{Offset: offset, Start: start, Next: next}, *gone)
	require.Equal(t, start-offset, gone.Gone())
}

// TestTrim drops two segments, and nothing but these.
func TestTrim(t *testing.T) {
	mem := trimFiles(t)
	p := mustOpen(t, "p", &Options{FS: mem})
	require.NoError(t, p.Trim(9), "no segment lies below it as a whole")
	requireHolds(t, p, 0, 25)
	require.NoError(t, p.Trim(24))
	requireHolds(t, p, 20, 25)
	require.Equal(t, []string{"20"}, basesOf(t, mem, ".jsonl"))
	require.Equal(t, []string{"20"}, basesOf(t, mem, ".index"))
	require.Equal(t, []string{"0"}, basesOf(t, mem, ".torn-4"), "rescued bytes are for a person to remove")
	_, err := p.Get(3)
	requireGone(t, err, 3, 20, 25)
	_, err = p.Reader(19).Next()
	requireGone(t, err, 19, 20, 25)
	require.NoError(t, p.Trim(10), "that is done already")
	_, err = p.Append([]byte(`{"n":125}`))
	require.NoError(t, err)
	require.NoError(t, p.Sync())
	require.NoError(t, p.Close())

	p = mustOpen(t, "p", &Options{FS: mem})
	require.Empty(t, p.Recovery().Lines())
	requireHolds(t, p, 20, 26)
	require.ErrorContains(t, p.Trim(27), "offset 27 is not there yet")
	require.NoError(t, p.Close())
	require.ErrorIs(t, p.Trim(0), fs.ErrClosed)
}

// TestTrimPlan says what would be done and does nothing, also where the
// partition is open for reading.
func TestTrimPlan(t *testing.T) {
	mem := trimFiles(t)
	for _, open := range []func(string, *Options) (*Partition, error){Open, OpenReader} {
		p, err := open("p", &Options{FS: mem})
		require.NoError(t, err)
		plan, err := p.PlanTrim(TrimPolicy{Retention: Retention{MaxRecords: 6}})
		require.NoError(t, err)
		require.Equal(t, "x--", shape(plan))
		require.Equal(t, "0 10 25 false", fmt.Sprint(plan.Start, plan.NewStart, plan.Next, plan.Done))
		require.EqualValues(t, 100, plan.Segments[0].Bytes)
		require.False(t, plan.Segments[0].LastAppend.IsZero())
		requireHolds(t, p, 0, 25)
		_, err = p.PlanTrim(TrimPolicy{Before: 26})
		_, out := errors.AsType[*RangeError](err)
		require.True(t, out, "%v", err)
		require.NoError(t, p.Close())
	}
	p, err := OpenReader("p", &Options{FS: mem})
	require.NoError(t, err)
	require.ErrorIs(t, p.Trim(10), ErrReadOnly)
	require.NoError(t, p.Close())
}

// TestTrimAway drops segments of which the files are in another place.
func TestTrimAway(t *testing.T) {
	mem := trimFiles(t)
	for _, base := range []uint64{0, 10} {
		pair := segment.PairAt("p", base)
		require.NoError(t, mem.Rename(pair.Records, pair.Records+".cold"))
		require.NoError(t, mem.Rename(pair.Index, pair.Index+".cold"))
	}
	p, err := OpenReader("p", &Options{FS: mem})
	require.NoError(t, err)
	plan, err := p.PlanTrim(TrimPolicy{Before: 20})
	require.NoError(t, err)
	require.Equal(t, "x-", shape(plan))
	require.True(t, plan.Segments[0].Away)
	require.EqualValues(t, 20, plan.Segments[0].Records)
	require.NoError(t, p.Close())
}

// TestTrimCrash loses power at every step of a trim. What is left opens, holds
// all from its start on, and has no file below that once it has been opened.
func TestTrimCrash(t *testing.T) {
	trim := func(fsys vfs.FS) error {
		p, err := Open("p", &Options{FS: fsys})
		if err != nil {
			return err
		}
		return errors.Join(p.Trim(20), p.Close())
	}
	whole := vfs.NewFault(trimFiles(t), nil)
	require.NoError(t, trim(whole))
	starts := map[uint64]int{}
	for _, op := range whole.Ops() {
		if !op.Kind.Changes() {
			continue
		}
		mem := trimFiles(t)
		require.Error(t, trim(vfs.NewFault(mem, vfs.CrashAt(op.N))))
		for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset} {
			for seed := range uint64(8) {
				after := mem.Crash(vfs.CrashConfig{Data: vfs.DataLost, Names: names, Seed: seed})
				starts[requireTrimmed(t, after, fmt.Sprintf("crash before %v, names %v, seed %d", op, names, seed))]++
			}
		}
	}
	require.Len(t, starts, 2, "it is done or it is not")
}

// TestTrimCrashInOpening: a process is killed in a trim, and the power fails at
// every step of the opening that finishes it.
func TestTrimCrashInOpening(t *testing.T) {
	trim := func(fsys vfs.FS) error {
		p, err := Open("p", &Options{FS: fsys})
		if err != nil {
			return err
		}
		return errors.Join(p.Trim(20), p.Close())
	}
	open := func(fsys vfs.FS) error {
		p, err := Open("p", &Options{FS: fsys})
		if err != nil {
			return err
		}
		return p.Close()
	}
	killed := func(at int) *vfs.Mem {
		mem := trimFiles(t)
		require.Error(t, trim(vfs.NewFault(mem, vfs.CrashAt(at))))
		return mem.Kill()
	}
	whole := vfs.NewFault(trimFiles(t), nil)
	require.NoError(t, trim(whole))
	for _, op := range whole.Ops() {
		if op.Kind != vfs.OpRemove && op.Kind != vfs.OpSyncDir {
			continue // a kill elsewhere leaves what one at these leaves
		}
		second := vfs.NewFault(killed(op.N), nil)
		require.NoError(t, open(second))
		for _, again := range second.Ops() {
			if !again.Kind.Changes() {
				continue
			}
			mem := killed(op.N)
			require.Error(t, open(vfs.NewFault(mem, vfs.CrashAt(again.N))))
			for seed := range uint64(6) {
				names := vfs.NameLoss(min(seed, uint64(vfs.NamesSubset)))
				after := mem.Crash(vfs.CrashConfig{Names: names, Seed: seed})
				requireTrimmed(t, after, fmt.Sprintf("killed before %v, crash before %v, names %v, seed %d", op, again, names, seed))
			}
		}
	}
}

func requireTrimmed(t *testing.T, fsys *vfs.Mem, what string) (start uint64) {
	r, err := OpenReader("p", &Options{FS: fsys})
	require.NoError(t, err, what)
	start, _ = r.Bounds()
	require.Contains(t, []uint64{0, 20}, start, what)
	requireHolds(t, r, int(start), 25)
	for p, err := range r.Verify(t.Context()) {
		require.NoError(t, err, what)
		require.Fail(t, "a problem", "%s: %v", what, p)
	}
	require.NoError(t, r.Close())

	p, err := Open("p", &Options{FS: fsys})
	require.NoError(t, err, what)
	requireHolds(t, p, int(start), 25)
	want := []string{"0", "10", "20"}[start/10:]
	require.Equal(t, want, basesOf(t, fsys, ".jsonl"), what)
	require.Equal(t, want, basesOf(t, fsys, ".index"), what)
	offset, err := p.Append([]byte(`{"n":125}`))
	require.NoError(t, err, what)
	require.EqualValues(t, 25, offset, what)
	require.NoError(t, p.Close(), what)
	return start
}

// TestTrimOrder: start is durable before anything is unlinked, of each segment
// the records go first, and that they were to go is forgotten once they have.
func TestTrimOrder(t *testing.T) {
	mem := trimFiles(t)
	var steps []string
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		switch op.Kind {
		case vfs.OpRename, vfs.OpRemove, vfs.OpSyncDir:
			steps = append(steps, op.Kind.String()+" "+strings.TrimLeft(path.Base(op.Path), "0"))
		}
		return nil
	})
	p := mustOpen(t, "p", &Options{FS: fsys, Retention: Retention{Hold: func() ([]Hold, func(), error) {
		return nil, func() { steps = append(steps, "release") }, nil
	}}})
	steps = nil
	require.NoError(t, p.Trim(20))
	require.Equal(t, []string{"rename partition.json.tmp", "syncdir p", "release",
		"remove .jsonl", "remove .index", "remove 10.jsonl", "remove 10.index", "syncdir p",
		"rename partition.json.tmp", "syncdir p"}, steps)
	require.NoError(t, p.Close())
}

// TestTrimBesideReaders opens and reads the log, as another process would, at
// every step of a trim: it is as before or as after, and nothing is missing.
func TestTrimBesideReaders(t *testing.T) {
	mem := trimFiles(t)
	starts := map[uint64]bool{}
	look := func() {
		r, err := OpenReader("p", &Options{FS: mem})
		require.NoError(t, err)
		start, next := r.Bounds()
		starts[start] = true
		require.EqualValues(t, 25, next)
		require.Len(t, read(t, r, start), int(next-start))
		_, err = r.Get(3)
		if start > 0 {
			requireGone(t, err, 3, start, next)
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, r.Close())
	}
	early, err := OpenReader("p", &Options{FS: mem})
	require.NoError(t, err)
	other, err := OpenReader("p", &Options{FS: mem})
	require.NoError(t, err)
	inside := other.Reader(5)
	_, err = inside.Next()
	require.NoError(t, err)
	p := mustOpen(t, "p", &Options{FS: vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind.Changes() {
			look()
			// One that was there before asks only now.
			if _, err := early.Get(13); err != nil {
				requireGone(t, err, 13, 20, 25)
			}
		}
		return nil
	})})
	within := p.Reader(5)
	_, err = within.Next()
	require.NoError(t, err)
	require.NoError(t, p.Trim(20))
	require.Equal(t, map[uint64]bool{0: true, 20: true}, starts)
	// Who is inside a segment finishes it, in this process and in others.
	for offset := uint64(6); offset < 10; offset++ {
		for _, r := range []interface{ Next() (Record, error) }{inside, within} {
			rec, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, offset, rec.Offset)
		}
	}
	_, err = inside.Next()
	requireGone(t, err, 10, 20, 25)
	_, err = within.Next()
	requireGone(t, err, 10, 20, 25)
	require.NoError(t, p.Close())
	require.NoError(t, errors.Join(early.Close(), other.Close()))
}

// TestTrimUnlinkFails: files that cannot be removed are no part of the log any
// more, and are removed later.
func TestTrimUnlinkFails(t *testing.T) {
	for name, later := range map[string]func(p *Partition, fsys vfs.FS) *Partition{
		"next trim": func(p *Partition, _ vfs.FS) *Partition {
			require.NoError(t, p.Trim(20))
			return p
		},
		"next opening": func(p *Partition, fsys vfs.FS) *Partition {
			require.NoError(t, p.Close())
			p = mustOpen(t, "p", &Options{FS: fsys})
			require.Equal(t, []string{"2 segments below the start of the log removed, which trimming had begun with"}, p.Recovery().Lines())
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			mem := trimFiles(t)
			busy := true
			fsys := vfs.NewFault(mem, func(op vfs.Op) error {
				if busy && op.Kind == vfs.OpRemove && strings.HasSuffix(op.Path, "0.jsonl") {
					return syscall.EBUSY
				}
				return nil
			})
			p := mustOpen(t, "p", &Options{FS: fsys})
			require.ErrorIs(t, p.Trim(20), syscall.EBUSY)
			require.Contains(t, p.Stats().Retention.Error, "busy")
			require.Equal(t, []string{"0", "10", "20"}, basesOf(t, mem, ".index"), "no records without their index")
			requireHolds(t, p, 20, 25)
			require.ErrorIs(t, p.Trim(20), syscall.EBUSY)
			busy = false
			p = later(p, fsys)
			require.Equal(t, []string{"20"}, basesOf(t, mem, ".jsonl"))
			require.Equal(t, []string{"20"}, basesOf(t, mem, ".index"))
			requireHolds(t, p, 20, 25)
			require.NoError(t, p.Close())
		})
	}
}

// TestTrimLeftoversStay: opening goes on where what a trim left cannot be
// removed.
func TestTrimLeftoversStay(t *testing.T) {
	mem := trimFiles(t)
	require.NoError(t, vfs.ReplaceFile(mem, "p/partition.json", []byte(`{"format":1,"sync":"always","validate":"strict","batch":100,"start":10,"synced":{"base":20,"position":50},"dropping":{"from":0,"to":10}}`), 0o600))
	var logged strings.Builder
	p := mustOpen(t, "p", &Options{Logger: slog.New(slog.NewTextHandler(&logged, nil)), FS: vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpRemove {
			return syscall.EACCES
		}
		return nil
	})})
	require.Contains(t, logged.String(), "permission denied")
	requireHolds(t, p, 10, 25)
	require.NoError(t, p.Close())
}

// TestTrimHolds: what is held stays, and where that is not known everything.
func TestTrimHolds(t *testing.T) {
	mem := trimFiles(t)
	released := 0
	var holds []Hold
	var failure error
	retention := Retention{Hold: func() ([]Hold, func(), error) { return holds, func() { released++ }, failure }}
	p := mustOpen(t, "p", &Options{FS: mem, Retention: retention})
	failure = errors.New("the offsets cannot be read")
	err := p.Trim(20)
	require.ErrorIs(t, err, failure)
	require.ErrorContains(t, err, "nothing is dropped")
	requireHolds(t, p, 0, 25)

	failure, holds = nil, []Hold{{"billing", 12}, {"audit", 25}}
	plan, err := p.ApplyTrim(TrimPolicy{Before: 20, Retention: retention})
	require.NoError(t, err)
	require.Equal(t, "x--", shape(plan))
	require.Equal(t, []Hold{{"billing", 12}}, plan.Held)
	require.Equal(t, plan.Held, p.Stats().Retention.Held)
	requireHolds(t, p, 10, 25)
	require.Equal(t, 2, released)

	_, err = p.ApplyTrim(TrimPolicy{Before: 20, Retention: retention, Force: true})
	require.NoError(t, err)
	requireHolds(t, p, 20, 25)
	require.EqualValues(t, 2, p.Stats().Retention.Segments)
	require.EqualValues(t, 20, p.Stats().Retention.Records)
	require.EqualValues(t, 200, p.Stats().Retention.Bytes)
	require.NoError(t, p.Close())
}

// TestTrimOfAnotherDirectory: where the directory was moved away and another
// one has its name, nothing in that is changed.
func TestTrimOfAnotherDirectory(t *testing.T) {
	mem := trimFiles(t)
	p := mustOpen(t, "p", &Options{FS: mem})
	require.NoError(t, mem.Rename("p", "moved"))
	require.NoError(t, mem.Mkdir("p", 0o700))
	other := segment.PairAt("p", 0)
	for _, name := range []string{other.Records, other.Index, segment.PairAt("p", 20).Records, "p/partition.json"} {
		require.NoError(t, vfs.ReplaceFile(mem, name, []byte("other\n"), 0o600))
	}
	before := taken(t, mem)
	require.ErrorIs(t, p.Trim(20), ErrReplaced)
	require.Equal(t, before, taken(t, mem))
	require.NoError(t, p.Close(), "it had nothing to sync")
}

// TestBareFileHasNoRetention: it is one segment.
func TestBareFileHasNoRetention(t *testing.T) {
	mem := vfs.NewMem()
	_, err := Open("app.jsonl", &Options{FS: mem, Retention: Retention{MaxRecords: 1}})
	require.ErrorIs(t, err, ErrNoSegments)
	_, err = mem.Stat("app.jsonl")
	require.ErrorIs(t, err, fs.ErrNotExist)
	p := mustOpen(t, "app.jsonl", &Options{FS: mem})
	require.ErrorIs(t, p.Trim(0), ErrNoSegments)
	_, err = p.PlanTrim(TrimPolicy{})
	require.ErrorIs(t, err, ErrNoSegments)
	require.NoError(t, p.Close())
}

// TestRetentionOptions: a limit is not negative.
func TestRetentionOptions(t *testing.T) {
	for _, r := range []Retention{{MaxBytes: -1}, {MaxSegments: -1}, {MaxAge: -1}} {
		_, err := Open("p", &Options{FS: vfs.NewMem(), Retention: r})
		require.ErrorIs(t, err, fs.ErrInvalid)
	}
	p := mustOpen(t, "p", &Options{FS: trimFiles(t)})
	for _, r := range []Retention{{MaxBytes: -1}, {MaxSegments: -1}, {MaxAge: -1}} {
		_, err := p.PlanTrim(TrimPolicy{Before: 20, Retention: r})
		require.ErrorIs(t, err, fs.ErrInvalid)
		_, err = p.ApplyTrim(TrimPolicy{Before: 20, Retention: r})
		require.ErrorIs(t, err, fs.ErrInvalid)
	}
	requireHolds(t, p, 0, 25)
	require.NoError(t, p.Close())
}

// TestTrimBesideRoll: a roll that comes between the decision and the sealing of
// the active segment has done what was to be done.
func TestTrimBesideRoll(t *testing.T) {
	var p *Partition
	trimming, lists := false, 0
	p = mustOpen(t, "p", &Options{FS: vfs.NewFault(trimFiles(t), func(op vfs.Op) error {
		if trimming && op.Kind == vfs.OpList {
			// The first is that of a refresh, which a roll waits for.
			if lists++; lists == 2 {
				trimming = false
				require.NoError(t, p.Roll())
			}
		}
		return nil
	})})
	trimming = true
	require.NoError(t, p.Trim(25))
	require.False(t, trimming)
	require.Empty(t, p.Stats().Retention.Error)
	requireEmpty(t, p, 25)
	require.NoError(t, p.Close())
}

// TestRepairHonoursStart: what lies below the start of the log is no part of
// it, however it came there, and is not repaired.
func TestRepairHonoursStart(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, mem *vfs.Mem){
		"one put back": func(t *testing.T, mem *vfs.Mem) { takeAway(t, mem, 10, true) },
		"damaged": func(t *testing.T, mem *vfs.Mem) {
			require.NoError(t, vfs.ReplaceFile(mem, segment.PairAt("p", 10).Records, []byte("{\"n\":1\x00\x00}\n"), 0o600))
		},
		"without index": func(t *testing.T, mem *vfs.Mem) {
			require.NoError(t, mem.Remove(segment.PairAt("p", 0).Index))
			require.NoError(t, mem.Remove(segment.PairAt("p", 10).Index))
		},
	} {
		t.Run(name, func(t *testing.T) {
			mem := trimFiles(t)
			require.NoError(t, vfs.ReplaceFile(mem, "p/partition.json", []byte(`{"format":1,"sync":"always","validate":"strict","batch":100,"start":20,"synced":{"base":20,"position":50}}`), 0o600))
			spoil(t, mem)
			before := taken(t, mem)
			report, err := Repair(t.Context(), "p", &Options{FS: mem}, RepairOptions{Execute: true})
			require.NoError(t, err)
			require.Empty(t, report.Actions)
			require.Empty(t, report.Left)
			require.Equal(t, before, taken(t, mem))
		})
	}
}

// TestTrimLooksOnce: what a trim costs does not grow with the segments that are
// kept: sealed ones are looked at once, and again only where it depends on them.
func TestTrimLooksOnce(t *testing.T) {
	var looks atomic.Int32 // the goroutines of the writer look, too
	fsys := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
		if op.Kind == vfs.OpStat && strings.HasSuffix(op.Path, ".jsonl") {
			looks.Add(1)
		}
		return nil
	})
	p := mustOpen(t, "p", &Options{FS: fsys, SegmentRecords: 1, Sync: SyncOS})
	appendLines(t, p, 0, 200)
	require.NoError(t, p.Trim(1))
	looks.Store(0)
	for n := range 20 {
		require.NoError(t, p.Trim(uint64(n+2)))
		_, err := p.Append(line(n + 200))
		require.NoError(t, err)
	}
	require.Less(t, looks.Load(), int32(20*12))
	plan, err := p.PlanTrim(TrimPolicy{Retention: Retention{MaxBytes: 99 * int64(len(line(100))+1)}})
	require.NoError(t, err)
	require.Equal(t, 99, len(plan.Segments)-plan.dropped(), "all sizes are known")
	require.NoError(t, p.Close())
}

// TestTrimOfTouchedFiles: the time that decides is the one that the file has
// now, also where another was remembered.
func TestTrimOfTouchedFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	p := mustOpen(t, dir, &Options{SegmentRecords: 10, Sync: SyncOS})
	appendLines(t, p, 0, 45)
	plan := func() string {
		plan, err := p.PlanTrim(TrimPolicy{Retention: Retention{MaxAge: 24 * time.Hour}})
		require.NoError(t, err)
		return shape(plan)
	}
	touch := func(base uint64, age time.Duration) {
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(segment.PairAt(dir, base).Records, at, at))
	}
	require.Equal(t, "-----", plan())
	touch(0, 48*time.Hour)
	require.Equal(t, "x----", plan())
	touch(0, 0)
	touch(10, 48*time.Hour)
	require.Equal(t, "-----", plan())
	touch(0, 48*time.Hour)
	require.Equal(t, "xx---", plan())
	touch(10, 0)
	require.Equal(t, "x----", plan())
	require.NoError(t, p.Close())
}

// TestGetOfUnlinkedMapping: what a reader has mapped stays readable although
// retention has removed the file, in whichever process; once it looks again, the
// records are gone.
func TestGetOfUnlinkedMapping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	p := mustOpen(t, dir, &Options{SegmentRecords: 10, Sync: SyncOS, TailCache: -1})
	appendLines(t, p, 0, 25)
	require.NoError(t, p.Sync())
	r, err := OpenReader(dir, nil)
	require.NoError(t, err)
	requireLine := func(n int) {
		t.Helper()
		for range 100 { // often enough to be mapped
			got, err := r.Get(uint64(n))
			require.NoError(t, err)
			require.Equal(t, string(line(n)), string(got))
		}
	}
	requireLine(3)
	requireLine(13)
	before := r.Stats().Read
	require.NoError(t, p.Trim(20))
	_, err = os.Stat(segment.PairAt(dir, 0).Records)
	require.ErrorIs(t, err, fs.ErrNotExist)
	requireLine(3)
	requireLine(5)
	requireLine(13)
	require.Equal(t, before.Opens, r.Stats().Read.Opens, "nothing was opened for it")
	_, err = p.Get(3)
	requireGone(t, err, 3, 20, 25)
	requireLine(22)
	require.NoError(t, r.Log().Refresh())
	for _, offset := range []uint64{3, 5, 13} {
		_, err = r.Get(offset)
		requireGone(t, err, offset, 20, 25)
	}
	requireLine(22)
	require.NoError(t, errors.Join(r.Close(), p.Close()))
}
