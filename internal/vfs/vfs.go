// Package vfs is the one seam between jlq and the file system: everything
// that storage does to files goes through [FS] and [File], so that tests can
// put a file system beneath it that crashes, fills up or fails.
//
// There are two implementations: [OS], the operating system, and [Mem], a
// file system in memory that can be crashed; [Fault] makes either of them
// fail where a test wants it. [Mapper], [Networker], [Director] and, of a file,
// [Labeler] are optional capabilities that a caller asserts for. [Replace] is the one way to change a
// small file as a whole.
package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// FS is a file system. It is safe for concurrent use. Errors are of type
// [*fs.PathError] (or wrap one) and name the path.
type FS interface {
	// Open opens a regular file or, with [os.O_RDONLY], a directory. flag
	// and perm are those of [os.OpenFile]; perm is applied as it is, whatever
	// the process's umask, and what root creates belongs to the owner of its
	// directory. Anything else (FIFO, socket, device) is refused with
	// [ErrNotRegular], without blocking. Symbolic links are followed, but
	// nothing is created through one.
	Open(name string, flag int, perm fs.FileMode) (File, error)

	// Mkdir creates one directory with exactly perm, whatever the umask.
	Mkdir(name string, perm fs.FileMode) error

	// Remove unlinks a file or an empty directory.
	Remove(name string) error

	// Rename replaces newname by oldname, atomically.
	Rename(oldname, newname string) error

	// Link makes newname a second name of the file oldname.
	Link(oldname, newname string) error

	// Stat describes what name denotes, following symbolic links.
	Stat(name string) (Info, error)

	// Lstat describes name itself, not what a symbolic link points to.
	Lstat(name string) (Info, error)

	// List returns the names in a directory, sorted.
	List(dir string) ([]string, error)

	// SyncDir makes the entries of a directory durable: creations, renames
	// and unlinks in it that have returned survive a power loss after it.
	SyncDir(dir string) error

	// Lock takes the exclusive advisory lock of an existing file or
	// directory without waiting. Where another holder has it, in this
	// process or another, the error is a [*LockedError]. The kernel releases
	// the lock when the process dies.
	Lock(name string) (Lock, error)
}

// File is an open file. ReadAt, WriteAt and Sync may be called concurrently;
// the rest belongs to one goroutine at a time. After Close, errors match
// [fs.ErrClosed].
type File interface {
	// ReadAt is that of [io.ReaderAt].
	ReadAt(p []byte, off int64) (int, error)

	// WriteAt is that of [io.WriterAt]; an error on a file opened with
	// O_APPEND.
	WriteAt(p []byte, off int64) (int, error)

	// Write appends to a file opened with O_APPEND, in one system call
	// where the kernel takes all of p in one; an error on any other.
	Write(p []byte) (int, error)

	// Truncate sets the size of the file.
	Truncate(size int64) error

	// Sync makes the file's bytes and size durable (fdatasync on Linux, a
	// full fsync elsewhere). It does not sync the directory entry. Windows
	// does it only for a file that was opened for writing.
	Sync() error

	// Stat describes the open file, whatever its name denotes now.
	Stat() (Info, error)

	// Name is the path that the file was opened with.
	Name() string

	// Close closes the file; a second call returns [fs.ErrClosed].
	Close() error
}

// Info describes a file. Two Infos with the same Dev and Ino describe the
// same file as long as one of its handles is open.
type Info struct {
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
	Dev     uint64
	Ino     uint64
	Links   uint64 // number of names; 1 where that is not known
}

// Same reports whether i and j describe the same file.
func (i Info) Same(j Info) bool { return i.Dev == j.Dev && i.Ino == j.Ino }

// Lock is a lock that is held until Close.
type Lock interface {
	// Info describes the locked file itself, for comparing with what its
	// name denotes now.
	Info() Info
	// Close releases the lock.
	Close() error
}

// Mapper is a file system that can map files into memory.
type Mapper interface {
	// Map maps the whole of the named file, read-only, at its present size.
	Map(name string) (Mapping, error)
}

// Mapping is a read-only view of a file as it was, in length, when it was
// mapped. It is safe for concurrent use and is released by the garbage
// collector once nothing refers to it, so it cannot go away under a read.
type Mapping interface {
	// ReadAt copies into p. Bytes that are no longer there, because the
	// file was cut short after it was mapped, are [ErrMapFault]; those on
	// the page of the new end may also read as NUL.
	ReadAt(p []byte, off int64) (int, error)
	// Copy is ReadAt for callers within [Guard], who read several times
	// under one guard: there a missing page is a panic.
	Copy(p []byte, off int64) (int, error)
	// At is Copy of one byte, 0 ≤ off < Len.
	At(off int64) byte
	// Len is the number of bytes mapped.
	Len() int64
	// Info describes the mapped file.
	Info() Info
}

// Networker is a file system that can tell whether a path lies on another
// machine.
type Networker interface {
	// Network returns the kind of network file system that dir lies on
	// ("nfs", "cifs", …), or "" where it is local.
	Network(dir string) (string, error)
}

var (
	// ErrNotRegular is returned for what is neither a regular file nor a
	// directory.
	ErrNotRegular = errors.New("not a regular file")

	// ErrLocked is matched by every [*LockedError].
	ErrLocked = errors.New("locked by another writer")

	// ErrMapFault is returned for mapped bytes that are no longer there.
	ErrMapFault = errors.New("file was cut short while mapped")
)

// LockedError says who holds a lock.
type LockedError struct {
	Path string
	PID  int // 0 where it is not known
}

// Error implements error.
func (e *LockedError) Error() string {
	switch e.PID {
	case 0:
		return fmt.Sprintf("lock %s: %v", e.Path, ErrLocked)
	case os.Getpid():
		return fmt.Sprintf("lock %s: %v, in this process", e.Path, ErrLocked)
	}
	return fmt.Sprintf("lock %s: %v (process %d)", e.Path, ErrLocked, e.PID)
}

// Is reports whether target is [ErrLocked].
func (e *LockedError) Is(target error) bool { return target == ErrLocked }
