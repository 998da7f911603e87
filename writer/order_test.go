package writer

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// The tests of this file are about the order of steps and about what must not
// happen between them. Without such a line nothing goes wrong in a test that
// looks at results alone: it takes a crash or another program at that moment.

// changes returns the operations on records, index and partition.json that
// change what a crash leaves, in short.
func changes(ops []vfs.Op) (out []string) {
	names := map[string]string{pair.Records: "records", pair.Index: "index", filepath.Join(dir, segment.MetaName): "meta"}
	for _, op := range ops {
		path := op.Path
		if op.Kind == vfs.OpRename {
			path = op.To
		}
		if name := names[path]; name != "" && op.Kind.Changes() && op.Kind != vfs.OpOpen {
			out = append(out, fmt.Sprintf("%v %s", op.Kind, name))
		}
	}
	return out
}

// TestOrderOfCommit: under SyncAlways entries are written, and so seen by
// readers, when their records are on the disk.
func TestOrderOfCommit(t *testing.T) {
	fsys := vfs.NewFault(vfs.NewMem(), nil)
	w, _ := mustOpen(t, fsys, Options{})
	before := len(fsys.Ops())
	_, err := w.AppendBatch(recs(0, 3))
	require.NoError(t, err)
	require.Equal(t, []string{"write records", "sync records", "write index"}, changes(fsys.Ops()[before:]))
	require.NoError(t, w.Close())
}

// TestOrderOfSync: nothing is promised before it holds. Entries are written
// before partition.json names their position, and on the disk after their
// records.
func TestOrderOfSync(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		for name, do := range map[string]func(*Writer) error{"Sync": (*Writer).Sync, "Close": (*Writer).Close} {
			synctest.Test(t, func(t *testing.T) { // where the publisher's time does not come
				fsys := vfs.NewFault(vfs.NewMem(), nil)
				w, _ := mustOpen(t, fsys, Options{Sync: sync})
				before := len(fsys.Ops())
				_, err := w.AppendBatch(recs(0, 3))
				require.NoError(t, err)
				require.NoError(t, do(w))
				want := []string{"write records", "write index", "sync records", "sync index", "rename meta"}
				if sync == SyncAlways {
					want = slices.Insert(want, 1, "sync records")
				}
				require.Equal(t, want, changes(fsys.Ops()[before:]), name)
				if name == "Sync" {
					require.NoError(t, w.Close())
				}
			})
		}
	})
}

// TestOrderOfVouching: a bare file's writer vouches for what is on the disk.
func TestOrderOfVouching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &switched{}
		fsys := vfs.NewFault(vfs.NewMem(), s.hook)
		w, _ := mustOpenBare(t, fsys, Options{Sync: SyncOS})
		before := len(fsys.Ops())
		_, err := w.AppendBatch(recs(0, 3))
		require.NoError(t, err)
		require.NoError(t, w.Sync())
		want := []string{"write records", "write index", "sync records", "sync index", "label index"}
		require.Equal(t, want, changes(fsys.Ops()[before:]))
		for _, failing := range []string{pair.Records, pair.Index} {
			s.set(on(vfs.OpSync, failing, syscall.EIO))
			before = len(fsys.Ops())
			_, err = w.AppendBatch(recs(3, 6))
			require.NoError(t, err)
			require.ErrorIs(t, w.Sync(), syscall.EIO)
			require.NotContains(t, changes(fsys.Ops()[before:]), "label index")
			require.Error(t, w.Close())
			s.set(nil)
			w, _ = mustOpenBare(t, fsys, Options{Sync: SyncOS})
		}
		require.NoError(t, w.Close())
	})
}

// TestCutSpares: when a write fails, what another program appended meanwhile
// is not cut off with it.
func TestCutSpares(t *testing.T) {
	for _, sync := range []SyncMode{SyncAlways, SyncOS} {
		w, s, mem := openFaulty(t, Options{Sync: sync})
		s.set(func(op vfs.Op) error {
			if op.Kind == vfs.OpWrite && op.Path == pair.Records {
				grow(t, mem, pair.Records)
				return vfs.ShortWrite{N: 5, Err: syscall.ENOSPC}
			}
			return nil
		})
		_, err := w.Append(rec(1))
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorIs(t, err, segment.ErrForeignWrite)
		require.ErrorIs(t, err, ErrPoisoned)
		require.Contains(t, readFile(t, mem, pair.Records), string(rec(0))+"\n{}\n")
		s.set(nil)
		require.ErrorIs(t, w.Close(), ErrPoisoned)
	}
}

// TestForeignWriteEarly: what another program wrote is seen before it costs an
// fsync, which would make it durable.
func TestForeignWriteEarly(t *testing.T) {
	mem := vfs.NewMem()
	fsys := vfs.NewFault(mem, nil)
	w, _ := mustOpen(t, fsys, Options{})
	grow(t, mem, pair.Records)
	before := len(fsys.Ops())
	_, err := w.Append(rec(0))
	require.ErrorIs(t, err, segment.ErrForeignWrite)
	require.Equal(t, []string{"write records"}, changes(fsys.Ops()[before:]))
	require.ErrorIs(t, w.Close(), ErrPoisoned)
}

// TestForeignWriteDuringFsync: a file that was replaced or grown while its
// bytes went to the disk is not acknowledged, and not published.
func TestForeignWriteDuringFsync(t *testing.T) {
	for want, do := range map[error]func(mem *vfs.Mem){
		segment.ErrForeignWrite: func(mem *vfs.Mem) { grow(t, mem, pair.Records) },
		segment.ErrReplaced: func(mem *vfs.Mem) {
			data := readFile(t, mem, pair.Records)
			require.NoError(t, vfs.ReplaceFile(mem, pair.Records, []byte(data), 0o600))
		},
	} {
		w, s, mem := openFaulty(t, Options{})
		s.set(func(op vfs.Op) error {
			if op.Kind == vfs.OpSync && op.Path == pair.Records {
				do(mem)
			}
			return nil
		})
		index := readFile(t, mem, pair.Index)
		_, err := w.Append(rec(1))
		require.ErrorIs(t, err, want)
		require.ErrorIs(t, err, ErrPoisoned)
		require.Equal(t, index, readFile(t, mem, pair.Index))
		s.set(nil)
		require.ErrorIs(t, w.Close(), ErrPoisoned)
	}
}

// TestCutSyncFails: it is not known whether the cut of a failed write is on
// the disk, so its bytes may come back.
func TestCutSyncFails(t *testing.T) {
	w, s, _ := openFaulty(t, Options{})
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync {
			return syscall.EIO
		}
		return on(vfs.OpWrite, pair.Records, vfs.ShortWrite{N: 5, Err: syscall.ENOSPC})(op)
	})
	_, err := w.Append(rec(1))
	require.ErrorIs(t, err, syscall.EIO)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorIs(t, err, ErrPoisoned)
	batch, ok := errors.AsType[*BatchError](err)
	require.True(t, ok && batch.Unknown)
	s.set(nil)
	require.ErrorIs(t, w.Close(), ErrPoisoned)
}

// TestIndexCutFails: behind part of an entry none may be written.
func TestIndexCutFails(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		w, s, _ := openFaulty(t, Options{Sync: sync})
		require.NoError(t, w.Sync())
		s.set(func(op vfs.Op) error {
			if op.Kind == vfs.OpTruncate && op.Path == pair.Index {
				return syscall.EIO
			}
			return on(vfs.OpWrite, pair.Index, vfs.ShortWrite{N: 3, Err: syscall.ENOSPC})(op)
		})
		_, err := w.Append(rec(1))
		if err == nil {
			err = w.Sync()
		}
		require.ErrorIs(t, err, ErrPoisoned)
		s.set(nil)
		require.ErrorIs(t, w.Close(), ErrPoisoned)
	})
}

// TestCloseErrors: an error of closing a file that was written to is told.
func TestCloseErrors(t *testing.T) {
	for _, path := range []string{pair.Records, pair.Index} {
		w, s, _ := openFaulty(t, Options{})
		s.set(on(vfs.OpClose, path, syscall.EIO))
		require.ErrorIs(t, w.Close(), syscall.EIO)
	}
}

// TestGroupsAreBounded: no write of SyncAlways has more bytes than the bound
// that partition.json names, because recovery takes what lies further from the
// end for acknowledged.
func TestGroupsAreBounded(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	s := &switched{}
	fsys := vfs.NewFault(vfs.NewMem(), s.hook)
	w, _ := mustOpen(t, fsys, Options{})
	w.batch = 32 // of lines of 8 bytes
	first := true
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == pair.Records && first {
			first = false
			close(reached)
			<-release
		}
		return nil
	})
	errs := make(chan error)
	go func() { _, err := w.Append(rec(0)); errs <- err }()
	<-reached
	for n := range 9 {
		go func() { _, err := w.Append(rec(n)); errs <- err }()
	}
	for w.gathered() < 4 {
	}
	close(release)
	for range 10 {
		require.NoError(t, <-errs)
	}
	for _, op := range fsys.Ops() {
		require.False(t, op.Kind == vfs.OpWrite && op.Path == pair.Records && op.Size > 32, "%d bytes at once", op.Size)
	}
	require.NoError(t, w.Close())
}

// TestGroupPart: each caller of a group learns what is stored of its own
// records.
func TestGroupPart(t *testing.T) {
	full := errors.New("full")
	g := &group{result: result{first: 10, stored: 3, err: full, unknown: true}}
	for _, c := range []struct {
		at, n int
		want  result
	}{
		{0, 2, result{first: 10, stored: 2}},
		{2, 3, result{first: 12, stored: 1, err: full, unknown: true}},
		{5, 1, result{first: 15, stored: 0, err: full, unknown: true}},
	} {
		require.Equal(t, c.want, g.part(c.at, c.n))
	}
}

// TestTargetBeforeFsync: what is written while an fdatasync is under way may
// or may not be covered by it, so that sync promises nothing of it.
func TestTargetBeforeFsync(t *testing.T) {
	w, s, mem := openFaulty(t, Options{Sync: SyncOS})
	appended := false
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == pair.Records && !appended {
			appended = true
			_, err := w.AppendBatch(recs(1, 3))
			return err
		}
		return nil
	})
	require.NoError(t, w.Sync())
	require.True(t, appended)
	require.Equal(t, uint64(1), w.Durable())
	require.Equal(t, int64(len(rec(0))+1), savedPosition(t, mem))
	require.NoError(t, w.Close())
}
