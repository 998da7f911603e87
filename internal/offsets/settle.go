package offsets

import (
	"bytes"
	"errors"
	"io/fs"

	"example.com/jlq/internal/vfs"
)

// Settle makes the version before a copy of the present one, for whoever stops
// committing: a file that is damaged while nobody consumes then costs nothing,
// instead of what the last commit added. Where the file cannot be used, it
// changes nothing.
func Settle(fsys vfs.FS, p Place) (err error) {
	perm, err := permission(fsys, p, 0)
	if err != nil {
		return err
	}
	lock, err := takeLock(fsys, p, perm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	s, err := load(fsys, p)
	if err != nil || s.data == nil {
		return err
	}
	settled, err := copied(fsys, p, s.data)
	if err != nil || settled {
		return err
	}
	return vfs.ReplaceFile(fsys, p.Prev(), s.data, perm)
}

// copied reports whether the version before holds data in a file of its own:
// one that is another name of the present one is damaged with it.
func copied(fsys vfs.FS, p Place, data []byte) (bool, error) {
	now, err := fsys.Lstat(p.File)
	if err != nil {
		return false, err
	}
	prev, err := fsys.Lstat(p.Prev())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || prev.Same(now) || prev.Size != int64(len(data)) {
		return false, err
	}
	old, err := vfs.ReadFile(fsys, p.Prev(), maxFileBytes)
	return bytes.Equal(old, data), err
}
