package vfs

import (
	"errors"

	"golang.org/x/sys/unix"
)

var _ Labeler = (*osFile)(nil)

// labelName is the extended attribute that holds the label.
const labelName = "user.jlq"

// Label implements [Labeler].
func (f *osFile) Label() (string, error) {
	buf := make([]byte, 256)
	n := 0
	err := f.control("getxattr", func(fd int) (err error) {
		n, err = unix.Fgetxattr(fd, labelName, buf)
		return err
	})
	switch {
	case errors.Is(err, unix.ENODATA):
		return "", nil
	case err != nil:
		return "", err
	}
	return string(buf[:n]), nil
}

// SetLabel implements [Labeler].
func (f *osFile) SetLabel(text string) error {
	return f.control("setxattr", func(fd int) error {
		return unix.Fsetxattr(fd, labelName, []byte(text), 0)
	})
}
