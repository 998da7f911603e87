package vfs

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockByte is the one byte that is locked, far beyond the end of any file:
// locks are mandatory here, and one on real bytes would stop readers.
var lockByte = windows.Overlapped{OffsetHigh: 1 << 30}

// osLock holds a lock through a handle of its own. A directory cannot be
// locked, so a file named lock inside of it stands for it.
type osLock struct {
	f    *osFile
	info Info
}

func (o osFS) Lock(name string) (Lock, error) {
	info, err := o.Stat(name)
	if err != nil {
		return nil, withOp(err, "lock")
	}
	f, err := openLock(name, info)
	if err != nil {
		return nil, withOp(err, "lock")
	}
	if !info.Mode.IsDir() {
		info, err = f.Stat()
	}
	if err == nil {
		err = f.control("lock", lockHandle)
	}
	if err != nil {
		f.Close()
		return nil, lockError(err, name)
	}
	return &osLock{f, info}, nil
}

func openLock(name string, info Info) (*osFile, error) {
	flag := os.O_RDONLY
	if info.Mode.IsDir() {
		name, flag = filepath.Join(name, "lock"), os.O_RDWR|os.O_CREATE
	}
	f, err := OS.Open(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return f.(*osFile), nil
}

func lockHandle(h windows.Handle) error {
	at := lockByte
	return windows.LockFileEx(h, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}

func lockError(err error, name string) error {
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return &LockedError{Path: name}
	}
	return err
}

func (l *osLock) Info() Info { return l.info }

// Close unlocks first: after a mere close the system may take its time.
func (l *osLock) Close() error {
	err := l.f.control("unlock", func(h windows.Handle) error {
		at := lockByte
		return windows.UnlockFileEx(h, 0, 1, 0, &at)
	})
	return errors.Join(err, l.f.Close())
}
