package offsets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"example.com/jlq/internal/vfs"
)

// maxBad bounds the search for a free name for a file that is set aside.
const maxBad = 10_000

// Update changes the file under its lock, durably. change gets what the file
// holds; where it returns an error, that is the result and nothing changes,
// and neither where it leaves everything as it was. New files have the
// permission perm; 0 means those of what is consumed.
//
// On any other error the file holds the old version, unless the directory
// could not be synced: then it holds the new one, and may hold the old again
// after a power loss.
func Update(fsys vfs.FS, p Place, perm fs.FileMode, change func(*File) error) (fallback *Fallback, err error) {
	perm, err = permission(fsys, p, perm)
	if err != nil {
		return nil, err
	}
	lock, err := takeLock(fsys, p, perm)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	s, err := load(fsys, p)
	if err != nil {
		return nil, err
	}
	if err := change(&s.file); err != nil {
		return s.fallback, err
	}
	return s.fallback, store(fsys, p, &s, perm)
}

// store puts the new version in place; what was there before and is no good
// is set aside first.
func store(fsys vfs.FS, p Place, s *state, perm fs.FileMode) error {
	data, err := encode(&s.file)
	if err != nil {
		return fmt.Errorf("%s: %w", p.File, err)
	}
	switch {
	case s.fallback != nil:
		if err := setAside(fsys, p, s.fallback); err != nil {
			return err
		}
		// .prev is the only good version until this is done, and stays.
		return vfs.ReplaceFile(fsys, p.File, data, perm)
	case bytes.Equal(data, s.data):
		// Whoever wrote it may have been killed, or have failed, before that
		// was on the disk.
		return fsys.SyncDir(p.Dir)
	}
	return vfs.ReplaceKeep(fsys, p.File, p.Prev(), data, perm)
}

// setAside moves the file that could not be used to a free name. Until the
// new version has its name, the next one finds it missing and .prev in place.
func setAside(fsys vfs.FS, p Place, f *Fallback) error {
	if errors.Is(f.Err, errNoFile) {
		return nil
	}
	bad, err := freeName(fsys, p.File+".bad")
	if err != nil {
		return err
	}
	if err := fsys.Rename(p.File, bad); err != nil {
		return err
	}
	f.Bad = bad
	return nil
}

func freeName(fsys vfs.FS, path string) (string, error) {
	name := path
	for n := 1; n <= maxBad; n++ {
		_, err := fsys.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		name = fmt.Sprintf("%s-%d", path, n)
	}
	return "", &fs.PathError{Op: "rename", Path: path, Err: fs.ErrExist}
}

// permission is that of the file that is replaced; else the one that was
// asked for, or that of what is consumed.
func permission(fsys vfs.FS, p Place, perm fs.FileMode) (fs.FileMode, error) {
	info, err := fsys.Lstat(p.File)
	if err == nil && info.Mode.IsRegular() {
		return info.Mode.Perm(), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if perm != 0 {
		return perm, nil
	}
	if info, err = fsys.Stat(p.Path); err != nil {
		return 0, err
	}
	return info.Mode.Perm()&0o666 | 0o600, nil
}
