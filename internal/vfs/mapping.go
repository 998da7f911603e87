//go:build linux || darwin

package vfs

import (
	"errors"
	"io/fs"
	"runtime"
	"runtime/debug"

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

// ReadAt turns the fault of a page that is no longer in the file, which
// would end the process, into an error.
func (m *mapping) ReadAt(p []byte, off int64) (n int, err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			n, err = 0, m.fault(r)
		}
	}()
	n, err = m.r.ReadAt(p, off)
	runtime.KeepAlive(m) // or the finalizer could unmap what is being copied
	return n, err
}

// fault is the error for a memory fault; any other panic goes on.
func (m *mapping) fault(r any) error {
	if e, ok := r.(runtime.Error); ok {
		if _, ok := e.(interface{ Addr() uintptr }); ok {
			return &fs.PathError{Op: "read", Path: m.name, Err: ErrMapFault}
		}
	}
	panic(r)
}

func (m *mapping) Len() int64 { return int64(m.r.Len()) }

func (m *mapping) Info() Info { return m.info }
