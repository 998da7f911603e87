package offsets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"example.com/jlq/internal/vfs"
)

// lockWait bounds the waiting for the lock, which is held for milliseconds.
const lockWait = 10 * time.Second

// takeLock takes the lock of the file, waiting for it.
func takeLock(fsys vfs.FS, p Place, perm fs.FileMode) (vfs.Lock, error) {
	pause := time.Millisecond
	for end := time.Now().Add(lockWait); ; {
		l, err := tryLock(fsys, p.Lock, perm)
		if err == nil && l != nil {
			return l, nil
		}
		if err != nil && !errors.Is(err, vfs.ErrLocked) {
			return nil, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("waited %v: %w; it is held for milliseconds, so that process is stopped or hangs: have it go on, or end it", lockWait, lockedOr(err, p.Lock))
		}
		time.Sleep(pause)
		pause = min(2*pause, 16*time.Millisecond)
	}
}

func lockedOr(err error, path string) error {
	if err == nil {
		return &vfs.LockedError{Path: path}
	}
	return err
}

// tryLock returns no lock and no error where somebody removed the file while
// it was being locked: then another process may lock a new one.
func tryLock(fsys vfs.FS, path string, perm fs.FileMode) (vfs.Lock, error) {
	l, err := fsys.Lock(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeLock(fsys, path, perm); err != nil {
			return nil, err
		}
		l, err = fsys.Lock(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	now, err := fsys.Stat(path)
	if err == nil && now.Same(l.Info()) {
		return l, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, errors.Join(err, l.Close())
}

// makeLock makes the file; its name need not survive a power loss, which ends
// every lock.
func makeLock(fsys vfs.FS, path string, perm fs.FileMode) error {
	f, err := fsys.Open(path, os.O_RDWR|os.O_CREATE, perm)
	if err != nil {
		return err
	}
	return f.Close()
}
