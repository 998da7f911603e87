package bench

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// NaiveScan reads all records of the log in dir through bufio, in the way of
// the naive writer: the next index entry says how long the next line is, and
// the line must end there and nowhere before. Each record is a slice of its
// own, which each may keep: what one writes first, because it cannot go wrong.
func NaiveScan(dir string, each func(record []byte)) error {
	return openPair(dir, func(rec, idx *bufio.Reader) error {
		return scanPair(rec, idx, func(n int) []byte { return make([]byte, n) }, each)
	})
}

// NaiveScanReuse is NaiveScan with one buffer for all records, as jlq lets its
// records be valid until the next one only.
func NaiveScanReuse(dir string, each func(record []byte)) error {
	var line []byte
	return openPair(dir, func(rec, idx *bufio.Reader) error {
		return scanPair(rec, idx, func(n int) []byte {
			line = grow(line, n)
			return line
		}, each)
	})
}

func openPair(dir string, scan func(rec, idx *bufio.Reader) error) error {
	rec, err := os.Open(RecordsPath(dir))
	if err != nil {
		return err
	}
	defer rec.Close()
	idx, err := os.Open(IndexPath(dir))
	if err != nil {
		return err
	}
	defer idx.Close()
	return scan(bufio.NewReader(rec), bufio.NewReader(idx))
}

func scanPair(rec, idx *bufio.Reader, room func(n int) []byte, each func([]byte)) error {
	start, err := readEntry(idx)
	if err != nil {
		return err
	}
	for {
		end, err := readEntry(idx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, err := readLine(rec, start, end, room)
		if err != nil {
			return err
		}
		each(line)
		start = end
	}
}

// followPair hands the first n records to each. wait says how many there are,
// once there are more than were seen.
func followPair(dir string, n int, wait func(seen int) (int, error), each func([]byte)) error {
	return openPair(dir, func(rec, idx *bufio.Reader) error {
		if _, err := wait(0); err != nil {
			return err
		}
		start, err := readEntry(idx)
		for seen, there := 0, 0; seen < n && err == nil; {
			if there, err = wait(seen); err != nil {
				return err
			}
			for ; seen < min(there, n) && err == nil; seen++ {
				start, err = followOne(rec, idx, start, each)
			}
		}
		return err
	})
}

func followOne(rec, idx *bufio.Reader, start uint64, each func([]byte)) (end uint64, err error) {
	if end, err = readEntry(idx); err != nil {
		return 0, err
	}
	line, err := readLine(rec, start, end, func(n int) []byte { return make([]byte, n) })
	if err != nil {
		return 0, err
	}
	each(line)
	return end, nil
}

// readLine reads the line [start, end), which is next, and returns it without
// its newline.
func readLine(rec *bufio.Reader, start, end uint64, room func(n int) []byte) ([]byte, error) {
	if end <= start {
		return nil, fmt.Errorf("index entry %d after %d", end, start)
	}
	line := room(int(end - start))
	if _, err := io.ReadFull(rec, line); err != nil {
		return nil, err
	}
	if bytes.IndexByte(line, '\n') != len(line)-1 {
		return nil, fmt.Errorf("no line ends at %d", end)
	}
	return line[:len(line)-1], nil
}

func readEntry(idx *bufio.Reader) (uint64, error) {
	b, err := idx.Peek(8)
	if err != nil {
		return 0, err
	}
	entry := binary.BigEndian.Uint64(b)
	_, err = idx.Discard(8)
	return entry, err
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// ScanLines reads all lines of the records file in dir with a bufio.Scanner,
// which needs no index and proves nothing.
func ScanLines(dir string, each func(record []byte)) error {
	rec, err := os.Open(RecordsPath(dir))
	if err != nil {
		return err
	}
	defer rec.Close()
	s := bufio.NewScanner(rec)
	for s.Scan() {
		each(s.Bytes())
	}
	return s.Err()
}

var errNotThere = errors.New("no such record")

// NaiveGet finds record number offset without an index: by reading lines from
// the start.
func NaiveGet(dir string, dst []byte, offset uint64) ([]byte, error) {
	rec, err := os.Open(RecordsPath(dir))
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	s := bufio.NewScanner(rec)
	for i := uint64(0); s.Scan(); i++ {
		if i == offset {
			return append(dst[:0], s.Bytes()...), nil
		}
	}
	return nil, errors.Join(errNotThere, s.Err())
}

// PairGetter reads a record with two reads, one of each file: what a naive log
// does once it has an index.
type PairGetter struct {
	rec, idx *os.File
	entries  [16]byte
}

// OpenPairGetter opens the log in dir. It is for one goroutine.
func OpenPairGetter(dir string) (*PairGetter, error) {
	rec, err := os.Open(RecordsPath(dir))
	if err != nil {
		return nil, err
	}
	idx, err := os.Open(IndexPath(dir))
	if err != nil {
		return nil, errors.Join(err, rec.Close())
	}
	return &PairGetter{rec: rec, idx: idx}, nil
}

// Get copies the record into dst.
func (g *PairGetter) Get(dst []byte, offset uint64) ([]byte, error) {
	if _, err := g.idx.ReadAt(g.entries[:], int64(offset)*8); err != nil {
		return nil, err
	}
	start, end := binary.BigEndian.Uint64(g.entries[:]), binary.BigEndian.Uint64(g.entries[8:])
	if end <= start {
		return nil, fmt.Errorf("index entry %d after %d", end, start)
	}
	line := grow(dst, int(end-start))
	if _, err := g.rec.ReadAt(line, int64(start)); err != nil {
		return nil, err
	}
	if bytes.IndexByte(line, '\n') != len(line)-1 {
		return nil, fmt.Errorf("no line ends at %d", end)
	}
	return line[:len(line)-1], nil
}

// Close closes both files.
func (g *PairGetter) Close() error { return errors.Join(g.rec.Close(), g.idx.Close()) }
