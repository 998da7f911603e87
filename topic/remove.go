package topic

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// sweep removes what a deletion that was cut short left of deleted partitions:
// topic.json says that they are gone. One that somebody has locked, or where
// somebody put other files, is left to the next time.
func sweep(fsys vfs.FS, dir string, m *Meta) error {
	for _, i := range m.Deleted {
		path := PartitionPath(dir, i)
		_, err := fsys.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := sweepOne(fsys, path); err != nil && !errors.Is(err, vfs.ErrLocked) {
			return err
		}
	}
	return nil
}

func sweepOne(fsys vfs.FS, path string) error {
	var locks segment.Locks
	err := locks.Take(fsys, path)
	if err != nil {
		return err
	}
	strange, err := strangersIn(fsys, path)
	if err == nil && len(strange) == 0 {
		err = removeTree(fsys, path)
	}
	return errors.Join(err, locks.Release())
}

// removeTree removes a file, or a directory with all that is in it, and what
// is not there already. It goes through no symbolic link.
func removeTree(fsys vfs.FS, path string) error {
	info, err := fsys.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode.IsDir() {
		names, err := fsys.List(path)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := removeTree(fsys, filepath.Join(path, name)); err != nil {
				return err
			}
		}
	}
	if err := fsys.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// strangersIn are the files in a partition's directory that no partition has.
func strangersIn(fsys vfs.FS, path string) (strange []string, err error) {
	names, err := fsys.List(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, name := range names {
		if !ofPartition(name) {
			strange = append(strange, filepath.Join(path, name))
		}
	}
	return strange, err
}

// ofPartition reports whether a file of that name is one that jlq makes in a
// partition's directory: segments, what was set aside of them, what a crash
// left of a replacement, the lock of some systems.
func ofPartition(name string) bool {
	if segment.InPartition(name) || name == "lock" || strings.HasPrefix(name, segment.MetaName+".") {
		return true
	}
	const digits = 20
	return len(name) > digits && strings.Trim(name[:digits], "0123456789") == "" && name[digits] == '.'
}

// strangers are the files in a topic's directory that no topic has.
func strangers(fsys vfs.FS, dir string, m *Meta) (strange []string, err error) {
	names, err := fsys.List(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if n, ok := offsets.ParsePartition(name); ok && n < m.Partitions {
			more, err := strangersIn(fsys, filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			strange = append(strange, more...)
		} else if !ofTopic(name) {
			strange = append(strange, filepath.Join(dir, name))
		}
	}
	return strange, nil
}

// ofTopic reports whether a name beside the partitions is one that jlq makes.
func ofTopic(name string) bool {
	for _, own := range []string{segment.TopicName, offsetsName} {
		if name == own || strings.HasPrefix(name, own+".") {
			return true
		}
	}
	return name == "groups" || name == "dead"
}

const offsetsName = "offsets.json"

// removeRest removes what is left of a topic whose partitions are gone, its
// locks last: until topic.json is gone, the topic can be deleted again, and
// what is left then is what Create begins with.
func removeRest(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	late := []string{segment.TopicName, offsetsName + ".lock", segment.TopicLock}
	for _, name := range names {
		if name != late[0] && name != late[1] && name != late[2] {
			if err := removeTree(fsys, filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	if err := fsys.SyncDir(dir); err != nil {
		return err
	}
	for _, name := range late {
		if err := removeTree(fsys, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := fsys.Remove(dir); err != nil {
		return err
	}
	return fsys.SyncDir(vfs.Parent(dir))
}
