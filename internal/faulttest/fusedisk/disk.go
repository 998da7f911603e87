package main

import (
	"context"
	"os"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// maxIO is the most bytes of one read or write: a request of the block layer
// comes whole, so that a text is seldom cut in two.
const maxIO = 1 << 20

// root is the directory that holds the disk.
type root struct {
	fs.Inode
	disk *disk
}

var _ fs.NodeOnAdder = (*root)(nil)

// OnAdd puts the disk into the directory.
func (r *root) OnAdd(ctx context.Context) {
	r.AddChild("disk", r.NewPersistentInode(ctx, r.disk, fs.StableAttr{Mode: syscall.S_IFREG}), false)
}

// disk is the one file.
type disk struct {
	fs.Inode
	image *os.File
	faults
}

var (
	_ fs.NodeGetattrer = (*disk)(nil)
	_ fs.NodeOpener    = (*disk)(nil)
	_ fs.NodeReader    = (*disk)(nil)
	_ fs.NodeWriter    = (*disk)(nil)
	_ fs.NodeFsyncer   = (*disk)(nil)
)

// Getattr tells the size of the image.
func (d *disk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	info, err := d.image.Stat()
	if err != nil {
		return fs.ToErrno(err)
	}
	out.Mode, out.Size = syscall.S_IFREG|0o600, uint64(info.Size())
	return fs.OK
}

// Open keeps the kernel from caching the bytes of the disk: what is read
// afterwards is what was stored, and every error is met.
func (d *disk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, fs.OK
}

// Read reads from the image, or fails.
func (d *disk) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n, err := d.image.ReadAt(dest, off)
	if n == 0 && err != nil {
		return fuse.ReadResultData(nil), fs.ToErrno(endIsFine(err))
	}
	if d.hit("read", dest[:n]) {
		return nil, syscall.EIO
	}
	return fuse.ReadResultData(dest[:n]), fs.OK
}

// Write writes to the image, or fails and writes nothing.
func (d *disk) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if d.hit("write", data) {
		return 0, syscall.EIO
	}
	n, err := d.image.WriteAt(data, off)
	return uint32(n), fs.ToErrno(err)
}

// Fsync is a flush of the disk's cache. What was written is in the image
// already, and the machine of the test does not lose its power.
func (d *disk) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	if d.hit("sync", nil) {
		return syscall.EIO
	}
	return fs.OK
}
