package topic

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// ErrNotEmpty: a directory holds files that no topic left there.
var ErrNotEmpty = errors.New("holds other files, and does not become a topic")

// Create makes a topic of so many partitions in dir, which does not exist or
// is empty. Where there is a topic the error matches [ErrExists].
//
// Crash table, by the step before which the power fails:
//
//	directory, topic.json.lock   nothing is there, or an empty directory
//	partitions, empty            no topic: opening says so, and Create again makes it
//	topic.json                   the same; from here on it is a topic, of which
//	                             every partition's directory is on the disk
//	sync of the directory above  the topic is there as a whole, or not at all
func Create(dir string, partitions int, opts *Options) error {
	o := opts.withDefaults()
	m := Meta{Name: o.Name, Partitions: partitions}
	if m.Name == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		m.Name = filepath.Base(abs)
	}
	if err := m.check(); err != nil {
		return &fs.PathError{Op: "create", Path: dir, Err: err}
	}
	if err := refuseNetwork(dir, &o); err != nil {
		return err
	}
	return create(dir, m, &o)
}

func create(dir string, m Meta, o *Options) error {
	fsys := o.fs()
	err := fsys.Mkdir(dir, o.dirPerm())
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// A lock is not put among the files of others.
	if err := refuseUsed(fsys, dir); err != nil {
		return undo(fsys, dir, made, err)
	}
	locks, err := lockTopic(fsys, dir, o.filePerm())
	if err == nil {
		err = fill(dir, m, o)
	}
	return errors.Join(undo(fsys, dir, made, err), locks.Release())
}

// fill makes what a topic is, topic.json last. The lock is held.
func fill(dir string, m Meta, o *Options) error {
	fsys := o.fs()
	if err := refuseUsed(fsys, dir); err != nil {
		return err // another process made it first
	}
	if err := makePartitions(o, dir, 0, m.Partitions, o.dirPerm()); err != nil {
		return err
	}
	if err := writeMeta(fsys, dir, m, o.filePerm()); err != nil {
		return err
	}
	return vfs.SyncParent(fsys, dir)
}

// makePartitions makes the partitions from up to to, durably: topic.json must
// not name one that a power loss takes away. Each is an empty log, so that it
// can be read before it is written to.
func makePartitions(o *Options, dir string, from, to int, perm fs.FileMode) error {
	for i := from; i < to; i++ {
		path := PartitionPath(dir, i)
		if err := o.fs().Mkdir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Opening makes the name of a new directory durable, too.
		p, err := partition.Open(path, &partition.Options{Mode: o.filePerm(), FS: o.fs(), AllowNetwork: o.Partition.AllowNetwork})
		if err == nil {
			err = p.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refuseUsed returns nil where dir holds nothing but what a Create that was
// cut short left.
func refuseUsed(fsys vfs.FS, dir string) error {
	_, err := ReadMeta(fsys, dir)
	switch {
	case err == nil:
		return &fs.PathError{Op: "create", Path: dir, Err: ErrExists}
	case !errors.Is(err, ErrNotTopic) && !errors.Is(err, segment.ErrTopicLost):
		return err
	}
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		ok, err := leftOver(fsys, dir, name)
		if err != nil {
			return err
		}
		if !ok {
			return &fs.PathError{Op: "create", Path: dir, Err: fmt.Errorf("%w: %s", ErrNotEmpty, name)}
		}
	}
	return nil
}

// leftOver reports whether a name is one that Create or AddPartitions makes
// before topic.json, or that Delete removes after it.
func leftOver(fsys vfs.FS, dir, name string) (bool, error) {
	if name == segment.TopicLock || name == offsetsName+".lock" || strings.HasPrefix(name, segment.TopicName+".tmp") {
		return true, nil
	}
	if _, ok := offsets.ParsePartition(name); !ok {
		return false, nil
	}
	return blank(fsys, filepath.Join(dir, name))
}

// blank reports whether path is the directory of a partition that never held
// anything, as far as it was made.
func blank(fsys vfs.FS, path string) (bool, error) {
	info, err := fsys.Lstat(path)
	if err != nil || !info.Mode.IsDir() {
		return false, err
	}
	names, err := fsys.List(path)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		info, err := fsys.Lstat(filepath.Join(path, name))
		if err != nil {
			return false, err
		}
		records := filepath.Ext(name) == ".jsonl" && info.Size > 0
		if records || !ofPartition(name) || strings.Contains(name, ".torn-") {
			return false, nil
		}
	}
	return true, nil
}

// undo removes what a Create made that failed.
func undo(fsys vfs.FS, dir string, made bool, err error) error {
	if err == nil || !made {
		return err
	}
	return errors.Join(err, takeBack(fsys, dir))
}

// takeBack removes a directory that Create made, unless topic.json has come to
// be there: then it is a topic.
func takeBack(fsys vfs.FS, dir string) error {
	if _, err := fsys.Lstat(filepath.Join(dir, segment.TopicName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if ok, err := leftOver(fsys, dir, name); err != nil || !ok {
			return err
		}
		if err := removeTree(fsys, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return fsys.Remove(dir)
}

func refuseNetwork(dir string, o *Options) error {
	n, ok := o.fs().(vfs.Networker)
	if !ok || o.Partition.AllowNetwork {
		return nil
	}
	kind, err := n.Network(vfs.Parent(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // whoever makes the topic there says so in better words
	}
	if err == nil && kind != "" {
		err = &fs.PathError{Op: "create", Path: dir, Err: fmt.Errorf("%w (%s)", partition.ErrNetwork, kind)}
	}
	return err
}
