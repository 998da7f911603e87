package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"
)

var errNegative = errors.New("negative position")

// change is one write, or one cut to the size off, since the last Sync.
type change struct {
	off  int64
	data []byte // never changed
	cut  bool
}

func (c change) end() int64 { return c.off + int64(len(c.data)) }

func (c change) apply(b []byte) []byte {
	if c.cut {
		return resize(b, c.off)
	}
	if c.end() > int64(len(b)) {
		b = resize(b, c.end())
	}
	copy(b[c.off:], c.data)
	return b
}

// resize cuts b, or extends it by NUL bytes.
func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size]
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

func (n *node) change(c change) {
	n.data = c.apply(n.data)
	n.pending = append(n.pending, c)
	n.modTime = time.Now()
}

func (n *node) sync() {
	for _, c := range n.pending {
		n.synced = c.apply(n.synced)
	}
	n.pending = nil
}

// memFile is an open file of a [Mem].
type memFile struct {
	m      *Mem
	node   *node
	name   string
	flag   int
	closed bool
}

// Open implements [FS].
func (m *Mem) Open(name string, flag int, perm fs.FileMode) (f File, err error) {
	err = m.do("open", name, func() error {
		n, err := m.open(name, flag, perm)
		if err == nil {
			f = &memFile{m: m, node: n, name: name, flag: flag}
		}
		return err
	})
	return f, err
}

func (m *Mem) open(name string, flag int, perm fs.FileMode) (*node, error) {
	n, err := m.find(name)
	if err == syscall.ENOENT && flag&os.O_CREATE != 0 {
		return m.create(name, perm)
	}
	if err != nil {
		return nil, err
	}
	write := flag&(os.O_WRONLY|os.O_RDWR) != 0
	switch {
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, syscall.EEXIST
	case n.entries != nil && write:
		return nil, syscall.EISDIR
	case write && n.mode&0o200 == 0, flag&os.O_WRONLY == 0 && n.mode&0o400 == 0:
		return nil, syscall.EACCES
	}
	if write && flag&os.O_TRUNC != 0 {
		n.change(change{cut: true})
	}
	return n, nil
}

func (m *Mem) create(name string, perm fs.FileMode) (*node, error) {
	dir, base, err := m.parent(name)
	if err != nil {
		return nil, err
	}
	n := m.newNode(perm.Perm())
	m.set(entry{dir, base, n})
	return n, nil
}

func (f *memFile) do(op string, call func() error) error {
	return f.m.do(op, f.name, func() error {
		if f.closed {
			return fs.ErrClosed
		}
		return call()
	})
}

func (f *memFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.do("read", func() error {
		switch {
		case f.flag&os.O_WRONLY != 0:
			return syscall.EBADF
		case f.node.entries != nil:
			return syscall.EISDIR
		case off < 0:
			return errNegative
		}
		n = copy(p, f.node.data[min(off, int64(len(f.node.data))):])
		return nil
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	return f.write("writeat", p, func() (int64, error) {
		switch {
		case f.flag&os.O_APPEND != 0:
			return 0, errAppend
		case off < 0:
			return 0, errNegative
		}
		return off, nil
	})
}

func (f *memFile) Write(p []byte) (int, error) {
	return f.write("write", p, func() (int64, error) {
		if f.flag&os.O_APPEND == 0 {
			return 0, errNoAppend
		}
		return int64(len(f.node.data)), nil
	})
}

func (f *memFile) write(op string, p []byte, at func() (int64, error)) (int, error) {
	err := f.do(op, func() error {
		off, err := at()
		if err == nil && !f.writable() {
			err = syscall.EBADF
		}
		if err == nil && len(p) > 0 {
			f.node.change(change{off: off, data: slices.Clone(p)})
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *memFile) writable() bool { return f.flag&(os.O_WRONLY|os.O_RDWR) != 0 }

func (f *memFile) Truncate(size int64) error {
	return f.do("truncate", func() error {
		if !f.writable() || size < 0 {
			return syscall.EINVAL
		}
		f.node.change(change{off: size, cut: true})
		return nil
	})
}

func (f *memFile) Sync() error {
	return f.do("sync", func() error {
		f.node.sync()
		return nil
	})
}

func (f *memFile) Stat() (info Info, err error) {
	err = f.do("stat", func() error {
		info = f.node.info()
		return nil
	})
	return info, err
}

// Label implements [Labeler].
func (f *memFile) Label() (text string, err error) {
	err = f.do("label", func() error {
		text = f.node.label
		return nil
	})
	return text, err
}

// SetLabel implements [Labeler].
func (f *memFile) SetLabel(text string) error {
	return f.do("label", func() error {
		f.node.label = text
		return nil
	})
}

func (f *memFile) Name() string { return f.name }

func (f *memFile) Close() error {
	return f.do("close", func() error {
		f.closed = true
		return nil
	})
}
