package offsets

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"example.com/jlq/internal/vfs"
)

// Hold says that a group still needs the records of a partition from Next on.
type Hold struct {
	Group string
	Next  uint64
}

// Holds returns the holds of all groups on a partition, for whoever is about to
// drop records, and keeps the lock until release is called: until then no
// commit and no reset changes them. Where no group was ever registered, that
// costs two looks at a directory and locks nothing; release is never nil.
func Holds(fsys vfs.FS, p Place, partition int) (holds []Hold, release func() error, err error) {
	release = func() error { return nil }
	if none, err := noGroups(fsys, p); none || err != nil {
		return nil, release, err
	}
	perm, err := permission(fsys, p, 0)
	if err != nil {
		return nil, release, err
	}
	lock, err := takeLock(fsys, p, perm)
	if err != nil {
		return nil, release, err
	}
	holds, err = Peek(fsys, p, partition)
	if err != nil {
		return nil, release, errors.Join(err, lock.Close())
	}
	return holds, lock.Close, nil
}

// Peek is Holds without the lock: what it returns may change at once.
func Peek(fsys vfs.FS, p Place, partition int) ([]Hold, error) {
	f, _, err := Read(fsys, p)
	if err != nil {
		return nil, err
	}
	var holds []Hold
	for _, group := range slices.Sorted(maps.Keys(f.Groups)) {
		// A registered group without an entry has consumed nothing.
		e := f.Groups[group][p.Key(partition)]
		holds = append(holds, Hold{Group: group, Next: e.Next})
	}
	return holds, nil
}

// noGroups reports whether no group was ever registered.
func noGroups(fsys vfs.FS, p Place) (bool, error) {
	for _, path := range []string{p.File, p.Prev(), p.Groups} {
		_, err := fsys.Lstat(path)
		if err == nil {
			return false, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, nil
}
