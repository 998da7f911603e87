package vfs

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// Sync is a full fsync (F_FULLFSYNC): the plain one leaves the bytes in the
// cache of the disk.
func (f *osFile) Sync() error { return f.File.Sync() }

// lockHolder is not known: macOS has no table of flocks.
func lockHolder(Info) int { return 0 }

func (osFS) Network(dir string) (string, error) {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Statfs(dir, &st) }); err != nil {
		return "", &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if st.Flags&unix.MNT_LOCAL != 0 {
		return "", nil
	}
	return unix.ByteSliceToString(st.Fstypename[:]), nil
}
