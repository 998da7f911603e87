package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// OS is the file system of the operating system. On Linux and macOS it is
// also a [Mapper], and everywhere a [Networker].
var OS FS = osFS{}

type osFS struct{}

var (
	_ Networker = osFS{}
	_ File      = (*osFile)(nil)
)

var (
	errNoAppend = errors.New("write on a file not opened with O_APPEND")
	errAppend   = errors.New("write at a position of a file opened with O_APPEND")
)

// openTries bounds the looking again when a name comes and goes between
// opening what is there and creating what is not.
const openTries = 4

func (osFS) Open(name string, flag int, perm fs.FileMode) (File, error) {
	if flag&os.O_CREATE == 0 {
		return openExisting(name, flag)
	}
	if flag&os.O_EXCL != 0 {
		return create(name, flag, perm)
	}
	// Whether this call made the file decides whether perm applies, and only
	// O_EXCL tells. A symbolic link to nothing fails both ways: a file is
	// not created through it.
	for try := 1; ; try++ {
		f, err := openExisting(name, flag&^os.O_CREATE)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		if f, cerr := create(name, flag|os.O_EXCL, perm); !errors.Is(cerr, fs.ErrExist) {
			return f, cerr
		}
		if try == openTries {
			return nil, err
		}
	}
}

// openExisting opens what is there already. It asks before opening, because
// opening a FIFO or a device can act on it, and once more afterwards, because
// the name may have changed hands in between.
func openExisting(name string, flag int) (File, error) {
	info, err := OS.Stat(name)
	if err != nil {
		return nil, withOp(err, "open")
	}
	if err := checkKind("open", name, info.Mode); err != nil {
		return nil, err
	}
	if info.Mode.IsDir() && flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	f, err := openHandle(name, flag, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkKind("open", name, info.Mode)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// create makes a new file; flag holds O_CREATE and O_EXCL. A file that could
// not be given its permissions is taken away again.
func create(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := openHandle(name, flag, perm)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(applyOwner(f), applyPerm(f, perm)); err != nil {
		f.Close()
		os.Remove(name)
		return nil, err
	}
	return f, nil
}

// checkKind refuses what is neither a regular file nor a directory.
func checkKind(op, name string, mode fs.FileMode) error {
	if mode.IsRegular() || mode.IsDir() {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: ErrNotRegular}
}

// withOp gives a path error the operation that the caller asked for.
func withOp(err error, op string) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: op, Path: pe.Path, Err: pe.Err}
	}
	return err
}

func (osFS) Remove(name string) error { return os.Remove(name) }

func (osFS) Link(oldname, newname string) error {
	return pathError(os.Link(oldname, newname))
}

// pathError makes the error of an operation on two names a path error.
func pathError(err error) error {
	le, ok := errors.AsType[*os.LinkError](err)
	if !ok {
		return err
	}
	return twoNames(le.Op, le.Old, le.New, le.Err)
}

// twoNames is the error of an operation on two names.
func twoNames(op, oldname, newname string, err error) error {
	return &fs.PathError{Op: op, Path: oldname, Err: fmt.Errorf("to %s: %w", newname, err)}
}

func (osFS) List(dir string) ([]string, error) {
	d, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// osFile is an open file of the operating system.
type osFile struct {
	*os.File
	append bool
}

func (f *osFile) Write(p []byte) (int, error) {
	if !f.append {
		return 0, f.misuse("write", errNoAppend)
	}
	return f.appendBytes(p)
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	if f.append {
		return 0, f.misuse("writeat", errAppend)
	}
	return f.File.WriteAt(p, off)
}

// misuse is err, unless the file is closed, which comes first.
func (f *osFile) misuse(op string, err error) error {
	if _, serr := f.Stat(); serr != nil {
		return withOp(serr, op)
	}
	return &fs.PathError{Op: op, Path: f.Name(), Err: err}
}
