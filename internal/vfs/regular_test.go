package vfs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOpenRegular: a directory can be opened, and is not what is to be read.
func TestOpenRegular(t *testing.T) {
	mem := NewMem()
	require.NoError(t, mem.Mkdir("d", 0o700))
	for name, fsys := range map[string]FS{"d": mem, t.TempDir(): OS} {
		_, _, err := OpenRegular(fsys, name)
		require.ErrorIs(t, err, ErrNotRegular)
		require.ErrorContains(t, err, name)
	}
	require.NoError(t, ReplaceFile(mem, "d/f", []byte("x"), 0o600))
	f, info, err := OpenRegular(mem, "d/f")
	require.NoError(t, err)
	require.Equal(t, int64(1), info.Size)
	require.NoError(t, f.Close())
}

// TestLockRefusesAtOnce: who comes second does not wait.
func TestLockRefusesAtOnce(t *testing.T) {
	dir := t.TempDir()
	lock, err := OS.Lock(dir)
	require.NoError(t, err)
	second := make(chan error, 1)
	go func() {
		_, err := OS.Lock(dir)
		second <- err
	}()
	select {
	case err := <-second:
		require.ErrorIs(t, err, ErrLocked)
	case <-time.After(5 * time.Second):
		require.Fail(t, "it waits")
	}
	require.NoError(t, lock.Close())
}
