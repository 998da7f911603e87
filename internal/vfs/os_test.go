package vfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOSSmoke(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	require.NoError(t, OS.Mkdir(dir, 0o700))
	name := filepath.Join(dir, "f")
	f, err := OS.Open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	require.NoError(t, err)
	n, err := f.Write([]byte("hello"))
	require.NoError(t, err)
	require.Equal(t, 5, n)
	require.NoError(t, f.Sync())
	require.NoError(t, OS.SyncDir(dir))
	a, err := f.Stat()
	require.NoError(t, err)
	b, err := OS.Stat(name)
	require.NoError(t, err)
	require.True(t, a.Same(b))
	require.Equal(t, fs.FileMode(0o666), a.Mode)
	require.NoError(t, f.Close())
	require.ErrorIs(t, f.Close(), fs.ErrClosed)
	require.ErrorIs(t, f.Sync(), fs.ErrClosed)
	l, err := OS.Lock(dir)
	require.NoError(t, err)
	_, err = OS.Lock(dir)
	require.ErrorIs(t, err, ErrLocked)
	t.Log(err)
	require.NoError(t, l.Close())
}
