package partition

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestFollowRollingOutside: followers that know of the writer by its files only,
// as those in another process, get each record once and in order, or the offsets
// that retention has taken, while the log rolls every few records, rolls fail,
// and segments go.
func TestFollowRollingOutside(t *testing.T) {
	for _, mode := range syncModes {
		for _, trims := range []bool{false, true} {
			for _, fails := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v trims %v fails %v", mode, trims, fails), func(t *testing.T) {
					followOutside(t, mode, trims, fails)
				})
			}
		}
	}
}

func followOutside(t *testing.T, mode SyncMode, trims, fails bool) {
	const n = 150
	path := filepath.Join(t.TempDir(), "p")
	var tries atomic.Int32
	fsys := vfs.NewFault(vfs.OS, func(op vfs.Op) error {
		// Rolls are put off at one step after the other.
		step := op.Kind == vfs.OpLock && strings.HasSuffix(op.Path, ".jsonl") || op.Kind == vfs.OpSync && strings.HasSuffix(op.Path, ".tmp")
		if fails && step && tries.Add(1)%5 < 2 {
			return syscall.EIO
		}
		return nil
	})
	opts := Options{FS: fsys, Sync: mode, Interval: time.Hour}
	p := openInSpite(t, path, &opts)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	failed := make(chan error, 16)
	for i := range 3 {
		other, err := OpenReader(path, &Options{Poll: time.Millisecond})
		require.NoError(t, err)
		defer other.Close()
		wg.Go(func() {
			if err := countThrough(ctx, other, n, time.Duration(i*i)*500*time.Microsecond); err != nil {
				failed <- fmt.Errorf("follower %d: %w", i, err)
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, uint64(mode)))
	for i := range n {
		appendOne(t, p, i)
		if rng.IntN(4) == 0 {
			err := p.Roll()
			if !fails {
				require.True(t, err == nil || errors.Is(err, ErrEmptySegment), "%v", err)
			}
		}
		if trims && rng.IntN(10) == 0 {
			_ = p.Trim(uint64(max(0, i-20))) // may fail as the file system does
		}
	}
	for range 5 {
		if err := p.Sync(); err == nil {
			break
		}
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	require.NotZero(t, p.Stats().Written.Rolls)
	require.Equal(t, fails, p.Stats().Written.RollsPutOff > 0)
	_ = p.Close() // likewise
}

// openInSpite opens a log on a file system that fails now and then.
func openInSpite(t testing.TB, path string, opts *Options) *Partition {
	t.Helper()
	for range 10 {
		if p, err := Open(path, opts); err == nil {
			return p
		}
	}
	return mustOpen(t, path, opts)
}

// countThrough follows a log of numbered records up to record n-1.
func countThrough(ctx context.Context, p *Partition, n uint64, pause time.Duration) error {
	next := uint64(0)
	for next < n {
		for rec, err := range p.Follow(ctx, next) {
			gone, dropped := errors.AsType[*RangeError](err)
			if dropped && gone.Gone() > 0 && gone.Offset == next {
				next = gone.Start
				break
			}
			if err != nil {
				return fmt.Errorf("at %d: %w", next, err)
			}
			if rec.Offset != next || string(rec.Data) != string(line(int(next))) {
				return fmt.Errorf("record %d is %q, want %d", rec.Offset, rec.Data, next)
			}
			if next++; next == n {
				return nil
			}
			time.Sleep(pause)
		}
	}
	return nil
}

// shelf is another place where segments are kept.
type shelf struct {
	dir, cold string
}

// move takes files of a segment from one directory to another; those that a
// segment has not are left out.
func (s *shelf) move(from, to string, base uint64, exts ...string) error {
	for _, ext := range exts {
		name := fmt.Sprintf("%020d%s", base, ext)
		if err := vfs.OS.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// TestColdStorageBesideAll moves sealed segments away and back, both files or
// one of them, while the log is appended to and rolls, and readers in this and
// in another process follow it, read ranges and look records up. Each gets what
// is there, or an error that names what is not, and nothing is opened anew.
func TestColdStorageBesideAll(t *testing.T) {
	for _, exts := range [][]string{{".jsonl", ".index"}, {".jsonl"}, {".index"}} {
		t.Run(strings.Join(exts, ""), func(t *testing.T) { coldStorage(t, exts) })
	}
}

func coldStorage(t *testing.T, exts []string) {
	base := t.TempDir()
	s := &shelf{filepath.Join(base, "p"), filepath.Join(base, "cold")}
	require.NoError(t, vfs.OS.Mkdir(s.cold, 0o700))
	p := mustOpen(t, s.dir, &Options{Sync: SyncOS, SegmentRecords: 5, TailCache: 4096})
	for i := range 50 {
		appendOne(t, p, i)
	}
	other, err := OpenReader(s.dir, &Options{Poll: time.Millisecond})
	require.NoError(t, err)
	done := make(chan struct{})
	var wg sync.WaitGroup
	failed := make(chan error, 16)
	run := func(what string, do func() error) {
		wg.Go(func() {
			if err := do(); err != nil {
				failed <- fmt.Errorf("%s: %w", what, err)
			}
		})
	}
	until := func(do func() error) func() error {
		return func() error {
			for {
				select {
				case <-done:
					return nil
				default:
				}
				if err := do(); err != nil {
					return err
				}
			}
		}
	}
	next := 50
	var appended, misses atomic.Uint64
	appended.Store(50)
	run("append", until(func() error {
		time.Sleep(time.Millisecond)
		_, err := p.Append(line(next))
		next++
		appended.Store(uint64(next))
		return err
	}))
	for name, log := range map[string]*Partition{"here": p, "outside": other} {
		run("get "+name, until(func() error { return lookUp(log, &misses) }))
		run("range "+name, until(func() error { return rangeOver(log, &misses) }))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < 40 || i < 2000 && misses.Load() == 0; i++ {
		last := (appended.Load()-1)/5*5 - 5 // sealed for sure, and maybe the last
		which := []uint64{0, last / 2 / 5 * 5, last}[rng.IntN(3)]
		require.NoError(t, s.move(s.dir, s.cold, which, exts...))
		time.Sleep(time.Duration(rng.IntN(5)) * time.Millisecond)
		require.NoError(t, s.move(s.cold, s.dir, which, exts...))
	}
	close(done)
	wg.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	require.NotZero(t, misses.Load(), "nobody came while something was away")
	require.NoError(t, p.Sync())
	for _, log := range []*Partition{p, other} {
		requireNumbered(t, log, next)
	}
	require.NoError(t, other.Close())
	require.NoError(t, p.Close())
	require.Empty(t, problems(t, s.dir))
	p = mustOpen(t, s.dir, nil)
	requireNumbered(t, p, next)
	require.NoError(t, p.Close())
}

// missing reports whether err says that a segment or its index is not there.
func missing(err error) bool {
	if e, ok := errors.AsType[*SegmentAwayError](err); ok {
		return strings.HasSuffix(e.Path, fmt.Sprintf("%020d.jsonl", e.Base))
	}
	e, ok := errors.AsType[*CorruptError](err)
	return ok && strings.HasSuffix(e.Path, ".index") && errors.Is(err, ErrIndexMismatch)
}

// lookUp gets some records at random.
func lookUp(p *Partition, misses *atomic.Uint64) error {
	start, next := p.Bounds()
	for range 20 {
		at := start + rand.Uint64N(next-start)
		data, err := p.Get(at)
		switch {
		case missing(err):
			misses.Add(1)
		case err != nil:
			return fmt.Errorf("%d of %d: %w", at, next, err)
		case string(data) != string(line(int(at))):
			return fmt.Errorf("record %d is %q", at, data)
		}
	}
	return nil
}

// rangeOver reads from some record on, as far as there is something.
func rangeOver(p *Partition, misses *atomic.Uint64) error {
	_, next := p.Bounds()
	at := rand.Uint64N(next)
	for rec, err := range p.Records(at) {
		if err != nil {
			if missing(err) {
				misses.Add(1)
				return nil
			}
			return fmt.Errorf("at %d of %d: %w", at, next, err)
		}
		if rec.Offset != at || string(rec.Data) != string(line(int(at))) {
			return fmt.Errorf("record %d is %q, want %d", rec.Offset, rec.Data, at)
		}
		at++
	}
	if at < next {
		return fmt.Errorf("ended at %d of %d", at, next)
	}
	return nil
}

// TestSealedWithoutIndex takes the index of a segment away that was the last
// when a reader of another process opened the log, and has been sealed since.
// It does not look like one that holds nothing yet: all records come, from
// files that are open, or the error names the index.
func TestSealedWithoutIndex(t *testing.T) {
	count := func(records iter.Seq2[Record, error]) (n int, err error) {
		for _, err := range records {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	for _, c := range []struct {
		name string
		want int
		ask  func(*Partition) (int, error)
	}{
		{"get", 1, func(r *Partition) (int, error) {
			r.Bounds() // looks at the names
			if _, err := r.Get(7); err != nil {
				return 0, err
			}
			return 1, nil
		}},
		{"range", 5, func(r *Partition) (int, error) { return count(r.Records(7)) }},
		{"backward", 12, func(r *Partition) (int, error) { return count(r.Backward(math.MaxUint64)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := t.TempDir()
			s := &shelf{filepath.Join(base, "p"), base}
			p := mustOpen(t, s.dir, &Options{SegmentRecords: 5})
			for i := range 8 {
				appendOne(t, p, i)
			}
			r, err := OpenReader(s.dir, nil)
			require.NoError(t, err)
			for i := range 4 {
				appendOne(t, p, 8+i)
			}
			require.NoError(t, s.move(s.dir, s.cold, 5, ".index"))
			n, err := c.ask(r)
			if n < c.want {
				require.ErrorIs(t, err, ErrIndexMismatch)
				require.ErrorContains(t, err, "5.index")
			} else {
				require.NoError(t, err)
			}
			require.NoError(t, s.move(s.cold, s.dir, 5, ".index"))
			n, err = c.ask(r)
			require.NoError(t, err)
			require.Equal(t, c.want, n)
			require.NoError(t, r.Close())
			require.NoError(t, p.Close())
		})
	}
}

// TestNextAway takes the segment away that follows the one which was the last
// when a reader of another process opened the log. That does not look like the
// end: the log ends where it does, and who comes to the segment is told.
func TestNextAway(t *testing.T) {
	for _, mode := range syncModes[:3] { // what is buffered is nobody else's yet
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			base := t.TempDir()
			s := &shelf{filepath.Join(base, "p"), base}
			p := mustOpen(t, s.dir, &Options{SegmentRecords: 5, Sync: mode})
			for i := range 8 {
				appendOne(t, p, i)
			}
			require.NoError(t, p.Sync())
			r, err := OpenReader(s.dir, nil)
			require.NoError(t, err)
			_, next := r.Bounds()
			require.EqualValues(t, 8, next)
			for i := range 16 {
				appendOne(t, p, 8+i)
			}
			require.NoError(t, p.Sync())
			require.NoError(t, s.move(s.dir, s.cold, 10, ".jsonl"))
			_, next = r.Bounds()
			require.EqualValues(t, 24, next)
			for rec, err := range r.Records(0) {
				if err != nil {
					require.True(t, missing(err), "%v", err)
					break
				}
				require.Less(t, rec.Offset, uint64(10))
			}
			for rec, err := range r.Backward(math.MaxUint64) {
				require.NoError(t, err)
				require.EqualValues(t, 23, rec.Offset)
				break
			}
			_, err = r.Get(12)
			require.True(t, missing(err), "%v", err)
			_, err = r.Get(22)
			require.NoError(t, err)
			require.NoError(t, s.move(s.cold, s.dir, 10, ".jsonl"))
			requireNumbered(t, r, 24)
			require.NoError(t, r.Close())
			require.NoError(t, p.Close())
		})
	}
}
