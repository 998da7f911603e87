//go:build linux || darwin

package vfs

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// osLock holds a flock through a descriptor of its own, so that it ends when
// this is closed or the process dies, and never with somebody else's close.
type osLock struct {
	f    *osFile
	info Info
}

func (osFS) Lock(name string) (Lock, error) {
	file, err := openExisting(name, os.O_RDONLY)
	if err != nil {
		return nil, withOp(err, "lock")
	}
	f := file.(*osFile)
	info, err := f.Stat()
	if err == nil {
		err = f.control("lock", func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	}
	if err != nil {
		f.Close()
		return nil, lockError(err, name, info)
	}
	return &osLock{f, info}, nil
}

func lockError(err error, name string, info Info) error {
	if pe, ok := err.(*fs.PathError); ok && pe.Err == unix.EWOULDBLOCK {
		return &LockedError{Path: name, PID: lockHolder(info)}
	}
	return err
}

func (l *osLock) Info() Info { return l.info }

// Close unlocks before it closes: a process that is being started has copies
// of all descriptors until it executes its program, and with one of them the
// lock would live on for that long.
func (l *osLock) Close() error {
	unlocked := l.f.control("unlock", func(fd int) error { return unix.Flock(fd, unix.LOCK_UN) })
	return errors.Join(unlocked, l.f.Close())
}
