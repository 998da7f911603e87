package vfs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// asUnix is the error by which the other systems say the same.
func asUnix(err error) error {
	no, _ := errors.AsType[syscall.Errno](err)
	switch no {
	case windows.ERROR_DIRECTORY:
		return syscall.ENOTDIR
	case windows.ERROR_DIR_NOT_EMPTY:
		return syscall.ENOTEMPTY
	case windows.ERROR_INVALID_FUNCTION:
		return syscall.EISDIR
	case windows.ERROR_INVALID_PARAMETER:
		return syscall.EINVAL
	}
	return err
}

// TestFileForDirectory: it is not said to be absent, as by ERROR_PATH_NOT_FOUND,
// which syscall.ENOTDIR is here.
func TestFileForDirectory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	require.NoError(t, ReplaceFile(OS, name, nil, 0o600))
	_, err := OS.List(name)
	require.ErrorIs(t, err, windows.ERROR_DIRECTORY)
	require.NotErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, OS.SyncDir(name), fs.ErrNotExist)
}

// needPOSIXNames skips a test under a Wine that does not let go of the name of
// an open file, which Windows does since version 10, 1607.
func needPOSIXNames(t *testing.T) {
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		t.Skip("Wine keeps the name of an open file")
	}
}
