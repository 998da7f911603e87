package vfs

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// openHandle opens with delete sharing, which the os package does not ask
// for, so that a name can be replaced or removed while readers hold the file.
func openHandle(name string, flag int, perm fs.FileMode) (*osFile, error) {
	var access, attrs uint32 = windows.GENERIC_READ, windows.FILE_ATTRIBUTE_NORMAL
	switch {
	case flag&os.O_RDWR != 0:
		access |= windows.GENERIC_WRITE
	case flag&os.O_WRONLY != 0:
		access = windows.GENERIC_WRITE
	default:
		attrs |= windows.FILE_FLAG_BACKUP_SEMANTICS // may be a directory
	}
	var disposition uint32 = windows.OPEN_EXISTING
	if flag&os.O_CREATE != 0 {
		disposition = windows.CREATE_NEW
		attrs |= windows.FILE_FLAG_OPEN_REPARSE_POINT // a link is in the way, not followed
		if perm&0o200 == 0 {
			attrs |= windows.FILE_ATTRIBUTE_READONLY
		}
	}
	f, err := createFile("open", name, access, disposition, attrs)
	if err != nil {
		return nil, err
	}
	if flag&os.O_TRUNC != 0 {
		if err := f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	f.append = flag&os.O_APPEND != 0
	return f, nil
}

// createFile is the system's CreateFile with everything shared.
func createFile(op, name string, access, disposition, attrs uint32) (*osFile, error) {
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	p, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	h, err := windows.CreateFile(p, access, share, nil, disposition, attrs, 0)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return &osFile{File: os.NewFile(uintptr(h), name)}, nil
}

func openDir(dir string) (*os.File, error) {
	f, err := openExisting(dir, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode.IsDir() {
		// Not ENOTDIR: that is ERROR_PATH_NOT_FOUND here, which means
		// that nothing is there.
		err = &fs.PathError{Op: "open", Path: dir, Err: windows.ERROR_DIRECTORY}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f.(*osFile).File, nil
}

// applyOwner has nothing to do: owners are inherited with the access.
func applyOwner(*osFile) error { return nil }

// applyPerm has nothing to do: there is no umask, and access is inherited
// from the directory.
func applyPerm(*osFile, fs.FileMode) error { return nil }

func (osFS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }

// Rename goes through an [os.Root] where both names are in one directory,
// because that asks for POSIX semantics: it replaces a file that others have
// open, which a plain rename refuses.
func (osFS) Rename(oldname, newname string) error {
	dir := filepath.Dir(newname)
	if filepath.Dir(oldname) != dir {
		return pathError(os.Rename(oldname, newname))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return withOp(err, "rename")
	}
	defer root.Close()
	err = root.Rename(filepath.Base(oldname), filepath.Base(newname))
	if le, ok := err.(*os.LinkError); ok {
		return twoNames("rename", oldname, newname, le.Err)
	}
	return err
}

// SyncDir has nothing to do: a directory cannot be flushed, and NTFS puts
// names on the disk in the order of its own journal. It only says whether
// there is such a directory.
func (osFS) SyncDir(dir string) error {
	d, err := openDir(dir)
	if err != nil {
		return err
	}
	return d.Close()
}

func (osFS) Stat(name string) (Info, error) { return statPath("stat", name, 0) }

func (osFS) Lstat(name string) (Info, error) {
	return statPath("lstat", name, windows.FILE_FLAG_OPEN_REPARSE_POINT)
}

func statPath(op, name string, attrs uint32) (Info, error) {
	f, err := createFile(op, name, windows.FILE_READ_ATTRIBUTES, windows.OPEN_EXISTING,
		attrs|windows.FILE_FLAG_BACKUP_SEMANTICS)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	return f.Stat()
}

// Stat asks for the identity first, because the os package says of a closed
// file that its handle is invalid, and control that it is closed.
func (f *osFile) Stat() (Info, error) {
	var id windows.ByHandleFileInformation
	err := f.control("stat", func(h windows.Handle) error { return windows.GetFileInformationByHandle(h, &id) })
	if err != nil {
		return Info{}, err
	}
	fi, err := f.File.Stat()
	if err != nil {
		return Info{}, err
	}
	return Info{
		Size:    fi.Size(),
		Mode:    fi.Mode(),
		ModTime: fi.ModTime(),
		Dev:     uint64(id.VolumeSerialNumber),
		Ino:     uint64(id.FileIndexHigh)<<32 | uint64(id.FileIndexLow),
		Links:   uint64(id.NumberOfLinks),
	}, nil
}

// control runs a system call on the handle, which cannot be closed meanwhile.
func (f *osFile) control(op string, call func(windows.Handle) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return &fs.PathError{Op: op, Path: f.Name(), Err: fs.ErrClosed}
	}
	var cerr error
	if c.Control(func(h uintptr) { cerr = call(windows.Handle(h)) }) != nil {
		cerr = fs.ErrClosed // the only way Control itself fails
	}
	if cerr != nil {
		return &fs.PathError{Op: op, Path: f.Name(), Err: cerr}
	}
	return nil
}

// appendBytes writes at the position that the system takes for the end. A
// handle that can only append could do no more than that, and jlq also cuts.
func (f *osFile) appendBytes(p []byte) (int, error) {
	written := 0
	err := f.control("write", func(h windows.Handle) error {
		for written < len(p) {
			var n uint32
			end := windows.Overlapped{Offset: 1<<32 - 1, OffsetHigh: 1<<32 - 1}
			err := windows.WriteFile(h, p[written:min(len(p), written+1<<30)], &n, &end)
			if written += int(n); err != nil {
				return err
			}
		}
		return nil
	})
	return written, err
}

func (osFS) Network(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path, err := windows.UTF16PtrFromString(abs)
	if err != nil {
		return "", &fs.PathError{Op: "volume", Path: dir, Err: err}
	}
	var volume [windows.MAX_LONG_PATH]uint16
	if err := windows.GetVolumePathName(path, &volume[0], uint32(len(volume))); err != nil {
		return "", &fs.PathError{Op: "volume", Path: dir, Err: err}
	}
	if windows.GetDriveType(&volume[0]) == windows.DRIVE_REMOTE {
		return "remote", nil
	}
	return "", nil
}
