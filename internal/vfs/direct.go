package vfs

import "unsafe"

// DirectAlign is what positions and lengths of direct reads and writes are
// multiples of, and addresses of their buffers.
const DirectAlign = 4096

// Director is a file system that can go past the cache of the system.
type Director interface {
	// OpenDirect opens an existing file for reading and writing past the
	// cache: ReadAt returns what the disk holds, WriteAt brings it there, also
	// where the cache counts the old bytes as written already. What the
	// device keeps in a cache of its own needs Sync as ever. Positions,
	// lengths and buffers are aligned to [DirectAlign]. Where there is no such
	// way, errors match [errors.ErrUnsupported].
	OpenDirect(name string) (File, error)
}

// AlignedBytes returns n bytes that can be read into or written from directly.
func AlignedBytes(n int) []byte {
	b := make([]byte, n+DirectAlign)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % DirectAlign
	return b[skip:][:n:n]
}
