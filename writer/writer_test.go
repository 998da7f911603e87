package writer

import (
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAppend(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		fsys := vfs.NewMem()
		w, live := mustOpen(t, fsys, Options{Sync: sync})
		for n := range 3 {
			offset, err := w.Append(rec(n))
			require.NoError(t, err)
			require.Equal(t, uint64(n), offset)
			require.Equal(t, uint64(n+1), live.Next(), "visible in the process at once")
		}
		first, err := w.AppendBatch(recs(3, 10))
		require.NoError(t, err)
		require.Equal(t, uint64(3), first)
		require.NoError(t, w.AppendAt(10, recs(10, 12)...))
		first, err = w.AppendBatch(nil)
		require.NoError(t, err)
		require.Equal(t, uint64(12), first)
		require.NoError(t, w.Close())
		require.Equal(t, lines(0, 12), stored(t, fsys))

		w, _ = mustOpen(t, fsys, Options{Sync: sync})
		require.Equal(t, uint64(12), w.Next())
		require.NoError(t, w.Close())
	})
}

func TestAppendRefuses(t *testing.T) {
	fsys := vfs.NewMem()
	w, _ := mustOpen(t, fsys, Options{MaxRecordBytes: 20})
	for data, want := range map[string]error{
		"":                                  jsonl.ErrEmpty,
		"{\n}":                              jsonl.ErrNewline,
		`"` + strings.Repeat("x", 20) + `"`: jsonl.ErrTooLarge,
	} {
		_, err := w.Append([]byte(data))
		require.ErrorIs(t, err, want, "%q", data)
	}
	_, err := w.Append([]byte(`{"a":01}`))
	syntax, ok := errors.AsType[*jsonl.SyntaxError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 6, syntax.Position)

	// One bad record and nothing of its batch is stored.
	_, err = w.AppendBatch([][]byte{rec(0), []byte("nonsense"), rec(2)})
	refused, ok := errors.AsType[*RecordError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 1, refused.Index)
	require.NoError(t, w.Close())
	require.Empty(t, stored(t, fsys))
}

func TestAppendCompact(t *testing.T) {
	fsys := vfs.NewMem()
	w, _ := mustOpen(t, fsys, Options{Compact: true})
	pretty := []byte("{\n  \"n\" : 1.10\n}")
	_, err := w.AppendBatch([][]byte{rec(0), pretty})
	require.NoError(t, err)
	_, err = w.Append([]byte("{\n"))
	require.Error(t, err)
	require.NoError(t, w.Close())
	require.Equal(t, []string{`{"n":0}`, `{"n":1.10}`}, stored(t, fsys))
	require.Equal(t, "{\n  \"n\" : 1.10\n}", string(pretty))
}

func TestAppendAt(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: sync})
		require.NoError(t, w.AppendAt(0, rec(0)))
		err := w.AppendAt(0, rec(0))
		conflict, ok := errors.AsType[*ConflictError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, ConflictError{Expect: 0, Next: 1}, *conflict)
		require.NoError(t, w.Close())
		require.Equal(t, lines(0, 1), stored(t, fsys))
	})
}

// TestLargeCall: a call of more than one batch keeps its records together,
// whoever else appends.
func TestLargeCall(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: sync, MaxRecordBytes: 1 << 20})
		large := strings.Repeat("x", 1<<20-2)
		var others sync2
		others.start(func() { _, _ = w.Append(rec(7)) })
		batch := make([][]byte, 9)
		for i := range batch {
			batch[i] = []byte(`"` + large + `"`)
		}
		first, err := w.AppendBatch(batch)
		others.stop()
		require.NoError(t, err)
		require.NoError(t, w.Close())
		for i, line := range stored(t, fsys) {
			in := uint64(i) >= first && uint64(i) < first+9
			require.Equal(t, in, len(line) == 1<<20, "record %d", i)
		}
	})
}

// sync2 repeats a function in the background.
type sync2 struct {
	quit chan struct{}
	wg   sync.WaitGroup
}

func (s *sync2) start(f func()) {
	s.quit = make(chan struct{})
	s.wg.Go(func() {
		for {
			select {
			case <-s.quit:
				return
			default:
				f()
			}
		}
	})
}

func (s *sync2) stop() {
	close(s.quit)
	s.wg.Wait()
}

// TestConcurrent: every goroutine gets the offset under which its record lies.
func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: sync})
		const goroutines, each = 16, 50
		offsets := make([][]uint64, goroutines)
		inParallel(goroutines, func(g int) {
			for i := range each {
				offset, err := w.Append(rec(g*each + i))
				if err != nil {
					panic(err)
				}
				offsets[g] = append(offsets[g], offset)
			}
		})
		require.NoError(t, w.Close())
		got := stored(t, fsys)
		require.Len(t, got, goroutines*each)
		for g := range offsets {
			for i, offset := range offsets[g] {
				require.Equal(t, string(rec(g*each+i)), got[offset])
			}
		}
	})
}

func inParallel(n int, f func(int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// TestGroupCommit: while one group is on its way, the others share the next.
func TestGroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
			if op.Kind == vfs.OpSync && op.Path == pair.Records {
				time.Sleep(time.Millisecond)
			}
			return nil
		})
		w, _ := mustOpen(t, fsys, Options{})
		inParallel(64, func(n int) {
			if _, err := w.Append(rec(n)); err != nil {
				panic(err)
			}
		})
		require.LessOrEqual(t, w.Stats().Batches, uint64(3))
		require.Equal(t, uint64(64), w.Durable())
		require.NoError(t, w.Close())
	})
}

// TestPublishDelay: in the weaker modes other processes see a record within
// 2 ms (SyncBuffered: 10 ms), and under SyncAlways at once.
func TestPublishDelay(t *testing.T) {
	for sync, delay := range map[SyncMode]time.Duration{
		SyncAlways: 0, SyncInterval: 2 * time.Millisecond, SyncOS: 2 * time.Millisecond, SyncBuffered: 10 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			fsys := vfs.NewMem()
			w, live := mustOpen(t, fsys, Options{Sync: sync})
			_, err := w.Append(rec(0))
			require.NoError(t, err)
			require.Equal(t, uint64(1), live.Next())
			require.Equal(t, sync == SyncAlways, live.Published() == 1)
			time.Sleep(delay)
			synctest.Wait()
			require.Equal(t, uint64(1), live.Published())
			require.Equal(t, lines(0, 1), stored(t, fsys))
			require.NoError(t, w.Close())
		})
	}
}

// TestInterval: under SyncInterval a record survives a power loss after the
// interval.
func TestInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: SyncInterval})
		_, err := w.Append(rec(0))
		require.NoError(t, err)
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		require.Equal(t, uint64(1), w.Durable())
		after := fsys.Crash(vfs.CrashConfig{})
		require.Equal(t, lines(0, 1), stored(t, after))
		_ = w.Close()
	})
}

// TestIntervalStall: appends wait when syncing falls two intervals behind.
func TestIntervalStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := false
		fsys := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
			if slow && op.Kind == vfs.OpSync && op.Path == pair.Records {
				time.Sleep(5 * time.Second)
			}
			return nil
		})
		w, _ := mustOpen(t, fsys, Options{Sync: SyncInterval})
		slow = true
		_, err := w.Append(rec(0))
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond) // the sync began after 1 s and takes 5
		begin := time.Now()
		_, err = w.Append(rec(1))
		require.NoError(t, err)
		require.Equal(t, 3500*time.Millisecond, time.Since(begin))
		slow = false
		require.NoError(t, w.Close())
	})
}

func TestClosed(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		w, live := mustOpen(t, vfs.NewMem(), Options{Sync: sync})
		waits := make(chan error)
		go func() { waits <- live.Wait(t.Context(), 0) }()
		require.NoError(t, w.Close())
		require.ErrorIs(t, <-waits, fs.ErrClosed)
		_, err := w.Append(rec(0))
		require.ErrorIs(t, err, fs.ErrClosed)
		require.ErrorIs(t, w.AppendAt(0, rec(0)), fs.ErrClosed)
		require.ErrorIs(t, w.Sync(), fs.ErrClosed)
		require.ErrorIs(t, w.Close(), fs.ErrClosed)
	})
}

// TestForeignWrite: what another program does to the files is noticed before
// anything behind it is acknowledged (SyncAlways) or published.
func TestForeignWrite(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, fsys vfs.FS)
		want error
	}{
		"records grow": {func(t *testing.T, fsys vfs.FS) { grow(t, fsys, pair.Records) }, segment.ErrForeignWrite},
		"index grows":  {func(t *testing.T, fsys vfs.FS) { grow(t, fsys, pair.Index) }, segment.ErrForeignWrite},
		"saved by an editor": {func(t *testing.T, fsys vfs.FS) {
			require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, rec(0), 0o600))
		}, segment.ErrReplaced},
		"removed": {func(t *testing.T, fsys vfs.FS) { require.NoError(t, fsys.Remove(pair.Records)) }, segment.ErrReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			w, _ := mustOpen(t, fsys, Options{})
			_, err := w.Append(rec(0))
			require.NoError(t, err)
			c.do(t, fsys)
			_, err = w.Append(rec(1))
			require.ErrorIs(t, err, c.want)
			require.ErrorIs(t, err, ErrPoisoned)
			batch, ok := errors.AsType[*BatchError](err)
			require.True(t, ok && batch.Unknown, "%v", err)
			_, err = w.Append(rec(2))
			require.ErrorIs(t, err, ErrPoisoned)
			require.ErrorIs(t, w.Close(), ErrPoisoned)
		})
	}
}

func grow(t *testing.T, fsys vfs.FS, name string) {
	data := readFile(t, fsys, name)
	f, err := fsys.Open(name, 2, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("{}\n"), int64(len(data)))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// TestCloseGetsItsTurn: a goroutine that appends conditionally without a pause
// does not keep Close out.
func TestCloseGetsItsTurn(t *testing.T) {
	w, _ := mustOpen(t, vfs.NewMem(), Options{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			err := w.AppendAt(w.Next(), rec(0))
			if errors.Is(err, fs.ErrClosed) {
				return
			}
		}
	}()
	time.Sleep(10 * time.Millisecond)
	for w.Next() == 0 {
	}
	require.NoError(t, w.Close())
	<-stopped
	require.LessOrEqual(t, w.turns.next-w.turns.serving, uint64(1))
}
