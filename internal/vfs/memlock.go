package vfs

import (
	"io/fs"
	"os"
)

// Lock implements [FS].
func (m *Mem) Lock(name string) (l Lock, err error) {
	busy := false
	err = m.do("lock", name, func() error {
		n, err := m.find(name)
		if err != nil {
			return err
		}
		if busy = m.locks[n]; !busy {
			m.locks[n] = true
			l = &memLock{m: m, node: n, name: name, info: n.info()}
		}
		return nil
	})
	if busy {
		return nil, &LockedError{Path: name, PID: os.Getpid()}
	}
	return l, err
}

// memLock is a lock of a node, whatever its names.
type memLock struct {
	m      *Mem
	node   *node
	name   string
	info   Info
	closed bool
}

func (l *memLock) Info() Info { return l.info }

func (l *memLock) Close() error {
	return l.m.do("unlock", l.name, func() error {
		if l.closed {
			return fs.ErrClosed
		}
		l.closed = true
		delete(l.m.locks, l.node)
		return nil
	})
}
