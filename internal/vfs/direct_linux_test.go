package vfs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestAlignedBytes(t *testing.T) {
	for n := range 100 {
		b := AlignedBytes(n * 1000)
		require.Len(t, b, n*1000)
		require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b)))%DirectAlign)
	}
}

// TestOpenDirect reads past the cache what was written through it, and the
// other way round.
func TestOpenDirect(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(name, []byte("some bytes"), 0o600))
	f, err := OS.(Director).OpenDirect(name)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("the file system of %s: %v", name, err)
	}
	require.NoError(t, err)
	b := AlignedBytes(2 * DirectAlign)
	n, err := f.ReadAt(b, 0)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "some bytes", string(b[:n]))
	n, err = f.ReadAt(b, DirectAlign)
	require.ErrorIs(t, err, io.EOF)
	require.Zero(t, n)
	copy(b, bytes.Repeat([]byte("x"), len(b)))
	n, err = f.WriteAt(b, 0)
	require.NoError(t, err)
	require.Equal(t, len(b), n)
	n, err = f.ReadAt(b, 0)
	require.NoError(t, err)
	require.Equal(t, len(b), n)
	require.NoError(t, f.Truncate(5))
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "xxxxx", string(got))
	_, err = OS.(Director).OpenDirect(name + "-missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestDirectMisaligned: what cannot be done directly says so in a way that a
// caller can tell from a failing disk.
func TestDirectMisaligned(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(name, make([]byte, 2*DirectAlign), 0o600))
	f, err := OS.(Director).OpenDirect(name)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("the file system of %s: %v", name, err)
	}
	require.NoError(t, err)
	defer f.Close()
	b := AlignedBytes(DirectAlign)
	if _, err = f.ReadAt(b[:100], 1); err != nil { // some file systems can
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
	if _, err = f.WriteAt(b[:100], 1); err != nil {
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
}
