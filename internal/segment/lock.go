package segment

import (
	"errors"
	"io/fs"
	"slices"

	"example.com/jlq/internal/vfs"
)

// Locks are the locks that a writer holds. One writer can have a log under
// every name it goes by: the lock of the directory excludes those that come
// through the directory, those of the files excludes the ones that come to
// the same file as a bare file or under a second name.
type Locks struct {
	held []heldLock
}

type heldLock struct {
	name string
	lock vfs.Lock
}

// Take takes one more lock, at once or not at all, and makes sure that the
// name still denotes what was locked: between opening and locking the
// directory may have been renamed, the file replaced by an editor's save.
func (l *Locks) Take(fsys vfs.FS, name string) error {
	lock, err := fsys.Lock(name)
	if err != nil {
		return err
	}
	now, err := fsys.Stat(name)
	if err == nil && !now.Same(lock.Info()) {
		err = &fs.PathError{Op: "lock", Path: name, Err: ErrReplaced}
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	l.held = append(l.held, heldLock{name, lock})
	return nil
}

// Holds reports whether the name denotes one of the files that are locked:
// what was opened after locking is then what the lock is good for.
func (l *Locks) Holds(info vfs.Info) bool {
	for _, h := range l.held {
		if h.lock.Info().Same(info) {
			return true
		}
	}
	return false
}

// GiveUp gives up the lock that was taken under name, if one was.
func (l *Locks) GiveUp(name string) error {
	i := slices.IndexFunc(l.held, func(h heldLock) bool { return h.name == name })
	if i < 0 {
		return nil
	}
	lock := l.held[i].lock
	l.held = slices.Delete(l.held, i, i+1)
	return lock.Close()
}

// Release gives up all locks, the last taken first.
func (l *Locks) Release() error {
	var errs []error
	for i := len(l.held) - 1; i >= 0; i-- {
		errs = append(errs, l.held[i].lock.Close())
	}
	l.held = nil
	return errors.Join(errs...)
}
