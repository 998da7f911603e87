package partition

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// faulty is how a file system fails from its n-th operation on.
type faulty struct {
	n    int
	err  error
	fail func(f *faulty, op vfs.Op) error

	mu  sync.Mutex
	hit *vfs.Op // the first operation that failed
}

func (f *faulty) hook(op vfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if op.N < f.n {
		return nil
	}
	err := f.fail(f, op)
	if err != nil && f.hit == nil {
		f.hit = &op
	}
	return err
}

// once fails one operation: all is well again afterwards.
func once(f *faulty, op vfs.Op) error {
	if op.N == f.n {
		return f.err
	}
	return nil
}

// forGood fails whatever changes anything: a file system that was remounted
// read-only, or is full.
func forGood(f *faulty, op vfs.Op) error {
	if op.Kind.Changes() && op.Kind != vfs.OpOpen {
		return f.err
	}
	return nil
}

// short lets one write reach the file in part.
func short(f *faulty, op vfs.Op) error {
	if f.hit == nil && (op.Kind == vfs.OpWrite || op.Kind == vfs.OpWriteAt) {
		return vfs.ShortWrite{N: op.Size * 2 / 3, Err: f.err}
	}
	return nil
}

// noSync fails one sync, which succeeds when it is tried again.
func noSync(f *faulty, op vfs.Op) error {
	if f.hit == nil && (op.Kind == vfs.OpSync || op.Kind == vfs.OpSyncDir) {
		return f.err
	}
	return nil
}

// The errors are those that a system has for it: of a broken or a full disk, of
// too large a file, of too many files, of a disk that was write-protected.
func TestFaultOnce(t *testing.T)    { faults(t, once, syscall.EIO, syscall.EMFILE) }
func TestFaultForGood(t *testing.T) { faults(t, forGood, syscall.EIO, syscall.EROFS) }
func TestFaultShort(t *testing.T)   { faults(t, short, syscall.EIO, syscall.ENOSPC, syscall.EFBIG) }
func TestFaultSync(t *testing.T)    { faults(t, noSync, syscall.EIO, syscall.ENOSPC) }

// faults runs a workload on a new log and on one that must be recovered, and
// lets each of its operations fail. What was acknowledged is there afterwards,
// in order and among what was sent; nothing is taken for damage; and once the
// file system is well again, appends go on.
func faults(t *testing.T, fail func(*faulty, vfs.Op) error, errnos ...syscall.Errno) {
	for _, mode := range []SyncMode{SyncAlways, SyncInterval, SyncOS, SyncBuffered} {
		for _, errno := range errnos {
			for _, before := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v %v, a log before %v", mode, errno, before), func(t *testing.T) {
					t.Parallel()
					for n := 1; faultRun(t, &faulty{n: n, err: errno, fail: fail}, mode, before); n++ {
					}
				})
			}
		}
	}
}

// workload is what was sent to a log and what it said.
type workload struct {
	opts  *Options
	sent  []string
	acked int // of the records sent, those that are stored for certain
	sure  bool
	errs  []error
}

func (w *workload) send(p *Partition, n int) {
	var batch [][]byte
	for range n {
		rec := fmt.Sprintf(`{"sent":%d}`, len(w.sent))
		w.sent = append(w.sent, rec)
		batch = append(batch, []byte(rec))
	}
	first, err := p.AppendBatch(batch)
	if err == nil {
		w.acked = int(first) + n
		return
	}
	w.errs = append(w.errs, err)
	stored := 0
	if be, ok := errors.AsType[*BatchError](err); ok && be.Stored > 0 {
		stored, w.acked = be.Stored, int(be.First)+be.Stored
	}
	// What is not stored is not sent for certain, either, when its outcome is
	// unknown: it may be there.
	if !errors.Is(err, ErrPoisoned) {
		w.sent = w.sent[:len(w.sent)-n+stored]
	}
}

// work opens the log, appends, and closes it.
func (w *workload) work(t *testing.T, fsys vfs.FS) {
	o := *w.opts
	o.FS = fsys
	p, err := Open("p", &o)
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	w.send(p, 1)
	w.send(p, 4)
	if err := p.Sync(); err != nil {
		w.errs = append(w.errs, err)
	}
	w.send(p, 2)
	err = p.Close()
	if err != nil {
		w.errs = append(w.errs, err)
	}
	// SyncBuffered acknowledges what it has not written yet.
	w.sure = err == nil || o.Sync != SyncBuffered
}

// faultRun reports whether the workload was long enough to be hurt.
func faultRun(t *testing.T, f *faulty, mode SyncMode, before bool) bool {
	mem := vfs.NewMem()
	w := &workload{opts: &Options{Sync: mode}}
	if before {
		// Two records, of which the index knows one, and a torn tail.
		put(t, mem, map[string]string{
			"00000000000000000000.jsonl": "{\"sent\":0}\n{\"sent\":1}\n{\"sent\"",
			"00000000000000000000.index": "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0b\x00",
		})
		w.sent, w.acked, w.sure = []string{`{"sent":0}`, `{"sent":1}`}, 2, true
	}
	w.work(t, vfs.NewFault(mem, f.hook))
	where := fmt.Sprintf("%v at operation %d: %v", f.err, f.n, f.hit)
	for _, err := range w.errs {
		_, corrupt := errors.AsType[*CorruptError](err)
		require.False(t, corrupt, "%s: %v", where, err)
		require.True(t, errors.Is(err, f.err) || errors.Is(err, ErrPoisoned), "%s: %v", where, err)
	}
	w.requireKept(t, mem, where)
	return f.hit != nil
}

// requireKept opens the log on the file system that is well again.
func (w *workload) requireKept(t *testing.T, fsys vfs.FS, where string) {
	p, err := Open("p", &Options{FS: fsys})
	require.NoError(t, err, where)
	stored := read(t, p, 0)
	if w.sure {
		require.GreaterOrEqual(t, len(stored), w.acked, where)
	}
	require.LessOrEqual(t, len(stored), len(w.sent), where)
	for i, rec := range stored {
		require.Equal(t, w.sent[i], rec, where)
	}
	offset, err := p.Append([]byte(`"after"`))
	require.NoError(t, err, where)
	require.Equal(t, uint64(len(stored)), offset, where)
	require.NoError(t, p.Close(), where)
	require.Empty(t, verifyState(t, fsys, "p"), where)
}
