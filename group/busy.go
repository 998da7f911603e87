package group

import (
	"errors"

	"example.com/jlq/internal/vfs"
)

// errBusy is matched by a [*busyError].
var errBusy = errors.New("held by another member")

// busyError: another member has the partition, the process pid where that is
// known.
type busyError struct{ pid int }

func (e *busyError) Error() string { return errBusy.Error() }

func (e *busyError) Is(target error) bool { return target == errBusy }

func busy(err error) error {
	e, ok := errors.AsType[*vfs.LockedError](err)
	if !ok {
		return &busyError{}
	}
	return &busyError{e.PID}
}
