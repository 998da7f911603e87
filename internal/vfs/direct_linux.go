package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

var _ Director = osFS{}

// OpenDirect is O_DIRECT.
func (osFS) OpenDirect(name string) (File, error) {
	f, err := openHandle(name, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		return nil, unsupported(err)
	}
	return &directFile{f}, nil
}

// directFile is a file opened with O_DIRECT.
type directFile struct{ *osFile }

// ReadAt is one system call: what follows a short read at the end of the file
// would not be aligned.
func (f *directFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.control("read", func(fd int) error {
		n, err = unix.Pread(fd, p, off)
		return err
	})
	if err != nil {
		return 0, unsupported(err)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *directFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.osFile.WriteAt(p, off)
	return n, unsupported(err)
}

// unsupported says so of EINVAL, which is how file systems refuse O_DIRECT.
func unsupported(err error) error {
	if !errors.Is(err, unix.EINVAL) {
		return err
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: pe.Op, Path: pe.Path, Err: fmt.Errorf("%w (%w)", errors.ErrUnsupported, pe.Err)}
	}
	return err
}
