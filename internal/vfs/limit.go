package vfs

import (
	"errors"
	"syscall"
)

// Exhausted reports whether err says that there are too many open files.
func Exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
