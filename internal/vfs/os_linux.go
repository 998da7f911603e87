package vfs

import (
	"golang.org/x/sys/unix"
)

// Sync is fdatasync: bytes and size, without the times.
func (f *osFile) Sync() error { return f.control("sync", unix.Fdatasync) }
