//go:build linux || darwin

package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// openHandle opens without blocking: on regular files O_NONBLOCK means
// nothing, and a FIFO that took the name a moment ago does not hold us up.
func openHandle(name string, flag int, perm fs.FileMode) (*osFile, error) {
	f, err := os.OpenFile(name, flag|unix.O_NONBLOCK, perm)
	if err != nil {
		return nil, err
	}
	return &osFile{File: f, append: flag&os.O_APPEND != 0}, nil
}

func openDir(dir string) (*os.File, error) {
	return os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
}

// applyPerm undoes what the umask took from a file that was just created.
func applyPerm(f *osFile, perm fs.FileMode) error {
	info, err := f.Stat()
	if err != nil || info.Mode.Perm() == perm.Perm() {
		return err
	}
	return ignoreNoModes(f.Chmod(perm.Perm()))
}

// applyOwner gives a file that root has created to the owner of its directory:
// an administrator who appends to a service's log, or repairs it, must not
// leave files behind that the service cannot open.
func applyOwner(f *osFile) error { return giveAway(f.Name(), f.Chown) }

// giveAway has chown give what root has created to the owner of the directory
// that it lies in.
func giveAway(name string, chown func(uid, gid int) error) error {
	if os.Geteuid() != 0 {
		return nil
	}
	var dir unix.Stat_t
	if err := unix.Stat(filepath.Dir(name), &dir); err != nil {
		return &fs.PathError{Op: "stat", Path: filepath.Dir(name), Err: err}
	}
	if dir.Uid == 0 {
		return nil
	}
	err := chown(int(dir.Uid), int(dir.Gid))
	if errors.Is(err, unix.EINVAL) {
		return nil // an owner that this user namespace does not know
	}
	return ignoreNoModes(err)
}

// ignoreNoModes accepts that a file system without permissions (FAT) has
// none to set: the file is our own, so nothing else refuses this.
func ignoreNoModes(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

func (o osFS) Mkdir(name string, perm fs.FileMode) error {
	if err := os.Mkdir(name, perm.Perm()); err != nil {
		return err
	}
	// So it is with directories: the locks of consumer groups are some.
	if err := giveAway(name, func(uid, gid int) error { return os.Lchown(name, uid, gid) }); err != nil {
		return err
	}
	info, err := o.Lstat(name)
	if err != nil || info.Mode.Perm() == perm.Perm() {
		return err
	}
	// A set-group-id bit that the parent handed down stays.
	return ignoreNoModes(os.Chmod(name, perm.Perm()|info.Mode&fs.ModeSetgid))
}

func (osFS) Rename(oldname, newname string) error {
	return pathError(os.Rename(oldname, newname))
}

func (osFS) SyncDir(dir string) error {
	d, err := openDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // the file system keeps no directories that could be synced
	}
	return errors.Join(err, d.Close())
}

func (osFS) Stat(name string) (Info, error)  { return statPath("stat", name, unix.Stat) }
func (osFS) Lstat(name string) (Info, error) { return statPath("lstat", name, unix.Lstat) }

func statPath(op, name string, stat func(string, *unix.Stat_t) error) (Info, error) {
	var st unix.Stat_t
	err := retry(func() error { return stat(name, &st) })
	if err != nil {
		return Info{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return infoOf(&st), nil
}

func (f *osFile) Stat() (Info, error) {
	var st unix.Stat_t
	err := f.control("stat", func(fd int) error { return unix.Fstat(fd, &st) })
	if err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

// control runs a system call on the descriptor, which cannot be closed
// meanwhile, again when a signal interrupted it.
func (f *osFile) control(op string, call func(fd int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return &fs.PathError{Op: op, Path: f.Name(), Err: fs.ErrClosed}
	}
	var cerr error
	if c.Control(func(fd uintptr) { cerr = retry(func() error { return call(int(fd)) }) }) != nil {
		cerr = fs.ErrClosed // the only way Control itself fails
	}
	if cerr != nil {
		return &fs.PathError{Op: op, Path: f.Name(), Err: cerr}
	}
	return nil
}

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// appendBytes writes through O_APPEND: the kernel finds the end.
func (f *osFile) appendBytes(p []byte) (int, error) { return f.File.Write(p) }

// infoOf translates; the conversions are for macOS, whose fields are narrower.
func infoOf(st *unix.Stat_t) Info {
	return Info{
		Size:    st.Size,
		Mode:    fileMode(uint32(st.Mode)),
		ModTime: time.Unix(st.Mtim.Unix()),
		Dev:     uint64(st.Dev),
		Ino:     st.Ino,
		Links:   uint64(st.Nlink),
	}
}

func fileMode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	default:
		mode |= fs.ModeIrregular
	}
	if m&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
