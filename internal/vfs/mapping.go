//go:build linux || darwin

package vfs

import (
	"errors"
	"io/fs"
	"runtime"

	"golang.org/x/exp/mmap"
)

// mapTries bounds the looking again when a name is being replaced.
const mapTries = 4

var errMoved = errors.New("file was replaced while it was being mapped")

var _ Mapper = osFS{}

// mapping is a mapped file. Nothing closes r: its finalizer unmaps, which
// cannot happen as long as a ReadAt keeps the mapping alive.
type mapping struct {
	r    *mmap.ReaderAt
	name string
	info Info
}

// Map maps by name, because that is how package mmap opens, and believes the
// result only when the name denoted one and the same file before and after.
func (o osFS) Map(name string) (Mapping, error) {
	for range mapTries {
		before, err := o.Stat(name)
		if err != nil {
			return nil, withOp(err, "map")
		}
		if !before.Mode.IsRegular() {
			return nil, &fs.PathError{Op: "map", Path: name, Err: ErrNotRegular}
		}
		r, err := mmap.Open(name)
		if err != nil {
			return nil, mapError(name, err)
		}
		after, err := o.Stat(name)
		if err == nil && after.Same(before) {
			return &mapping{r, name, after}, nil
		}
		r.Close()
	}
	return nil, &fs.PathError{Op: "map", Path: name, Err: errMoved}
}

// mapError makes a bare error of mmap(2) a path error.
func mapError(name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return &fs.PathError{Op: "map", Path: name, Err: err}
}

// ReadAt implements [Mapping].
func (m *mapping) ReadAt(p []byte, off int64) (n int, err error) {
	var fault bool
	n, err = m.guardedCopy(p, off, &fault)
	if fault {
		return 0, &fs.PathError{Op: "read", Path: m.name, Err: ErrMapFault}
	}
	return n, err
}

func (m *mapping) guardedCopy(p []byte, off int64, fault *bool) (int, error) {
	defer Unguard(Guard(), fault)
	return m.Copy(p, off)
}

// Copy implements [Mapping].
func (m *mapping) Copy(p []byte, off int64) (int, error) {
	n, err := m.r.ReadAt(p, off)
	runtime.KeepAlive(m) // or the finalizer could unmap what is being copied
	return n, err
}

// At implements [Mapping].
func (m *mapping) At(off int64) byte {
	b := m.r.At(int(off))
	runtime.KeepAlive(m)
	return b
}

func (m *mapping) Len() int64 { return int64(m.r.Len()) }

func (m *mapping) Info() Info { return m.info }
