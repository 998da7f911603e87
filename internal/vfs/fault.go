package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

// OpKind is a kind of operation.
type OpKind int

// The kinds of operations; stat is both of a name and of an open file, and the
// reading of a label; close is also of a lock.
const (
	OpOpen OpKind = iota
	OpWrite
	OpWriteAt
	OpReadAt
	OpTruncate
	OpSync
	OpSyncDir
	OpRename
	OpRemove
	OpLink
	OpMkdir
	OpStat
	OpLock
	OpList
	OpClose
	OpLabel
)

var opNames = [...]string{
	"open", "write", "writeat", "readat", "truncate", "sync", "syncdir",
	"rename", "remove", "link", "mkdir", "stat", "lock", "list", "close", "label",
}

// String names the kind as errors do.
func (k OpKind) String() string {
	if k < 0 || int(k) >= len(opNames) {
		return fmt.Sprintf("op(%d)", int(k))
	}
	return opNames[k]
}

// Changes reports whether an operation of this kind can change what a crash
// leaves; before any other, a crash leaves what it leaves before the next.
func (k OpKind) Changes() bool {
	return !slices.Contains([]OpKind{OpReadAt, OpStat, OpLock, OpList, OpClose}, k)
}

// Op is one operation.
type Op struct {
	N    int // its number, from 1
	Kind OpKind
	Path string
	To   string // the new name, of a rename or a link
	Off  int64  // the position, or the new size of a truncate
	Size int    // bytes to read or write
}

// ShortWrite is an injected error that lets the first N bytes of a write
// reach the file and then fails with Err.
type ShortWrite struct {
	N   int
	Err error
}

// Error implements error.
func (e ShortWrite) Error() string { return fmt.Sprintf("short write of %d bytes: %v", e.N, e.Err) }

// Unwrap returns Err.
func (e ShortWrite) Unwrap() error { return e.Err }

// CrashAt returns a hook for [NewFault] that fails the n-th operation, from
// 1, and all that follow with [ErrCrashed].
func CrashAt(n int) func(Op) error {
	return func(op Op) error {
		if op.N >= n {
			return ErrCrashed
		}
		return nil
	}
}

// Fault passes operations on to another file system and lets a hook fail
// them. It remembers them all. It is neither a [Mapper] nor a [Networker], so
// that nothing goes past the hook.
type Fault struct {
	fs   FS
	hook func(Op) error
	mu   sync.Mutex
	ops  []Op
}

// NewFault wraps fs. The hook, if not nil, is called before each operation,
// by the goroutine that does it; an error from it is returned and the
// operation does not happen, except for a [ShortWrite], and for a close,
// which happens all the same.
func NewFault(fs FS, hook func(Op) error) *Fault { return &Fault{fs: fs, hook: hook} }

// Ops returns the operations so far.
func (f *Fault) Ops() []Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ops)
}

// before records an operation and asks the hook.
func (f *Fault) before(op Op) error {
	f.mu.Lock()
	op.N = len(f.ops) + 1
	f.ops = append(f.ops, op)
	f.mu.Unlock()
	if f.hook == nil {
		return nil
	}
	err := f.hook(op)
	if _, ok := errors.AsType[*fs.PathError](err); ok || err == nil {
		return err
	}
	return &fs.PathError{Op: op.Kind.String(), Path: op.Path, Err: err}
}

// run does an operation that returns only an error.
func (f *Fault) run(op Op, do func() error) error {
	if err := f.before(op); err != nil {
		return err
	}
	return do()
}

// get does an operation that returns a value.
func get[T any](f *Fault, op Op, do func() (T, error)) (v T, err error) {
	if err := f.before(op); err != nil {
		return v, err
	}
	return do()
}

// Open implements [FS].
func (f *Fault) Open(name string, flag int, perm fs.FileMode) (File, error) {
	return get(f, Op{Kind: OpOpen, Path: name}, func() (File, error) {
		file, err := f.fs.Open(name, flag, perm)
		if err != nil {
			return nil, err
		}
		return &faultFile{File: file, f: f}, nil
	})
}

// Mkdir implements [FS].
func (f *Fault) Mkdir(name string, perm fs.FileMode) error {
	return f.run(Op{Kind: OpMkdir, Path: name}, func() error { return f.fs.Mkdir(name, perm) })
}

// Remove implements [FS].
func (f *Fault) Remove(name string) error {
	return f.run(Op{Kind: OpRemove, Path: name}, func() error { return f.fs.Remove(name) })
}

// Rename implements [FS].
func (f *Fault) Rename(oldname, newname string) error {
	return f.run(Op{Kind: OpRename, Path: oldname, To: newname},
		func() error { return f.fs.Rename(oldname, newname) })
}

// Link implements [FS].
func (f *Fault) Link(oldname, newname string) error {
	return f.run(Op{Kind: OpLink, Path: oldname, To: newname},
		func() error { return f.fs.Link(oldname, newname) })
}

// Stat implements [FS].
func (f *Fault) Stat(name string) (Info, error) {
	return get(f, Op{Kind: OpStat, Path: name}, func() (Info, error) { return f.fs.Stat(name) })
}

// Lstat implements [FS].
func (f *Fault) Lstat(name string) (Info, error) {
	return get(f, Op{Kind: OpStat, Path: name}, func() (Info, error) { return f.fs.Lstat(name) })
}

// List implements [FS].
func (f *Fault) List(dir string) ([]string, error) {
	return get(f, Op{Kind: OpList, Path: dir}, func() ([]string, error) { return f.fs.List(dir) })
}

// SyncDir implements [FS].
func (f *Fault) SyncDir(dir string) error {
	return f.run(Op{Kind: OpSyncDir, Path: dir}, func() error { return f.fs.SyncDir(dir) })
}

// Lock implements [FS].
func (f *Fault) Lock(name string) (Lock, error) {
	return get(f, Op{Kind: OpLock, Path: name}, func() (Lock, error) {
		l, err := f.fs.Lock(name)
		if err != nil {
			return nil, err
		}
		return &faultLock{l, f, name}, nil
	})
}

// close closes in any case: an injected error must not leak what is open.
func (f *Fault) close(path string, do func() error) error {
	err := f.before(Op{Kind: OpClose, Path: path})
	if cerr := do(); err == nil {
		err = cerr
	}
	return err
}

type faultLock struct {
	Lock
	f    *Fault
	name string
}

func (l *faultLock) Close() error { return l.f.close(l.name, l.Lock.Close) }

// faultFile is an open file of a [Fault].
type faultFile struct {
	File
	f *Fault
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	return get(f.f, Op{Kind: OpReadAt, Path: f.Name(), Off: off, Size: len(p)},
		func() (int, error) { return f.File.ReadAt(p, off) })
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	return f.write(Op{Kind: OpWriteAt, Path: f.Name(), Off: off, Size: len(p)}, p,
		func(p []byte) (int, error) { return f.File.WriteAt(p, off) })
}

func (f *faultFile) Write(p []byte) (int, error) {
	return f.write(Op{Kind: OpWrite, Path: f.Name(), Size: len(p)}, p, f.File.Write)
}

func (f *faultFile) write(op Op, p []byte, do func([]byte) (int, error)) (int, error) {
	err := f.f.before(op)
	short, ok := errors.AsType[ShortWrite](err)
	switch {
	case err == nil:
		return do(p)
	case !ok:
		return 0, err
	}
	n, werr := do(p[:max(0, min(short.N, len(p)))])
	if werr != nil {
		return n, werr
	}
	return n, &fs.PathError{Op: op.Kind.String(), Path: op.Path, Err: short.Err}
}

func (f *faultFile) Truncate(size int64) error {
	return f.f.run(Op{Kind: OpTruncate, Path: f.Name(), Off: size}, func() error { return f.File.Truncate(size) })
}

func (f *faultFile) Sync() error { return f.f.run(Op{Kind: OpSync, Path: f.Name()}, f.File.Sync) }

func (f *faultFile) Stat() (Info, error) {
	return get(f.f, Op{Kind: OpStat, Path: f.Name()}, f.File.Stat)
}

// Label implements [Labeler].
func (f *faultFile) Label() (string, error) {
	return get(f.f, Op{Kind: OpStat, Path: f.Name()}, func() (string, error) {
		if l, ok := f.File.(Labeler); ok {
			return l.Label()
		}
		return "", f.noLabels()
	})
}

// SetLabel implements [Labeler].
func (f *faultFile) SetLabel(text string) error {
	return f.f.run(Op{Kind: OpLabel, Path: f.Name(), Size: len(text)}, func() error {
		if l, ok := f.File.(Labeler); ok {
			return l.SetLabel(text)
		}
		return f.noLabels()
	})
}

func (f *faultFile) noLabels() error {
	return &fs.PathError{Op: OpLabel.String(), Path: f.Name(), Err: errors.ErrUnsupported}
}

func (f *faultFile) Close() error { return f.f.close(f.Name(), f.File.Close) }
