package group

import (
	"errors"
	"io/fs"

	"example.com/jlq/internal/vfs"
)

// errMoved: what was locked is not what its name denotes any more.
var errMoved = errors.New("was replaced while it was being locked")

// lockNamed locks a file or directory that exists and makes sure that the next
// one who locks this name meets this lock.
func lockNamed(fsys vfs.FS, name string) (vfs.Lock, error) {
	l, err := fsys.Lock(name)
	if err != nil {
		return nil, err
	}
	if err := sameNamed(fsys, name, l); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// sameNamed returns nil where name denotes what l locks.
func sameNamed(fsys vfs.FS, name string, l vfs.Lock) error {
	now, err := fsys.Lstat(name)
	if err != nil {
		return err
	}
	if !now.Same(l.Info()) {
		return &fs.PathError{Op: "lock", Path: name, Err: errMoved}
	}
	return nil
}

// again makes directories and something in them, and makes them anew where who
// forgets the group removes them in between.
func again(do func() error) (err error) {
	for range maxNewMember {
		if err = do(); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// mkdirs makes the directories, each the parent of the next, where they are
// missing. They hold locks and nothing that has to survive, so they are not
// synced.
func mkdirs(fsys vfs.FS, perm fs.FileMode, dirs ...string) error {
	for _, dir := range dirs {
		if err := fsys.Mkdir(dir, perm); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
