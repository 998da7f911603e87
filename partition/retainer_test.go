package partition

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// appendLines appends line(from) to line(to-1), one by one.
func appendLines(t testing.TB, p *Partition, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		offset, err := p.Append(line(n))
		require.NoError(t, err)
		require.EqualValues(t, n, offset)
	}
}

// TestTrimAll removes every record: the next one gets the number that it would
// have got, also after the process was killed, and after all that once more.
func TestTrimAll(t *testing.T) {
	for _, mode := range syncModes {
		for _, before := range []uint64{10, math.MaxUint64} {
			t.Run(fmt.Sprint(mode, " ", before), func(t *testing.T) {
				mem := vfs.NewMem()
				p := mustOpen(t, "p", &Options{FS: mem, Sync: mode})
				appendLines(t, p, 0, 10)
				plan, err := p.ApplyTrim(TrimPolicy{Before: before})
				require.NoError(t, err)
				require.True(t, plan.Done)
				_, records, _ := plan.Dropped()
				require.Equal(t, "x-", shape(plan))
				require.EqualValues(t, 10, records)
				requireEmpty(t, p, 10)
				require.NoError(t, p.Trim(10), "there is nothing more to drop")
				require.NoError(t, p.Trim(math.MaxUint64))

				// A process that is killed here leaves no more than that.
				left := mem.Kill()
				_ = p.Close()
				r, err := OpenReader("p", &Options{FS: left})
				require.NoError(t, err)
				requireEmpty(t, r, 10)
				for found, err := range r.Verify(t.Context()) {
					require.NoError(t, err)
					require.Fail(t, "a problem", "%v", found)
				}
				require.NoError(t, r.Close())
				report, err := Repair(t.Context(), "p", &Options{FS: left}, RepairOptions{})
				require.NoError(t, err)
				require.Empty(t, report.Actions)

				p = mustOpen(t, "p", &Options{FS: left, Sync: mode})
				require.Empty(t, p.Recovery().Lines())
				requireEmpty(t, p, 10)
				appendLines(t, p, 10, 12)
				require.Equal(t, []string{string(line(10)), string(line(11))}, read(t, p, 10))
				require.NoError(t, p.Trim(12))
				requireEmpty(t, p, 12)
				require.NoError(t, p.Close())
			})
		}
	}
}

func requireEmpty(t testing.TB, p *Partition, next uint64) {
	t.Helper()
	start, end := p.Bounds()
	require.Equal(t, fmt.Sprint(next, next), fmt.Sprint(start, end))
	require.Empty(t, read(t, p, next))
	for _, err := range p.Backward(math.MaxUint64) {
		require.NoError(t, err)
		require.Fail(t, "a record")
	}
	for _, err := range p.Log().Tail(5).Records() {
		require.NoError(t, err)
		require.Fail(t, "a record")
	}
	_, err := p.Get(next - 1)
	requireGone(t, err, next-1, next, next)
}

// TestTrimSealFails: where the last segment cannot be sealed, what lies before
// it goes all the same, and nothing else.
func TestTrimSealFails(t *testing.T) {
	mem := trimFiles(t)
	full := false
	p := mustOpen(t, "p", &Options{FS: vfs.NewFault(mem, func(op vfs.Op) error {
		if full && op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, "25.index") {
			return syscall.ENOSPC
		}
		return nil
	})})
	full = true
	plan, err := p.ApplyTrim(TrimPolicy{Before: math.MaxUint64})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, "xx-", shape(plan))
	require.True(t, plan.Done)
	requireHolds(t, p, 20, 25)
	full = false
	require.NoError(t, p.Trim(25))
	requireEmpty(t, p, 25)
	require.NoError(t, p.Close())
}

// TestTrimDuringRoll: the segment of a roll that is not done yet, and may be
// taken back, is not counted on.
func TestTrimDuringRoll(t *testing.T) {
	mem := trimFiles(t)
	var p *Partition
	var plan TrimPlan
	p = mustOpen(t, "p", &Options{FS: vfs.NewFault(mem, func(op vfs.Op) error {
		if p != nil && op.Kind == vfs.OpRename {
			var err error
			plan, err = p.PlanTrim(TrimPolicy{Before: 25})
			require.NoError(t, err)
			return syscall.ENOSPC
		}
		return nil
	})})
	require.ErrorIs(t, p.Roll(), syscall.ENOSPC)
	require.Equal(t, "xxx", shape(plan))
	require.True(t, plan.seals(), "it is still the one that is appended to")
	require.NoError(t, p.Close())
}

// TestRetentionInBackground drops after opening and after each roll; the log
// never holds less than it should, nor more than a segment above that.
func TestRetentionInBackground(t *testing.T) {
	for name, r := range map[string]Retention{
		"records": {MaxRecords: 20}, "segments": {MaxSegments: 3}, "bytes": {MaxBytes: 200},
	} {
		for _, mode := range syncModes {
			t.Run(name+" "+mode.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					mem := vfs.NewMem()
					opts := &Options{FS: mem, Sync: mode, SegmentRecords: 10}
					p := mustOpen(t, "p", opts)
					appendLines(t, p, 100, 100) // none
					for n := range 45 {
						_, err := p.Append(fmt.Appendf(nil, `{"n":%3d}`, n))
						require.NoError(t, err)
					}
					start, _ := p.Bounds()
					require.Zero(t, start)
					require.NoError(t, p.Close())

					opts.Retention = r
					p = mustOpen(t, "p", opts)
					synctest.Wait()
					start, _ = p.Bounds()
					require.EqualValues(t, 20, start, "after opening")
					for n := 45; n < 200; n++ {
						_, err := p.Append(fmt.Appendf(nil, `{"n":%3d}`, n))
						require.NoError(t, err)
						synctest.Wait()
						start, next := p.Bounds()
						require.GreaterOrEqual(t, next-start, uint64(20))
						// A round that comes before the first record of a new
						// segment does not count that one.
						require.LessOrEqual(t, next-start, map[bool]uint64{true: 40, false: 31}[name == "segments"])
						require.Len(t, read(t, p, start), int(next-start))
					}
					s := p.Stats().Retention
					require.EqualValues(t, (s.Segments)*10, s.Records)
					require.EqualValues(t, 10*s.Records, s.Bytes)
					require.GreaterOrEqual(t, s.Segments, uint64(16))
					require.NoError(t, p.Close())
				})
			})
		}
	}
}

// TestRetentionByAge drops as time goes by, without an append; the segment
// that is appended to stays.
func TestRetentionByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		p := mustOpen(t, "p", &Options{FS: vfs.NewMem(), Sync: SyncOS, SegmentRecords: 10, Retention: Retention{MaxAge: 8 * time.Hour}})
		for n := range 45 {
			_, err := p.Append(line(n))
			require.NoError(t, err)
			time.Sleep(6 * time.Minute)
		}
		// The segments got their last append after 54, 114, 174 and 234 minutes.
		for _, c := range []struct {
			after time.Duration // since the beginning
			start uint64
		}{{8*time.Hour + 54*time.Minute, 0}, {8*time.Hour + 56*time.Minute, 10}, {8*time.Hour + 113*time.Minute, 10}, {8*time.Hour + 116*time.Minute, 20}, {100 * time.Hour, 40}} {
			time.Sleep(c.after - time.Since(began))
			synctest.Wait()
			start, next := p.Bounds()
			require.EqualValues(t, c.start, start, c.after)
			require.EqualValues(t, 45, next)
		}
		require.NoError(t, p.Close())
	})
}

// TestRetentionGoesOn: errors stop neither appends nor later rounds, and each
// is told once.
func TestRetentionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		var mu sync.Mutex
		var refuse error = syscall.EACCES
		fsys := vfs.NewFault(mem, func(op vfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if op.Kind == vfs.OpRemove {
				return refuse
			}
			return nil
		})
		var logged strings.Builder
		p := mustOpen(t, "p", &Options{FS: fsys, SegmentRecords: 10, Retention: Retention{MaxSegments: 1}, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		appendLines(t, p, 0, 35)
		time.Sleep(time.Minute)
		require.NotEmpty(t, p.Stats().Retention.Error)
		start, _ := p.Bounds()
		require.EqualValues(t, 30, start, "they are no part of the log although they are there")
		require.Len(t, bases(t, mem, "p"), 4)
		mu.Lock()
		refuse = nil
		mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Empty(t, p.Stats().Retention.Error)
		require.Equal(t, []uint64{30}, bases(t, mem, "p"))
		require.NoError(t, p.Close())
		require.LessOrEqual(t, strings.Count(logged.String(), "retention could not drop segments"), 3, logged.String())
	})
}

// TestRetentionHeld: who lets go says nothing, so it is looked again.
func TestRetentionHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		held := uint64(15)
		var failure error
		hold := func() ([]Hold, func(), error) {
			mu.Lock()
			defer mu.Unlock()
			return []Hold{{"slow", held}}, nil, failure
		}
		set := func(offset uint64, err error) {
			mu.Lock()
			held, failure = offset, err
			mu.Unlock()
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		p := mustOpen(t, "p", &Options{FS: vfs.NewMem(), SegmentRecords: 10, Retention: Retention{MaxSegments: 1, Hold: hold}})
		appendLines(t, p, 0, 35)
		set(15, nil)
		start, _ := p.Bounds()
		require.EqualValues(t, 10, start)
		require.Equal(t, []Hold{{"slow", 15}}, p.Stats().Retention.Held)
		set(29, errors.New("unreadable"))
		start, _ = p.Bounds()
		require.EqualValues(t, 10, start)
		require.Contains(t, p.Stats().Retention.Error, "unreadable")
		set(29, nil)
		start, _ = p.Bounds()
		require.EqualValues(t, 20, start)
		set(100, nil)
		start, _ = p.Bounds()
		require.EqualValues(t, 30, start)
		require.Empty(t, p.Stats().Retention.Held)
		require.NoError(t, p.Close())
	})
}

// TestRetentionByFileTime goes by the times of the files: one that is absurd
// pins nothing, and a clock that was set back drops nothing.
func TestRetentionByFileTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	p := mustOpen(t, dir, &Options{SegmentRecords: 10, Sync: SyncOS})
	appendLines(t, p, 0, 45)
	require.NoError(t, p.Close())
	touch := func(base uint64, age time.Duration) {
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(segment.PairAt(dir, base).Records, at, at))
	}
	shapeOf := func() string {
		r, err := OpenReader(dir, nil)
		require.NoError(t, err)
		plan, err := r.PlanTrim(TrimPolicy{Retention: Retention{MaxAge: 24 * time.Hour}})
		require.NoError(t, err)
		require.NoError(t, r.Close())
		return shape(plan)
	}
	require.Equal(t, "-----", shapeOf())
	const year = 365 * 24 * time.Hour
	absurd := time.Duration(200 * year)
	if strconv.IntSize == 32 {
		absurd = 2 * year // file times end in 2038 there
	}
	touch(0, 6*year)
	touch(10, -absurd)
	touch(20, 5*year)
	require.Equal(t, "xxx--", shapeOf())
	touch(20, -year)
	require.Equal(t, "x----", shapeOf(), "they count as the next, which is young")
	for base := uint64(0); base < 50; base += 10 {
		touch(base, -year)
	}
	require.Equal(t, "-----", shapeOf(), "the clock was set back")
}

// TestRetentionBesideAppends appends, rolls, syncs, trims and reads at once.
// Offsets never change, and every reader gets a run of records, or is told how
// many are gone.
func TestRetentionBesideAppends(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "p")
			p := mustOpen(t, dir, &Options{Sync: mode, SegmentRecords: 7, Retention: Retention{MaxSegments: 4}})
			outside, err := OpenReader(dir, nil)
			require.NoError(t, err)
			done := make(chan struct{})
			var running sync.WaitGroup
			for _, from := range []*Partition{p, outside} {
				running.Go(func() { chase(t, from, done) })
				running.Go(func() { getAnywhere(t, from, done) })
			}
			running.Go(func() {
				for open := true; open; _, open = recv(done) {
					if start, next := p.Bounds(); next > start {
						require.NoError(t, p.Trim(start+(next-start)/2))
					}
					require.NoError(t, p.Sync())
				}
			})
			for n := range besideAppends {
				offset, err := p.Append(line(n))
				require.NoError(t, err)
				require.EqualValues(t, n, offset)
			}
			close(done)
			running.Wait()
			require.NoError(t, outside.Close())
			require.NoError(t, p.Close())

			p = mustOpen(t, dir, nil)
			start, next := p.Bounds()
			require.EqualValues(t, besideAppends, next)
			require.Positive(t, start)
			require.NoError(t, p.Close())
		})
	}
}

const besideAppends = 400

// recv waits a moment and reports whether a channel is still open.
func recv(done chan struct{}) (struct{}, bool) {
	select {
	case <-done:
		return struct{}{}, false
	case <-time.After(time.Millisecond):
		return struct{}{}, true
	}
}

// chase reads from the beginning again and again.
func chase(t *testing.T, p *Partition, done chan struct{}) {
	for open := true; open; _, open = recv(done) {
		start, _ := p.Bounds()
		at := start
		for rec, err := range p.Records(start) {
			if gone, ok := errors.AsType[*RangeError](err); ok {
				require.Equal(t, at, gone.Offset)
				require.Positive(t, gone.Gone(), "%v", err)
				break
			}
			if err != nil {
				t.Errorf("record %d: %v", at, err)
				return
			}
			if rec.Offset != at || string(rec.Data) != string(line(int(at))) {
				t.Errorf("record %d is %d, %q", at, rec.Offset, rec.Data)
				return
			}
			at++
		}
	}
}

// getAnywhere gets records at random, also some that are gone.
func getAnywhere(t *testing.T, p *Partition, done chan struct{}) {
	for i, open := uint64(0), true; open; _, open = recv(done) {
		start, next := p.Bounds()
		i += 7919
		offset := i % (next + 1)
		data, err := p.Get(offset)
		if out, ok := errors.AsType[*RangeError](err); ok {
			if out.Gone() == 0 && offset < next {
				t.Errorf("%v, the log held %d to %d", err, start, next)
				return
			}
			continue
		}
		if err != nil || string(data) != string(line(int(offset))) {
			t.Errorf("record %d is %q: %v", offset, data, err)
			return
		}
	}
}

// TestTrimAppendedMeanwhile: what is appended between the decision and the
// sealing stays.
func TestTrimAppendedMeanwhile(t *testing.T) {
	var p *Partition
	appended := false
	p = mustOpen(t, "p", &Options{FS: vfs.NewFault(trimFiles(t), func(op vfs.Op) error {
		if p != nil && !appended && op.Kind == vfs.OpStat && strings.HasSuffix(op.Path, "20.jsonl") {
			appended = true
			_, err := p.Append([]byte(`{"n":125}`))
			return err
		}
		return nil
	})})
	// The watermark was read before the sizes.
	plan, err := p.ApplyTrim(TrimPolicy{Before: 25})
	require.NoError(t, err)
	require.True(t, appended)
	require.Equal(t, "xx--", shape(plan))
	requireHolds(t, p, 20, 26)
	require.NoError(t, p.Close())
}

// TestRetentionAtClose: what a writer leaves does not depend on how soon it
// closes. Here a round is under way all the while.
func TestRetentionAtClose(t *testing.T) {
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			mem := vfs.NewMem()
			slow := func() ([]Hold, func(), error) { return nil, func() { time.Sleep(time.Second) }, nil }
			p := mustOpen(t, "p", &Options{FS: mem, Sync: SyncOS, SegmentRecords: 10, Retention: Retention{MaxSegments: 1, Hold: slow}})
			appendLines(t, p, 0, 21)
			synctest.Wait()
			appendLines(t, p, 21, 31)
			require.NoError(t, p.Close())
			require.Equal(t, []uint64{30}, bases(t, mem, "p"))
		})
	}
}

// TestRetentionAtCloseCounts: a closed log holds as many segments in every mode,
// also where the round behind the last roll came before the first record of the
// new segment, as it does where each record waits for the disk.
func TestRetentionAtCloseCounts(t *testing.T) {
	for _, mode := range syncModes {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mem := vfs.NewMem()
				p := mustOpen(t, "p", &Options{FS: mem, Sync: mode, SegmentRecords: 10, Retention: Retention{MaxSegments: 2}})
				for n := range 35 {
					appendLines(t, p, n, n+1)
					synctest.Wait()
				}
				require.NoError(t, p.Close())
				require.Equal(t, []uint64{20, 30}, bases(t, mem, "p"))
			})
		})
	}
}

// TestCloseWaitsForTrim: nothing of the log is changed once its lock is given
// up, so Close waits for a trim that is under way.
func TestCloseWaitsForTrim(t *testing.T) {
	armed := false
	reached, goOn := make(chan struct{}), make(chan struct{})
	p := mustOpen(t, "p", &Options{FS: vfs.NewFault(trimFiles(t), func(op vfs.Op) error {
		if armed && op.Kind == vfs.OpRename {
			armed = false
			close(reached)
			<-goOn
		}
		return nil
	})})
	armed = true
	trimmed, closed := make(chan error, 1), make(chan error, 1)
	go func() { trimmed <- p.Trim(10) }()
	<-reached
	go func() { closed <- p.Close() }()
	select {
	case err := <-closed:
		t.Error("closed in the middle of a trim")
		closed <- err
	case <-time.After(20 * time.Millisecond):
	}
	close(goOn)
	require.NoError(t, <-trimmed)
	require.NoError(t, <-closed)
}

// TestTrimBesideBackward: what is dropped between finding records in memory and
// taking them ends a range that goes backwards, and nothing else.
func TestTrimBesideBackward(t *testing.T) {
	p := mustOpen(t, "p", &Options{FS: vfs.NewMem(), Sync: SyncOS})
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for !done.Load() {
				for _, err := range p.Backward(math.MaxUint64) {
					if err == nil {
						continue
					}
					if gone, ok := errors.AsType[*RangeError](err); !ok || gone.Gone() == 0 {
						t.Error(err)
					}
				}
			}
		})
	}
	for n := range 500 {
		appendOne(t, p, n)
		require.NoError(t, p.Trim(uint64(n+1)))
	}
	done.Store(true)
	readers.Wait()
	require.NoError(t, p.Close())
}
