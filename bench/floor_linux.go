package bench

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// rawWrite is write(2) without what os.File does around it.
func rawWrite(f *os.File, p []byte) (int, error) { return unix.Write(int(f.Fd()), p) }

func dataSync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// dropCache takes a file out of the page cache, written or not. It needs no
// rights, but pages that something maps stay.
func dropCache(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fdatasync(int(f.Fd())), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
}

// Mapped reads a record with two loads from mapped memory, one of the index
// and one of the records, and believes both.
type Mapped struct {
	rec, idx []byte
}

// OpenMapped maps the log in dir.
func OpenMapped(dir string) (*Mapped, error) {
	rec, err := mapFile(RecordsPath(dir))
	if err != nil {
		return nil, err
	}
	idx, err := mapFile(IndexPath(dir))
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(rec))
	}
	return &Mapped{rec: rec, idx: idx}, nil
}

func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
}

// Get copies the record into dst.
func (m *Mapped) Get(dst []byte, offset uint64) ([]byte, error) {
	entries := m.idx[8*offset:][:16]
	start, end := binary.BigEndian.Uint64(entries), binary.BigEndian.Uint64(entries[8:])
	return append(dst[:0], m.rec[start:end-1]...), nil
}

// Close removes both mappings.
func (m *Mapped) Close() error { return errors.Join(unix.Munmap(m.rec), unix.Munmap(m.idx)) }
