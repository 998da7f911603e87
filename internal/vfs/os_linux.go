package vfs

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// Sync is fdatasync: bytes and size, without the times.
func (f *osFile) Sync() error { return f.control("sync", unix.Fdatasync) }

// networkKinds are the superblock magics of file systems whose bytes lie on
// another machine, where flock and mapped memory promise less. A FUSE file
// system does not say what is behind it and counts as local.
var networkKinds = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "nfs",
	unix.CIFS_SUPER_MAGIC: "cifs",
	unix.SMB_SUPER_MAGIC:  "smb",
	unix.SMB2_SUPER_MAGIC: "smb2",
	unix.AFS_SUPER_MAGIC:  "afs",
	unix.AFS_FS_MAGIC:     "afs",
	unix.CEPH_SUPER_MAGIC: "ceph",
	unix.V9FS_MAGIC:       "9p",
	unix.CODA_SUPER_MAGIC: "coda",
	unix.NCP_SUPER_MAGIC:  "ncp",
	0x0bd00bd0:            "lustre",
	0x47504653:            "gpfs",
}

func (osFS) Network(dir string) (string, error) {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Statfs(dir, &st) }); err != nil {
		return "", &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return networkKinds[uint32(st.Type)], nil
}
