package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFaultSeesEverything does each operation once, with a hook that lets
// all of them pass and then with one that fails each in turn.
func TestFaultSeesEverything(t *testing.T) {
	b := make([]byte, 3)
	steps := func(fsys FS) []error {
		var errs []error
		try := func(err error) { errs = append(errs, err) }
		try(fsys.Mkdir("/d", 0o700))
		f, err := fsys.Open("/d/f", os.O_RDWR|os.O_CREATE, 0o600)
		try(err)
		g, err := fsys.Open("/d/f", os.O_WRONLY|os.O_APPEND, 0)
		try(err)
		if f == nil || g == nil {
			return errs
		}
		_, err = f.WriteAt([]byte("abc"), 1)
		try(err)
		_, err = g.Write([]byte("d"))
		try(err)
		_, err = f.ReadAt(b, 1)
		try(err)
		try(f.Truncate(2))
		try(f.Sync())
		_, err = f.Stat()
		try(err)
		try(g.Close())
		try(f.Close())
		try(fsys.Link("/d/f", "/d/l"))
		try(fsys.Rename("/d/f", "/d/g"))
		try(fsys.SyncDir("/d"))
		_, err = fsys.Stat("/d/l")
		try(err)
		_, err = fsys.Lstat("/d/l")
		try(err)
		_, err = fsys.List("/d")
		try(err)
		l, err := fsys.Lock("/d")
		try(err)
		if l == nil {
			return errs
		}
		try(l.Close())
		try(fsys.Remove("/d/l"))
		return errs
	}
	want := []Op{
		{1, OpMkdir, "/d", "", 0, 0},
		{2, OpOpen, "/d/f", "", 0, 0},
		{3, OpOpen, "/d/f", "", 0, 0},
		{4, OpWriteAt, "/d/f", "", 1, 3},
		{5, OpWrite, "/d/f", "", 0, 1},
		{6, OpReadAt, "/d/f", "", 1, 3},
		{7, OpTruncate, "/d/f", "", 2, 0},
		{8, OpSync, "/d/f", "", 0, 0},
		{9, OpStat, "/d/f", "", 0, 0},
		{10, OpClose, "/d/f", "", 0, 0},
		{11, OpClose, "/d/f", "", 0, 0},
		{12, OpLink, "/d/f", "/d/l", 0, 0},
		{13, OpRename, "/d/f", "/d/g", 0, 0},
		{14, OpSyncDir, "/d", "", 0, 0},
		{15, OpStat, "/d/l", "", 0, 0},
		{16, OpStat, "/d/l", "", 0, 0},
		{17, OpList, "/d", "", 0, 0},
		{18, OpLock, "/d", "", 0, 0},
		{19, OpClose, "/d", "", 0, 0},
		{20, OpRemove, "/d/l", "", 0, 0},
	}
	var given []Op
	f := NewFault(NewMem(), func(op Op) error { given = append(given, op); return nil })
	require.NoError(t, errors.Join(steps(f)...))
	require.Equal(t, want, f.Ops())
	require.Equal(t, want, given)

	boom := errors.New("boom")
	for _, op := range want {
		f := NewFault(NewMem(), func(o Op) error {
			if o.N == op.N {
				return boom
			}
			return nil
		})
		err := steps(f)[op.N-1]
		require.ErrorIs(t, err, boom)
		pe, ok := errors.AsType[*fs.PathError](err)
		require.True(t, ok)
		require.Equal(t, op.Path, pe.Path)
		require.Equal(t, op.Kind.String(), pe.Op)
	}
	for _, op := range want {
		errs := steps(NewFault(NewMem(), CrashAt(op.N)))
		for i, err := range errs {
			require.Equal(t, i+1 >= op.N, errors.Is(err, ErrCrashed), "%d of %d: %v", i+1, op.N, err)
		}
	}
}

// TestFaultStopsTheOperation: what was failed has not happened.
func TestFaultStopsTheOperation(t *testing.T) {
	m, _ := aged(t, []byte("old"))
	fail := func(Op) error { return syscall.EIO }
	armed := false
	f := NewFault(m, func(op Op) error {
		if armed {
			return fail(op)
		}
		return nil
	})
	at, err := f.Open("/f", os.O_RDWR, 0)
	require.NoError(t, err)
	end, err := f.Open("/f", os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	s := newScript(m, "/")
	before := s.dump(".")

	armed = true
	_, e1 := at.WriteAt([]byte("new"), 0)
	_, e2 := end.Write([]byte("new"))
	errs := []error{e1, e2, at.Truncate(0), f.Remove("/f"), f.Rename("/f", "/g"), f.Link("/f", "/g"), f.Mkdir("/d", 0o700)}
	for _, err := range errs {
		require.ErrorIs(t, err, syscall.EIO)
	}
	require.Equal(t, before, s.dump("."))

	// A close is different: it fails, but nothing stays open.
	require.ErrorIs(t, at.Close(), syscall.EIO)
	armed = false
	_, err = at.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, fs.ErrClosed)
}

func TestShortWrite(t *testing.T) {
	for _, tt := range []struct {
		n    int
		want string
	}{{0, "old"}, {2, "oldne"}, {3, "oldnew"}, {9, "oldnew"}, {-1, "old"}} {
		m, _ := aged(t, []byte("old"))
		f := NewFault(m, func(op Op) error {
			if op.Kind == OpWrite || op.Kind == OpWriteAt {
				return ShortWrite{tt.n, syscall.ENOSPC}
			}
			return nil
		})
		end, err := f.Open("/f", os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		n, err := end.Write([]byte("new"))
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.Equal(t, len(tt.want)-3, n)
		require.Equal(t, tt.want, newScript(m, "/").get("f"))

		at, err := f.Open("/f", os.O_RDWR, 0)
		require.NoError(t, err)
		n, err = at.WriteAt([]byte("NEW"), 3)
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.Equal(t, len(tt.want)-3, n)
		require.ErrorIs(t, ShortWrite{1, syscall.EIO}, syscall.EIO)
	}
}

func TestOpKind(t *testing.T) {
	require.Equal(t, "close", OpClose.String())
	require.Equal(t, "op(99)", OpKind(99).String())
	require.Len(t, opNames, int(OpLabel)+1)
	require.True(t, OpSync.Changes())
	require.False(t, OpReadAt.Changes())
}

func TestFaultIsNoShortcut(t *testing.T) {
	var fsys FS = NewFault(OS, nil)
	_, maps := fsys.(Mapper)
	require.False(t, maps)
}
