package vfs

import (
	"errors"
	"syscall"
	"testing"

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

// needPOSIXNames skips a test under a Wine that does not let go of the name of
// an open file, which Windows does since version 10, 1607.
func needPOSIXNames(t *testing.T) {
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		t.Skip("Wine keeps the name of an open file")
	}
}
