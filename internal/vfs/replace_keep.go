package vfs

import (
	"errors"
	"io/fs"
	"math"
	"path/filepath"
)

// ReplaceKeep is [ReplaceFile] that keeps the version before as kept, by a
// second name or, where the file system has no such thing, as a copy; the first
// version is its own predecessor, in a file of its own. Whoever opens name
// finds the old content or the new, and once kept is there it stays, whole.
func ReplaceKeep(fsys FS, name, kept string, data []byte, perm fs.FileMode) error {
	temp, err := writeTemp(fsys, name, perm, whole(data), ours)
	if err != nil {
		return err
	}
	moves := []move{{temp, name}}
	switch _, err = fsys.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		var second string
		if second, err = writeTemp(fsys, kept, perm, whole(data), ours); err == nil {
			moves = append(moves, move{second, kept})
		}
	case err == nil:
		var second string
		// A full disk refuses the link here at the latest: nothing is renamed.
		if second, err = keepTemp(fsys, name, kept, perm); second != "" {
			moves = []move{{second, kept}, {temp, name}}
		}
	}
	if err != nil {
		return errors.Join(err, fsys.Remove(temp))
	}
	for i, m := range moves {
		if err := fsys.Rename(m.from, m.to); err != nil {
			return errors.Join(err, removeTemps(fsys, moves[i:]))
		}
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// move is a rename that is still to come.
type move struct{ from, to string }

func removeTemps(fsys FS, moves []move) (err error) {
	for _, m := range moves {
		err = errors.Join(err, fsys.Remove(m.from))
	}
	return err
}

// keepTemp makes a second name for name, to become kept by a rename: so there
// is no time without kept. It returns "" where they are one file already,
// because a crash came between the two renames, and one name of a file cannot
// be renamed to another.
func keepTemp(fsys FS, name, kept string, perm fs.FileMode) (temp string, err error) {
	info, err := fsys.Lstat(name)
	if err != nil {
		return "", err
	}
	old, err := fsys.Lstat(kept)
	if err == nil && old.Same(info) {
		return "", nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for n := range maxTemps {
		if n == 1 {
			if err := sweep(fsys, kept); err != nil {
				return "", err
			}
		}
		temp = tempName(kept, n)
		if err = fsys.Link(name, temp); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return copyTemp(fsys, name, kept, perm)
	}
	if err != nil {
		return "", err
	}
	return temp, nil
}

// copyTemp is for file systems without hard links, such as those of memory
// cards; some of them say that it is not permitted.
func copyTemp(fsys FS, name, kept string, perm fs.FileMode) (string, error) {
	data, err := ReadFile(fsys, name, math.MaxInt64)
	if err != nil {
		return "", err
	}
	return writeTemp(fsys, kept, perm, whole(data), ours)
}
