//go:build !linux

package bench

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/exp/mmap"
)

func rawWrite(f *os.File, p []byte) (int, error) { return f.Write(p) }

func dataSync(f *os.File) error { return f.Sync() }

// Mapped reads a record with two loads from mapped memory, one of the index
// and one of the records, and believes both.
type Mapped struct {
	rec, idx *mmap.ReaderAt
}

// OpenMapped maps the log in dir.
func OpenMapped(dir string) (*Mapped, error) {
	rec, err := mmap.Open(RecordsPath(dir))
	if err != nil {
		return nil, err
	}
	idx, err := mmap.Open(IndexPath(dir))
	if err != nil {
		return nil, errors.Join(err, rec.Close())
	}
	return &Mapped{rec: rec, idx: idx}, nil
}

// Get copies the record into dst.
func (m *Mapped) Get(dst []byte, offset uint64) ([]byte, error) {
	var entries [16]byte
	if _, err := m.idx.ReadAt(entries[:], int64(8*offset)); err != nil {
		return nil, err
	}
	start, end := binary.BigEndian.Uint64(entries[:]), binary.BigEndian.Uint64(entries[8:])
	record := grow(dst, int(end-start-1))
	_, err := m.rec.ReadAt(record, int64(start))
	return record, err
}

// Close removes both mappings.
func (m *Mapped) Close() error { return errors.Join(m.rec.Close(), m.idx.Close()) }

func dropCache(string) error { return errors.ErrUnsupported }
