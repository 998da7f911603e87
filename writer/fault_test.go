package writer

import (
	"errors"
	"math"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// switched fails the operations that fail says, once it is set. The writer's
// goroutines may be at work meanwhile.
type switched struct {
	mu   sync.Mutex
	fail func(op vfs.Op) error
}

func (s *switched) set(fail func(op vfs.Op) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

func (s *switched) hook(op vfs.Op) error {
	s.mu.Lock()
	fail := s.fail
	s.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(op)
}

// on fails operations of one kind on one file.
func on(kind vfs.OpKind, path string, err error) func(vfs.Op) error {
	return func(op vfs.Op) error {
		if op.Kind == kind && op.Path == path {
			return err
		}
		return nil
	}
}

func openFaulty(t *testing.T, opts Options) (*Writer, *switched, *vfs.Mem) {
	mem, s := vfs.NewMem(), &switched{}
	w, _ := mustOpen(t, vfs.NewFault(mem, s.hook), opts)
	_, err := w.Append(rec(0))
	require.NoError(t, err)
	return w, s, mem
}

// TestShortWrite: a full disk stores nothing of the batch, leaves no
// fragment, and ends with the fault.
func TestShortWrite(t *testing.T) {
	for _, sync := range []SyncMode{SyncAlways, SyncInterval, SyncOS} {
		for _, n := range []int{0, 1, 9} {
			w, s, mem := openFaulty(t, Options{Sync: sync})
			s.set(on(vfs.OpWrite, pair.Records, vfs.ShortWrite{N: n, Err: syscall.ENOSPC}))
			_, err := w.AppendBatch(recs(1, 3))
			require.ErrorIs(t, err, syscall.ENOSPC)
			batch, ok := errors.AsType[*BatchError](err)
			require.True(t, ok)
			require.Equal(t, 0, batch.Stored)
			require.False(t, batch.Unknown)
			require.Equal(t, string(rec(0))+"\n", readFile(t, mem, pair.Records), "cut back at once")
			s.set(nil)
			first, err := w.AppendBatch(recs(1, 3))
			require.NoError(t, err)
			require.Equal(t, uint64(1), first)
			require.NoError(t, w.Close())
			require.Equal(t, lines(0, 3), stored(t, mem))
		}
	}
}

// TestCutIsSynced: under SyncAlways the cut of a short write is durable, so
// that its bytes do not come back after a power loss.
func TestCutIsSynced(t *testing.T) {
	w, s, mem := openFaulty(t, Options{})
	s.set(on(vfs.OpWrite, pair.Records, vfs.ShortWrite{N: 8, Err: syscall.ENOSPC}))
	_, err := w.AppendBatch(recs(1, 3))
	require.ErrorIs(t, err, syscall.ENOSPC)
	after := mem.Crash(vfs.CrashConfig{Data: vfs.DataKept, Names: vfs.NamesKept})
	require.Equal(t, lines(0, 1), stored(t, after))
	for _, loss := range []vfs.DataLoss{vfs.DataLost, vfs.DataTorn, vfs.DataSubset} {
		after := mem.Crash(vfs.CrashConfig{Data: loss, Names: vfs.NamesKept})
		require.Equal(t, string(rec(0))+"\n", readFile(t, after, pair.Records))
	}
	require.Error(t, w.Close())
}

// TestFailedCut: when cutting back fails too, the writer stops.
func TestFailedCut(t *testing.T) {
	for _, sync := range []SyncMode{SyncAlways, SyncOS} {
		w, s, mem := openFaulty(t, Options{Sync: sync})
		s.set(func(op vfs.Op) error {
			if op.Kind == vfs.OpTruncate {
				return syscall.EIO
			}
			return on(vfs.OpWrite, pair.Records, vfs.ShortWrite{N: 5, Err: syscall.ENOSPC})(op)
		})
		_, err := w.AppendBatch(recs(1, 3))
		require.ErrorIs(t, err, ErrPoisoned)
		batch, ok := errors.AsType[*BatchError](err)
		require.True(t, ok && batch.Unknown)
		s.set(nil)
		_, err = w.Append(rec(1))
		require.ErrorIs(t, err, ErrPoisoned)
		require.ErrorIs(t, w.Close(), ErrPoisoned)

		w, _ = mustOpen(t, mem, Options{})
		require.Equal(t, uint64(1), w.Next(), "the fragment is set aside by the next open")
		require.NoError(t, w.Close())
	}
}

// TestFailedFsync: an fsync that failed is never tried again, although a
// second one would succeed: the kernel may have dropped the pages.
func TestFailedFsync(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		w, s, _ := openFaulty(t, Options{Sync: sync})
		failed := false
		s.set(func(op vfs.Op) error {
			if op.Kind != vfs.OpSync || op.Path != pair.Records {
				return nil
			}
			require.False(t, failed, "fsync was tried again")
			failed = true
			return syscall.EIO
		})
		_, err := w.Append(rec(1))
		if err == nil {
			err = w.Sync()
		}
		require.ErrorIs(t, err, ErrPoisoned)
		require.ErrorIs(t, err, syscall.EIO)
		_, err = w.Append(rec(2))
		require.ErrorIs(t, err, ErrPoisoned)
		require.ErrorIs(t, w.Close(), ErrPoisoned)
		require.True(t, failed)
		require.LessOrEqual(t, w.Durable(), uint64(1))
	})
}

// TestGroupBehindPoison: records that gathered while a commit failed are not
// written.
func TestGroupBehindPoison(t *testing.T) {
	w, s, mem := openFaulty(t, Options{})
	reached, release := make(chan struct{}), make(chan struct{})
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == pair.Records {
			close(reached)
			<-release
			return syscall.EIO
		}
		return nil
	})
	errs := make(chan error, 2)
	go func() { _, err := w.Append(rec(1)); errs <- err }()
	<-reached
	go func() { _, err := w.Append(rec(2)); errs <- err }()
	for w.gathered() == 0 {
	}
	close(release)
	unknown := 0
	for range 2 {
		err := <-errs
		require.ErrorIs(t, err, ErrPoisoned)
		if batch, ok := errors.AsType[*BatchError](err); ok && batch.Unknown {
			unknown++
		}
	}
	require.Equal(t, 1, unknown, "of what was never written the outcome is known")
	require.NotContains(t, readFile(t, mem, pair.Records), string(rec(2)))
	require.ErrorIs(t, w.Close(), ErrPoisoned)
}

func (w *Writer) gathered() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.forming == nil {
		return 0
	}
	return len(w.forming.ends)
}

// TestIndexFull, SyncAlways: the records whose entries could not be written
// are taken back, those whose entries were stay.
func TestIndexFull(t *testing.T) {
	for n, kept := range map[int]int{0: 0, 7: 0, 8: 1, 20: 2} {
		w, s, mem := openFaulty(t, Options{})
		s.set(on(vfs.OpWrite, pair.Index, vfs.ShortWrite{N: n, Err: syscall.ENOSPC}))
		_, err := w.AppendBatch(recs(1, 5))
		batch, ok := errors.AsType[*BatchError](err)
		require.True(t, ok, "%v", err)
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.Equal(t, kept, batch.Stored)
		require.False(t, batch.Unknown)
		require.Equal(t, lines(0, 1+kept), stored(t, mem))
		require.Equal(t, uint64(1+kept), w.Next())
		s.set(nil)
		_, err = w.AppendBatch(recs(1+kept, 5))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.Equal(t, lines(0, 5), stored(t, mem))
	}
}

// TestIndexFullLater: in the other modes the records stay, the entries are
// tried again, and an append learns of it as long as they cannot be written.
func TestIndexFullLater(t *testing.T) {
	w, s, mem := openFaulty(t, Options{Sync: SyncOS})
	s.set(on(vfs.OpWrite, pair.Index, vfs.ShortWrite{N: 3, Err: syscall.ENOSPC}))
	_, err := w.AppendBatch(recs(1, 5))
	require.NoError(t, err)
	require.ErrorIs(t, w.Sync(), syscall.ENOSPC)
	_, err = w.Append(rec(5))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, uint64(5), w.Next())
	s.set(nil)
	_, err = w.Append(rec(5))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Equal(t, lines(0, 6), stored(t, mem))
}

// TestFailedFlush: SyncBuffered has shown the records it could not write, so
// it stops.
func TestFailedFlush(t *testing.T) {
	w, s, mem := openFaulty(t, Options{Sync: SyncBuffered})
	require.NoError(t, w.Sync())
	s.set(on(vfs.OpWrite, pair.Records, vfs.ShortWrite{N: 3, Err: syscall.ENOSPC}))
	_, err := w.Append(rec(1))
	require.NoError(t, err)
	require.ErrorIs(t, w.Sync(), syscall.ENOSPC)
	s.set(nil)
	_, err = w.Append(rec(2))
	require.ErrorIs(t, err, ErrPoisoned)
	require.ErrorIs(t, w.Close(), ErrPoisoned)
	require.Equal(t, string(rec(0))+"\n", readFile(t, mem, pair.Records))
}

// TestSyncBacklog: what is unsynced starts a background sync, and appends
// wait for it when it is too much, so that recovery never looks further back.
func TestSyncBacklog(t *testing.T) {
	t.Chdir(t.TempDir())
	release, s := make(chan struct{}), &switched{}
	w, _ := mustOpen(t, vfs.NewFault(vfs.OS, s.hook), Options{Sync: SyncOS, Validate: Frame})
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == pair.Records {
			<-release
		}
		return nil
	})
	big := make([]byte, 8<<20)
	for i := range big {
		big[i] = 'x'
	}
	for range stallBytes / len(big) {
		_, err := w.Append(big)
		require.NoError(t, err)
	}
	done := make(chan error)
	go func() { _, err := w.Append(big); done <- err }()
	select {
	case <-done:
		require.Fail(t, "the append did not wait for the sync")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	require.NoError(t, <-done)
	require.NoError(t, w.Close())
	require.NotZero(t, w.Durable())
}

// TestIndexFullStillSyncs: while the index cannot be written, the records are
// synced all the same, because that was promised.
func TestIndexFullStillSyncs(t *testing.T) {
	w, s, mem := openFaulty(t, Options{Sync: SyncOS})
	require.NoError(t, w.Sync())
	s.set(on(vfs.OpWrite, pair.Index, vfs.ShortWrite{Err: syscall.ENOSPC}))
	_, err := w.AppendBatch(recs(1, 5))
	require.NoError(t, err)
	require.ErrorIs(t, w.Sync(), syscall.ENOSPC)
	require.Equal(t, uint64(5), w.Durable())
	after := mem.Crash(vfs.CrashConfig{})
	require.Equal(t, 5, strings.Count(readFile(t, after, pair.Records), "\n"))
	_ = w.Close()
}

// TestIndexRetried: entries that could not be written are written once they
// can be, without another append.
func TestIndexRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s, mem := openFaulty(t, Options{Sync: SyncOS, Validate: Frame})
		s.set(on(vfs.OpWrite, pair.Index, vfs.ShortWrite{Err: syscall.ENOSPC}))
		_, err := w.AppendBatch(recs(1, maxPending+1)) // published by the call itself
		require.NoError(t, err)
		s.set(nil)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Len(t, stored(t, mem), maxPending+1)
		require.NoError(t, w.Close())
	})
}

// TestSeenIsNotAcknowledged: an append whose own publication sees a foreign
// write is not acknowledged.
func TestSeenIsNotAcknowledged(t *testing.T) {
	mem := vfs.NewMem()
	w, _ := mustOpen(t, mem, Options{Sync: SyncOS})
	grow(t, mem, pair.Records)
	_, err := w.AppendBatch(recs(0, maxPending))
	require.ErrorIs(t, err, segment.ErrForeignWrite)
	batch, ok := errors.AsType[*BatchError](err)
	require.True(t, ok && batch.Unknown)
	require.Error(t, w.Close())
}

// TestBatchBytes: no size of a record makes the bound on a batch small.
func TestBatchBytes(t *testing.T) {
	require.Equal(t, int64(16777217), Options{}.BatchBytes())
	require.Equal(t, int64(minBatch), Options{MaxRecordBytes: 1}.BatchBytes())
	require.Greater(t, Options{MaxRecordBytes: math.MaxInt}.BatchBytes(), int64(1<<30))
	require.Equal(t, int64(1024), Options{MaxRecordBytes: 100, Batch: 1024}.BatchBytes())
	require.Equal(t, int64(101), Options{MaxRecordBytes: 100, Batch: 10}.BatchBytes())
}
