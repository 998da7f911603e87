//go:build linux || darwin

package vfs

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// within fails a test that blocks.
func within(t *testing.T, what string, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		require.FailNow(t, what+" blocks")
		return nil
	}
}

func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(fifo, link))
	names := []string{fifo, link, "/dev/null", listen(t)}
	for _, name := range names {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_TRUNC} {
			err := within(t, "open "+name, func() error {
				_, err := OS.Open(name, flag, 0o600)
				return err
			})
			require.ErrorIs(t, err, ErrNotRegular, "%s %#x", name, flag)
			require.ErrorContains(t, err, name)
		}
		err := within(t, "lock", func() error { _, err := OS.Lock(name); return err })
		require.ErrorIs(t, err, ErrNotRegular)
		err = within(t, "map", func() error { _, err := OS.(Mapper).Map(name); return err })
		require.ErrorIs(t, err, ErrNotRegular)
	}

	// Also one that takes the name after it was looked at does not block.
	err := within(t, "open", func() error {
		f, err := openHandle(fifo, os.O_RDONLY, 0)
		if err == nil {
			f.Close()
		}
		return err
	})
	require.NoError(t, err)
}

// listen returns the name of a socket; it is short, as those must be.
func listen(t *testing.T) string {
	dir, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	name := filepath.Join(dir, "s")
	l, err := net.Listen("unix", name)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return name
}

func TestUmask(t *testing.T) {
	dir := t.TempDir()
	for _, mask := range []int{0, 0o022, 0o077, 0o777} {
		old := unix.Umask(mask)
		defer unix.Umask(old)
		for _, perm := range []fs.FileMode{0o600, 0o644, 0o666} {
			name := filepath.Join(dir, "f")
			f, err := OS.Open(name, os.O_RDWR|os.O_CREATE, perm)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			requireMode(t, name, perm)

			// What is there already keeps what it has.
			f, err = OS.Open(name, os.O_RDWR|os.O_CREATE, 0o640)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			requireMode(t, name, perm)
			require.NoError(t, OS.Remove(name))

			sub := filepath.Join(dir, "d")
			require.NoError(t, OS.Mkdir(sub, perm|0o100))
			requireMode(t, sub, fs.ModeDir|perm|0o100)
			require.NoError(t, OS.Remove(sub))
		}
	}
}

// TestRootGivesAway: what root creates in the directory of another user is
// that user's.
func TestRootGivesAway(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chown(dir, 65534, 65533))
	sub := filepath.Join(dir, "sub")
	require.NoError(t, OS.Mkdir(sub, 0o700))
	requireOwned(t, sub, 0o700)
	for _, name := range []string{filepath.Join(dir, "f"), filepath.Join(sub, "f")} {
		require.NoError(t, ReplaceFile(OS, name, []byte("x"), 0o600))
		requireOwned(t, name, 0o600)
	}
}

func requireOwned(t *testing.T, name string, mode uint32) {
	t.Helper()
	var st unix.Stat_t
	require.NoError(t, unix.Stat(name, &st))
	require.Equal(t, []uint32{65534, 65533, mode}, []uint32{st.Uid, st.Gid, uint32(st.Mode) & 0o777})
}

// TestMkdirKeepsSetgid: applying perm does not take the set-group-id bit that
// the parent hands down.
func TestMkdirKeepsSetgid(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700|fs.ModeSetgid))
	plain, sub := filepath.Join(dir, "plain"), filepath.Join(dir, "sub")
	defer unix.Umask(unix.Umask(0o077))
	require.NoError(t, os.Mkdir(plain, 0o770))
	require.NoError(t, OS.Mkdir(sub, 0o770))
	want, err := OS.Stat(plain)
	require.NoError(t, err)
	if want.Mode&fs.ModeSetgid == 0 {
		t.Skip("the set-group-id bit is not handed down here")
	}
	got, err := OS.Stat(sub)
	require.NoError(t, err)
	require.Equal(t, fs.ModeDir|fs.ModeSetgid|0o770, got.Mode)
}

func requireMode(t *testing.T, name string, mode fs.FileMode) {
	t.Helper()
	info, err := OS.Lstat(name)
	require.NoError(t, err)
	require.Equal(t, mode, info.Mode&^fs.ModeSetgid)
}

func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	file, link, broken := filepath.Join(dir, "f"), filepath.Join(dir, "l"), filepath.Join(dir, "b")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	require.NoError(t, os.Symlink(file, link))
	require.NoError(t, os.Symlink(filepath.Join(dir, "gone"), broken))

	a, err := OS.Stat(link)
	require.NoError(t, err)
	b, err := OS.Lstat(link)
	require.NoError(t, err)
	c, err := OS.Stat(file)
	require.NoError(t, err)
	require.Equal(t, c, a)
	require.False(t, a.Same(b))
	require.Equal(t, fs.ModeSymlink, b.Mode.Type())

	f, err := OS.Open(link, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = OS.Open(broken, os.O_RDWR|os.O_CREATE, 0o600)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = OS.Open(broken, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = OS.Lstat(filepath.Join(dir, "gone"))
	require.ErrorIs(t, err, fs.ErrNotExist, "nothing is created through a broken link")
}

// TestInfoIsThatOfOS compares what is translated here with what package os
// makes of the same file.
func TestInfoIsThatOfOS(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	odd := filepath.Join(dir, "odd")
	require.NoError(t, os.WriteFile(odd, []byte("12345"), 0o600))
	require.NoError(t, os.Chmod(odd, 0o751|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
	for _, name := range []string{dir, fifo, odd, os.TempDir(), "/dev/null", "/dev/zero", listen(t)} {
		want, err := os.Stat(name)
		require.NoError(t, err)
		got, err := OS.Stat(name)
		require.NoError(t, err)
		require.Equal(t, want.Mode(), got.Mode, name)
		require.Equal(t, want.Size(), got.Size, name)
		require.True(t, want.ModTime().Equal(got.ModTime), name)
	}
}

func TestNetwork(t *testing.T) {
	n := OS.(Networker)
	kind, err := n.Network(t.TempDir())
	require.NoError(t, err)
	if kind != "" {
		t.Logf("temporary files lie on %s here", kind)
	}
	_, err = n.Network(filepath.Join(t.TempDir(), "x"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestNoPermission(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may do everything")
	}
	onEach(t, func(t *testing.T, fsys FS, dir string) {
		name := filepath.Join(dir, "f")
		f, err := fsys.Open(name, os.O_RDWR|os.O_CREATE, 0o400)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		_, err = fsys.Open(name, os.O_RDWR, 0)
		require.ErrorIs(t, err, fs.ErrPermission)
		_, err = fsys.Open(name, os.O_RDONLY, 0)
		require.NoError(t, err)
	})
}

// TestUnlockOutlivesCopies: a lock that was closed is free also while a
// process that is just being started has a copy of its descriptor.
func TestUnlockOutlivesCopies(t *testing.T) {
	dir := t.TempDir()
	lock, err := OS.Lock(dir)
	require.NoError(t, err)
	copied := 0
	require.NoError(t, lock.(*osLock).f.control("copy", func(fd int) (err error) {
		copied, err = unix.Dup(fd)
		return err
	}))
	require.NoError(t, lock.Close())
	again, err := OS.Lock(dir)
	require.NoError(t, err)
	require.NoError(t, unix.Close(copied))
	_, err = OS.Lock(dir)
	require.ErrorIs(t, err, ErrLocked, "the copy was of the lock before")
	require.NoError(t, again.Close())
	require.ErrorIs(t, again.Close(), fs.ErrClosed)
}
