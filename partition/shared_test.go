package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// openShared opens a log as two processes would that append to it in turns.
func openShared(t anyT, path string, opts Options) (a, b *Partition) {
	t.Helper()
	opts.Shared = true
	return mustOpen(t, path, &opts), mustOpen(t, path, &opts)
}

func TestShared(t *testing.T) {
	for _, sync := range []SyncMode{SyncAlways, SyncInterval, SyncOS} {
		for _, name := range []string{"p", "p.jsonl"} {
			t.Run(sync.String()+" "+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), name)
				a, b := openShared(t, path, Options{Sync: sync})
				var want []string
				for i := range 20 {
					p, other := a, b
					if i%3 == 0 {
						p, other = b, a
					}
					rec := string(line(i))
					offset, err := p.Append([]byte(rec))
					require.NoError(t, err)
					require.Equal(t, uint64(i), offset)
					want = append(want, rec)
					for _, q := range []*Partition{p, other} { // nothing is coalesced
						got, err := q.Get(offset)
						require.NoError(t, err)
						require.Equal(t, rec, string(got))
						_, next := q.Bounds()
						require.Equal(t, uint64(i+1), next)
					}
				}
				require.NoError(t, a.AppendAt(20, line(20), line(21)))
				conflict := new(ConflictError)
				require.ErrorAs(t, b.AppendAt(20, line(20)), &conflict)
				require.Equal(t, ConflictError{Expect: 20, Next: 22}, *conflict)
				want = append(want, string(line(20)), string(line(21)))
				require.Equal(t, want, read(t, a, 0))
				require.Equal(t, want, read(t, b, 0))
				require.NoError(t, b.Sync())
				require.Equal(t, uint64(22), b.Durable())
				require.NoError(t, errors.Join(a.Close(), b.Close()))
				require.Empty(t, problems(t, path))
				p := mustOpen(t, path, nil)
				require.Equal(t, RecoveryReport{}, p.Recovery())
				require.NoError(t, p.Close())
			})
		}
	}
}

func TestSharedRefusesBuffered(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "p"), &Options{Shared: true, Sync: SyncBuffered})
	require.ErrorIs(t, err, fs.ErrInvalid)
}

// TestSharedRolls: a segment that one of them began is the other's as well, and
// what one has trimmed is gone for both.
func TestSharedRolls(t *testing.T) {
	a, b := openShared(t, filepath.Join(t.TempDir(), "p"), Options{Sync: SyncOS, SegmentRecords: 3})
	for i := range 14 {
		p := a
		if i%2 == 0 {
			p = b
		}
		offset, err := p.Append(line(i))
		require.NoError(t, err)
		require.Equal(t, uint64(i), offset)
	}
	require.NoError(t, a.Roll())
	require.ErrorIs(t, b.Roll(), ErrEmptySegment)
	plan, err := b.PlanTrim(TrimPolicy{Before: 7})
	require.NoError(t, err)
	require.Equal(t, uint64(6), plan.NewStart)
	require.NoError(t, b.Trim(7))
	start, next := a.Bounds()
	require.Equal(t, []uint64{6, 14}, []uint64{start, next})
	_, err = a.AppendBatch([][]byte{line(14), line(15)})
	require.NoError(t, err)
	require.NoError(t, b.Trim(16)) // seals what the other appended to
	start, next = a.Bounds()
	require.Equal(t, []uint64{16, 16}, []uint64{start, next})
	offset, err := a.Append(line(16))
	require.NoError(t, err)
	require.Equal(t, uint64(16), offset)
	require.NoError(t, errors.Join(a.Close(), b.Close()))
	require.Empty(t, problems(t, a.Path()))
}

// TestSharedModes: partition.json promises what the one who appended last
// promises, and each record is checked as it says.
func TestSharedModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	strict := mustOpen(t, path, &Options{Shared: true})
	frame := mustOpen(t, path, &Options{Shared: true, Sync: SyncOS, Validate: Frame})
	for i := range 3 {
		_, err := strict.Append(line(2 * i))
		require.NoError(t, err)
		require.Contains(t, readFile(t, path, "partition.json"), `"sync":"always","validate":"strict"`)
		_, err = frame.Append([]byte("no JSON"))
		require.NoError(t, err)
		require.Contains(t, readFile(t, path, "partition.json"), `"sync":"os","validate":"frame"`)
	}
	_, err := strict.Append(line(6))
	require.NoError(t, err)
	require.Equal(t, uint64(7), strict.Durable())
	require.NoError(t, errors.Join(strict.Close(), frame.Close()))
	p := mustOpen(t, path, nil)
	require.Len(t, read(t, p, 0), 7)
	require.NoError(t, p.Close())
}

// TestSharedAndAlone: a writer that is not shared keeps the others out while it
// is open, and they do not keep it out between their turns.
func TestSharedAndAlone(t *testing.T) {
	for _, name := range []string{"p", "p.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		shared := mustOpen(t, path, &Options{Shared: true, LockWait: time.Millisecond})
		_, err := shared.Append(line(0))
		require.NoError(t, err)
		alone := mustOpen(t, path, &Options{Sync: SyncOS})
		_, err = alone.Append(line(1))
		require.NoError(t, err)

		_, err = shared.Append([]byte(`"never"`))
		require.ErrorIs(t, err, ErrLocked)
		locked, ok := errors.AsType[*LockedError](err)
		require.True(t, ok)
		require.Contains(t, []int{0, os.Getpid()}, locked.PID)
		_, err = Open(path, &Options{Shared: true, LockWait: time.Millisecond})
		require.ErrorIs(t, err, ErrLocked)

		patient := make(chan *Partition)
		go func() {
			p, err := Open(path, &Options{Shared: true, LockWait: -1})
			if err != nil {
				t.Error(err)
			}
			patient <- p
		}()
		_, err = alone.Append(line(2))
		require.NoError(t, err)
		require.NoError(t, alone.Close())
		p := <-patient
		offset, err := p.Append(line(3))
		require.NoError(t, err)
		require.Equal(t, uint64(3), offset)
		offset, err = shared.Append(line(4)) // it goes on
		require.NoError(t, err)
		require.Equal(t, uint64(4), offset)
		require.NoError(t, errors.Join(p.Close(), shared.Close()))
		require.Empty(t, problems(t, path))
	}
}

// TestSharedCloseWhileWaiting: Close ends the waiting of appends, of which
// nothing is stored, and does not wait itself.
func TestSharedCloseWhileWaiting(t *testing.T) {
	for _, mode := range []SyncMode{SyncAlways, SyncOS} {
		path := filepath.Join(t.TempDir(), "p")
		shared := mustOpen(t, path, &Options{Shared: true, LockWait: -1, Sync: mode, SegmentAge: time.Millisecond, SegmentBytes: 1 << 20,
			Retention: Retention{MaxSegments: 1}})
		_, err := shared.Append(line(0))
		require.NoError(t, err)
		alone := mustOpen(t, path, nil)
		var appends sync.WaitGroup
		for range 3 {
			appends.Go(func() {
				_, err := shared.Append([]byte(`"never"`))
				if !errors.Is(err, fs.ErrClosed) {
					t.Errorf("append: %v", err)
				}
			})
			appends.Go(func() {
				if err := shared.AppendAt(1, []byte(`"never"`)); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("conditional append: %v", err)
				}
			})
		}
		require.NoError(t, shared.Close())
		appends.Wait()
		_, next := alone.Bounds()
		require.Equal(t, uint64(1), next)
		require.NoError(t, alone.Close())
	}
}

// TestSharedGoroutines: those of one process share a turn where they come
// while the lock is waited for.
func TestSharedGoroutines(t *testing.T) {
	const goroutines, each = 16, 20
	path := filepath.Join(t.TempDir(), "p")
	a, b := openShared(t, path, Options{})
	alone := mustOpen(t, path, nil)
	var appends sync.WaitGroup
	for g := range goroutines {
		p := a
		if g%2 == 0 {
			p = b
		}
		appends.Go(func() {
			for i := range each {
				if _, err := p.Append(fmt.Appendf(nil, `{"g":%d,"i":%d}`, g, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	require.NoError(t, alone.Close())
	appends.Wait()
	require.Len(t, read(t, a, 0), goroutines*each)
	require.Less(t, a.Stats().Written.Batches+b.Stats().Written.Batches, uint64(goroutines*each))
	require.NoError(t, errors.Join(a.Close(), b.Close()))
	require.Empty(t, problems(t, path))
}

// TestSharedPerson: a line that somebody wrote without asking anybody is taken
// in like one that opening finds.
func TestSharedPerson(t *testing.T) {
	for _, name := range []string{"p", "p.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		a, b := openShared(t, path, Options{})
		_, err := a.Append([]byte(`"a"`))
		require.NoError(t, err)
		f, err := os.OpenFile(a.Log().Files()[0].Records, os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		_, err = f.WriteString("\"by hand\"\n")
		require.NoError(t, errors.Join(err, f.Close()))
		offset, err := b.Append([]byte(`"b"`))
		require.NoError(t, err)
		require.Equal(t, uint64(2), offset)
		require.Equal(t, []string{`"a"`, `"by hand"`, `"b"`}, read(t, a, 0))
		require.NoError(t, errors.Join(a.Close(), b.Close()))
		require.Empty(t, problems(t, path))
	}
}

// TestSharedAge: the age of a segment counts from its first record for all who
// append to it, whoever of them stored that.
func TestSharedAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := openShared(t, "/p", Options{FS: vfs.NewMem(), Sync: SyncOS, SegmentAge: time.Hour})
		c := mustOpen(t, "/p", &Options{FS: a.opts.FS, Shared: true, Sync: SyncOS})
		_, err := c.Append(line(0))
		require.NoError(t, err)
		require.NoError(t, c.Roll())
		time.Sleep(10 * time.Hour)
		_, err = a.Append(line(1)) // the segment was empty for all the time
		require.NoError(t, err)
		time.Sleep(30 * time.Minute)
		_, err = b.Append(line(2))
		require.NoError(t, err)
		require.NoError(t, b.Log().Refresh())
		require.Len(t, b.Log().Files(), 2)
		time.Sleep(31 * time.Minute)
		_, err = b.Append(line(3))
		require.NoError(t, err)
		_, err = a.Append(line(4))
		require.NoError(t, err)
		require.NoError(t, errors.Join(a.Close(), b.Close(), c.Close()))
		r, err := OpenReader("/p", &Options{FS: a.opts.FS})
		require.NoError(t, err)
		var bases []uint64
		for _, pair := range r.Log().Files() {
			bases = append(bases, pair.Base)
		}
		require.Equal(t, []uint64{0, 1, 3}, bases)
		require.NoError(t, r.Close())
	})
}

// TestSharedSyncs: what others appended is synced with what this writer did, and
// each of them learns of it.
func TestSharedSyncs(t *testing.T) {
	a, b := openShared(t, filepath.Join(t.TempDir(), "p"), Options{Sync: SyncOS})
	for i, p := range []*Partition{a, b, a} {
		_, err := p.Append(line(i))
		require.NoError(t, err)
	}
	require.Equal(t, []uint64{0, 0}, []uint64{a.Durable(), b.Durable()})
	require.NoError(t, b.Sync())
	require.Equal(t, uint64(3), b.Durable())
	_, err := a.Append(line(3))
	require.NoError(t, err)
	require.Equal(t, uint64(3), a.Durable())
	require.NoError(t, errors.Join(a.Close(), b.Close()))
}
