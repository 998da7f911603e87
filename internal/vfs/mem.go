package vfs

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrCrashed is returned by a [Mem] that has crashed, by its files and its
// locks, and by the hook of [CrashAt].
var ErrCrashed = errors.New("file system has crashed")

// Mem is a file system in memory that remembers what would survive a power
// loss: of a file the bytes as of its last Sync, of a directory the names as
// of its last SyncDir. [Mem.Crash] and [Mem.Kill] continue from there. It has
// no symbolic links. It is safe for concurrent use.
type Mem struct {
	mu    sync.Mutex
	root  *node
	last  uint64       // inode number given last
	names []nameChange // not yet synced, in order
	locks map[*node]bool
	dead  bool
}

// node is a file or, with entries, a directory.
type node struct {
	ino     uint64
	mode    fs.FileMode
	modTime time.Time
	links   uint64
	label   string // lost by no crash: it is what is trusted too much, if anything

	data    []byte   // as processes see it
	synced  []byte   // as the disk has it for certain
	pending []change // leads from synced to data

	entries map[string]*node // as processes see them
	durable map[string]*node // as the disk has them for certain
}

// nameChange is on the disk as a whole or not at all, as in a journal: the
// two halves of a rename do not part.
type nameChange []entry

// entry is a name and what it denotes, nil for nothing.
type entry struct {
	dir  *node
	name string
	node *node
}

// NewMem returns a file system that holds nothing but its root directory.
func NewMem() *Mem {
	m := &Mem{locks: map[*node]bool{}}
	m.root = m.newNode(fs.ModeDir | 0o700)
	return m
}

func (m *Mem) newNode(mode fs.FileMode) *node {
	m.last++
	n := &node{ino: m.last, mode: mode, modTime: time.Now(), links: 1}
	if mode.IsDir() {
		n.entries, n.durable = map[string]*node{}, map[string]*node{}
	}
	return n
}

// do runs one operation under the lock and makes its error a path error.
func (m *Mem) do(op, name string, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := ErrCrashed
	if !m.dead {
		err = f()
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func clean(name string) string { return path.Clean("/" + filepath.ToSlash(name)) }

// parent returns the directory that a name is in, and its last element.
func (m *Mem) parent(name string) (*node, string, error) {
	if name == "" {
		return nil, "", syscall.ENOENT
	}
	dir, base := path.Split(clean(name))
	n := m.root
	for elem := range strings.FieldsFuncSeq(dir, func(r rune) bool { return r == '/' }) {
		if n.entries == nil {
			return nil, "", syscall.ENOTDIR
		}
		if n = n.entries[elem]; n == nil {
			return nil, "", syscall.ENOENT
		}
	}
	if n.entries == nil {
		return nil, "", syscall.ENOTDIR
	}
	return n, base, nil
}

func (m *Mem) find(name string) (*node, error) {
	dir, base, err := m.parent(name)
	if err != nil || base == "" {
		return dir, err
	}
	n := dir.entries[base]
	if n == nil {
		return nil, syscall.ENOENT
	}
	return n, nil
}

// absent returns where a name can be made, if it does not exist.
func (m *Mem) absent(name string) (*node, string, error) {
	dir, base, err := m.parent(name)
	if err == nil && (base == "" || dir.entries[base] != nil) {
		err = syscall.EEXIST
	}
	return dir, base, err
}

// set changes names for the processes; the disk learns of it by SyncDir.
func (m *Mem) set(c ...entry) {
	for _, e := range c {
		e.apply(e.dir.entries)
		e.dir.modTime = time.Now()
	}
	m.names = append(m.names, c)
}

func (e entry) apply(names map[string]*node) {
	if e.node == nil {
		delete(names, e.name)
	} else {
		names[e.name] = e.node
	}
}

// makeDurable puts a change into the directories as the disk has them.
func (c nameChange) makeDurable() {
	for _, e := range c {
		e.apply(e.dir.durable)
	}
}

func (c nameChange) touches(dir *node) bool {
	return slices.ContainsFunc(c, func(e entry) bool { return e.dir == dir })
}

// Mkdir implements [FS].
func (m *Mem) Mkdir(name string, perm fs.FileMode) error {
	return m.do("mkdir", name, func() error {
		dir, base, err := m.absent(name)
		if err == nil {
			m.set(entry{dir, base, m.newNode(fs.ModeDir | perm.Perm())})
		}
		return err
	})
}

// Remove implements [FS]. A file goes on for those who have it open.
func (m *Mem) Remove(name string) error {
	return m.do("remove", name, func() error {
		n, err := m.find(name)
		if err != nil {
			return err
		}
		dir, base, _ := m.parent(name)
		if base == "" {
			return syscall.EINVAL
		}
		if len(n.entries) > 0 {
			return syscall.ENOTEMPTY
		}
		m.set(entry{dir, base, nil})
		n.links--
		return nil
	})
}

// Rename implements [FS].
func (m *Mem) Rename(oldname, newname string) error {
	err := m.do("rename", oldname, func() error { return m.rename(oldname, newname) })
	if pe, ok := err.(*fs.PathError); ok {
		return twoNames("rename", oldname, newname, pe.Err)
	}
	return nil
}

func (m *Mem) rename(oldname, newname string) error {
	from, oldbase, err := m.parent(oldname)
	if err != nil {
		return err
	}
	to, newbase, err := m.parent(newname)
	if err != nil {
		return err
	}
	n, there := from.entries[oldbase], to.entries[newbase]
	switch {
	case n == nil:
		return syscall.ENOENT
	case newbase == "" || there != nil && there.entries != nil:
		return syscall.EEXIST
	case there == n:
		return nil // two names of one file both stay
	case strings.HasPrefix(clean(newname), clean(oldname)+"/"):
		return syscall.EINVAL
	case there != nil && n.entries != nil:
		return syscall.ENOTDIR
	}
	if there != nil {
		there.links--
	}
	m.set(entry{to, newbase, n}, entry{from, oldbase, nil})
	return nil
}

// Link implements [FS].
func (m *Mem) Link(oldname, newname string) error {
	err := m.do("link", oldname, func() error {
		n, err := m.find(oldname)
		if err != nil {
			return err
		}
		dir, base, err := m.absent(newname)
		if err != nil {
			return err
		}
		if n.entries != nil {
			return syscall.EPERM
		}
		n.links++
		m.set(entry{dir, base, n})
		return nil
	})
	if pe, ok := err.(*fs.PathError); ok {
		return twoNames("link", oldname, newname, pe.Err)
	}
	return nil
}

// Stat implements [FS].
func (m *Mem) Stat(name string) (info Info, err error) {
	err = m.do("stat", name, func() error {
		n, err := m.find(name)
		if err == nil {
			info = n.info()
		}
		return err
	})
	return info, err
}

// Lstat implements [FS].
func (m *Mem) Lstat(name string) (Info, error) { return m.Stat(name) }

func (n *node) info() Info {
	return Info{
		Size: int64(len(n.data)), Mode: n.mode, ModTime: n.modTime,
		Dev: 1, Ino: n.ino, Links: n.links,
	}
}

// List implements [FS].
func (m *Mem) List(dir string) (names []string, err error) {
	err = m.do("list", dir, func() error {
		n, err := m.findDir(dir)
		if err == nil {
			names = slices.Sorted(maps.Keys(n.entries))
		}
		return err
	})
	return names, err
}

func (m *Mem) findDir(name string) (*node, error) {
	n, err := m.find(name)
	if err == nil && n.entries == nil {
		err = syscall.ENOTDIR
	}
	return n, err
}

// SyncDir implements [FS].
func (m *Mem) SyncDir(dir string) error {
	return m.do("syncdir", dir, func() error {
		n, err := m.findDir(dir)
		if err != nil {
			return err
		}
		m.names = slices.DeleteFunc(m.names, func(c nameChange) bool {
			if !c.touches(n) {
				return false
			}
			c.makeDurable()
			return true
		})
		return nil
	})
}
