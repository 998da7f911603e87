package writer

import (
	"bytes"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// The tests of this file are about the bounds that recovery relies on, and
// about callers that wait or come late.

// TestLargeCallIsCut: a call of any size is written in batches, because
// recovery relies on their bound.
func TestLargeCallIsCut(t *testing.T) {
	for _, sync := range []SyncMode{SyncAlways, SyncOS} {
		fsys := vfs.NewFault(vfs.NewMem(), nil)
		w, _ := mustOpen(t, fsys, Options{Sync: sync})
		w.batch = 20 // of lines of 8 bytes
		_, err := w.AppendBatch(recs(0, 9))
		require.NoError(t, err)
		for _, op := range fsys.Ops() {
			require.False(t, op.Kind == vfs.OpWrite && op.Path == pair.Records && op.Size > 20, "%d bytes at once", op.Size)
		}
		require.NoError(t, w.Close())
	}
}

// TestLargeCallStops: of a call of several batches nothing is stored behind
// one that failed, although it could be.
func TestLargeCallStops(t *testing.T) {
	for _, sync := range []SyncMode{SyncAlways, SyncOS} {
		w, s, mem := openFaulty(t, Options{Sync: sync})
		w.batch = 20
		writes := 0
		s.set(func(op vfs.Op) error {
			if op.Kind == vfs.OpWrite && op.Path == pair.Records {
				if writes++; writes == 2 {
					return vfs.ShortWrite{N: 3, Err: syscall.ENOSPC}
				}
			}
			return nil
		})
		_, err := w.AppendBatch(recs(1, 10))
		require.ErrorIs(t, err, syscall.ENOSPC)
		batch, ok := errors.AsType[*BatchError](err)
		require.True(t, ok)
		require.Equal(t, 2, batch.Stored)
		require.NoError(t, w.Close())
		require.Equal(t, lines(0, 3), stored(t, mem))
	}
}

// TestPoisonedWritesNothing: behind a failed fsync not a byte reaches the
// file, and of those records the outcome is known.
func TestPoisonedWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		w, s, mem := openFaulty(t, Options{Sync: sync})
		s.set(on(vfs.OpSync, pair.Records, syscall.EIO))
		require.Error(t, w.Sync())
		before := readFile(t, mem, pair.Records)
		_, err := w.AppendBatch(recs(1, 3))
		require.ErrorIs(t, err, ErrPoisoned)
		batch, ok := errors.AsType[*BatchError](err)
		require.True(t, ok)
		require.Equal(t, sync == SyncAlways && batch.Unknown, batch.Unknown)
		_, err = w.AppendBatch(recs(3, 5))
		require.ErrorIs(t, err, ErrPoisoned)
		require.ErrorIs(t, w.AppendAt(w.Next(), rec(5)), ErrPoisoned)
		require.ErrorIs(t, w.Close(), ErrPoisoned)
		if sync != SyncAlways { // whose first append found out by its own fsync
			require.Equal(t, before, readFile(t, mem, pair.Records))
		}
		require.NotContains(t, readFile(t, mem, pair.Records), string(rec(3)))
	})
}

// TestSyncByAmount: 64 MiB of records, or for a bare file 262,144 entries, are
// synced without being asked for.
func TestSyncByAmount(t *testing.T) {
	for name, unsync := range map[string]func(w *Writer){
		"bytes":                  func(w *Writer) { w.synced.position = w.end() - syncBytes },
		"entries of a bare file": func(w *Writer) { w.synced.next, w.owner.Save = w.live.Next()-syncEntries, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _, _ := openFaulty(t, Options{Sync: SyncOS})
				synctest.Wait()
				w.mu.Lock()
				unsync(w)
				w.mu.Unlock()
				require.Zero(t, w.Durable())
				_, err := w.Append(rec(1))
				require.NoError(t, err)
				synctest.Wait()
				require.Equal(t, uint64(2), w.Durable())
				require.NoError(t, w.Close())
			})
		})
	}
}

// TestStall: where 256 MiB are unsynced, an append waits for the sync, so that
// recovery never looks further back.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s, _ := openFaulty(t, Options{Sync: SyncOS})
		s.set(func(op vfs.Op) error {
			if op.Kind == vfs.OpSync && op.Path == pair.Records {
				time.Sleep(time.Hour)
			}
			return nil
		})
		w.mu.Lock()
		w.synced.position = w.end() - stallBytes
		w.mu.Unlock()
		begun := time.Now()
		_, err := w.Append(rec(1))
		require.NoError(t, err)
		require.Equal(t, time.Hour, time.Since(begun))
		s.set(nil)
		require.NoError(t, w.Close())
	})
}

// TestPoisonWakes: an append that waits for a sync to catch up learns that the
// sync failed.
func TestPoisonWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s, _ := openFaulty(t, Options{Sync: SyncOS})
		s.set(on(vfs.OpSync, pair.Records, syscall.EIO))
		w.mu.Lock()
		w.synced.position = w.end() - stallBytes
		w.mu.Unlock()
		_, err := w.Append(rec(1))
		require.ErrorIs(t, err, ErrPoisoned)
		require.ErrorIs(t, err, syscall.EIO)
		require.ErrorIs(t, w.Close(), ErrPoisoned)
	})
}

// TestIndexRetriedAgain: entries are tried again for as long as it takes,
// without another append.
func TestIndexRetriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s, mem := openFaulty(t, Options{Sync: SyncOS})
		s.set(on(vfs.OpWrite, pair.Index, vfs.ShortWrite{Err: syscall.ENOSPC}))
		_, err := w.AppendBatch(recs(1, 3))
		require.NoError(t, err)
		time.Sleep(5 * retryDelay)
		s.set(nil)
		time.Sleep(2 * retryDelay)
		synctest.Wait()
		require.Equal(t, lines(0, 3), stored(t, mem))
		require.NoError(t, w.Close())
	})
}

// TestUnpublishedIsNotPromised: partition.json names no position of which the
// index holds no entry, because the next recovery begins at that entry.
func TestUnpublishedIsNotPromised(t *testing.T) {
	w, s, mem := openFaulty(t, Options{Sync: SyncOS})
	require.NoError(t, w.Sync())
	s.set(on(vfs.OpWrite, pair.Index, vfs.ShortWrite{Err: syscall.ENOSPC}))
	_, err := w.AppendBatch(recs(1, 3))
	require.NoError(t, err)
	require.ErrorIs(t, w.Sync(), syscall.ENOSPC)
	require.Equal(t, int64(len(rec(0))+1), savedPosition(t, mem))
	s.set(nil)
	require.NoError(t, w.Sync())
	require.Equal(t, int64(3*(len(rec(0))+1)), savedPosition(t, mem))
	require.NoError(t, w.Close())
}

func savedPosition(t *testing.T, fsys vfs.FS) int64 {
	t.Helper()
	meta, ok, err := segment.ReadMeta(fsys, dir)
	require.NoError(t, err)
	require.True(t, ok)
	return meta.Synced.Position
}

// TestSyncedNeverBack: a sync that takes long does not put its older position
// over that of one that came later.
func TestSyncedNeverBack(t *testing.T) {
	w, s, mem := openFaulty(t, Options{Sync: SyncOS})
	reached, release := make(chan struct{}), make(chan struct{})
	var held atomic.Bool
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == pair.Index && !held.Swap(true) {
			close(reached)
			<-release
		}
		return nil
	})
	slow, late := make(chan error), make(chan error, 1)
	go func() { slow <- w.Sync() }()
	<-reached
	_, err := w.AppendBatch(recs(1, 3))
	require.NoError(t, err)
	go func() { late <- w.Sync() }()
	select {
	case err := <-late:
		require.NoError(t, err)
		late <- nil
	case <-time.After(50 * time.Millisecond): // it waits for the first, as it should
	}
	close(release)
	require.NoError(t, <-slow)
	require.NoError(t, <-late)
	require.Equal(t, int64(3*(len(rec(0))+1)), savedPosition(t, mem))
	require.NoError(t, w.Close())
}

// TestDurableNeverBack: under SyncAlways a group commit may pass a background
// sync, which then must not say less.
func TestDurableNeverBack(t *testing.T) {
	w, _, _ := openFaulty(t, Options{})
	w.durable.Store(10)
	w.raiseDurable(5)
	require.Equal(t, uint64(10), w.Durable())
	w.raiseDurable(12)
	require.Equal(t, uint64(12), w.Durable())
	require.NoError(t, w.Close())
}

// TestCloseWaits: a commit that is under way when Close is called finishes.
func TestCloseWaits(t *testing.T) {
	w, s, mem := openFaulty(t, Options{})
	require.NoError(t, w.Sync())
	reached, release := make(chan struct{}), make(chan struct{})
	var held atomic.Bool
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == pair.Records && !held.Swap(true) {
			close(reached)
			<-release
		}
		return nil
	})
	appended, closed := make(chan error), make(chan error, 1)
	go func() { _, err := w.Append(rec(1)); appended <- err }()
	<-reached
	go func() { closed <- w.Close() }()
	select {
	case <-closed:
		require.Fail(t, "closed under a commit")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	require.NoError(t, <-appended)
	require.NoError(t, <-closed)
	require.Equal(t, lines(0, 2), stored(t, mem))
}

// TestCompactCopies: the slice of the caller keeps what is in it.
func TestCompactCopies(t *testing.T) {
	w, _ := mustOpen(t, vfs.NewMem(), Options{Compact: true})
	data := [][]byte{[]byte("[\n1]"), []byte("[\n2]")}
	_, err := w.AppendBatch(data)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("[\n1]"), []byte("[\n2]")}, data)
	require.NoError(t, w.Close())
}

// TestSyncAhead: a segment that comes near its limit is synced in the
// background, once, so that the roll has little left to sync.
func TestSyncAhead(t *testing.T) {
	w, _ := mustOpen(t, vfs.NewMem(), Options{Sync: SyncOS, SegmentBytes: 8 << 20})
	record := append(append([]byte(`"`), bytes.Repeat([]byte("x"), 1<<20)...), '"')
	for range 6 {
		_, err := w.Append(record)
		require.NoError(t, err)
	}
	require.Zero(t, w.Stats().Fsync.Count)
	_, err := w.Append(record)
	require.NoError(t, err)
	_, err = w.Append(rec(1))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return w.Stats().Fsync.Count == 1 }, 10*time.Second, time.Millisecond)
	_, err = w.Append(rec(2))
	require.NoError(t, err)
	require.False(t, w.syncAheadNow())
	require.NoError(t, w.Close())
}

func (w *Writer) syncAheadNow() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.syncAhead()
}
