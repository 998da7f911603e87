package topic

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

const (
	// lockWait is how long a change waits for another one: each takes moments.
	lockWait = 10 * time.Second
	lockPoll = 5 * time.Millisecond
)

// lockTopic takes the lock under which topic.json changes. Its file is made
// where it is missing and removed with the topic only, so that all lock the
// same one. The locks are never nil.
func lockTopic(fsys vfs.FS, dir string, perm fs.FileMode) (*segment.Locks, error) {
	locks := &segment.Locks{}
	path := filepath.Join(dir, segment.TopicLock)
	f, err := fsys.Open(path, os.O_RDONLY|os.O_CREATE, perm)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return locks, err
	}
	return locks, takeWithin(locks, fsys, path, time.Now().Add(lockWait))
}

// takeWithin takes one more lock and waits for it until end.
func takeWithin(locks *segment.Locks, fsys vfs.FS, path string, end time.Time) error {
	for {
		err := locks.Take(fsys, path)
		if !errors.Is(err, vfs.ErrLocked) || !time.Now().Before(end) {
			return err
		}
		time.Sleep(lockPoll)
	}
}

// settle returns what topic.json says, and makes sure that it goes on saying so:
// whoever changed it last may have been killed before that was on the disk, and
// from here on somebody relies on it. Then it does what a deletion that was cut
// short left to do. The caller holds the lock.
func settle(fsys vfs.FS, dir string) (Meta, error) {
	m, err := ReadMeta(fsys, dir)
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err != nil {
		return Meta{}, err
	}
	return m, sweep(fsys, dir, &m)
}

// change changes the topic.json of dir, under its lock: do gets what is there,
// and where it returns nil, what it made of that is written, durably.
func change(dir string, o *Options, do func(*Meta) error) (m Meta, err error) {
	fsys := o.fs()
	if _, err := ReadMeta(fsys, dir); err != nil {
		return Meta{}, err // nothing is made in what is no topic
	}
	locks, err := lockTopic(fsys, dir, o.filePerm())
	if err != nil {
		return Meta{}, err
	}
	defer func() { err = errors.Join(err, locks.Release()) }()
	was, err := settle(fsys, dir)
	if err != nil {
		return was, err
	}
	m = was.clone()
	if err := do(&m); err != nil {
		return was, err
	}
	if m.equal(&was) {
		return was, nil
	}
	if err := m.check(); err != nil {
		return was, &fs.PathError{Op: "change", Path: filepath.Join(dir, segment.TopicName), Err: err}
	}
	return m, writeMeta(fsys, dir, m, o.filePerm())
}
