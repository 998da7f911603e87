package bench

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"
)

// Check is what a naive log checks of a record before it stores it.
type Check func(record []byte) error

var errFrame = errors.New("record is empty or holds a newline or NUL")

// CheckFrame checks what jlq's Validate: Frame does: the record is not empty
// and holds neither newline nor NUL.
func CheckFrame(record []byte) error {
	if len(record) == 0 || bytes.IndexByte(record, '\n') >= 0 || bytes.IndexByte(record, 0) >= 0 {
		return errFrame
	}
	return nil
}

// CheckJSON checks what jlq's Validate: Strict does, with what the standard
// library offers: one JSON value in valid UTF-8 on one line.
func CheckJSON(record []byte) error {
	if err := CheckFrame(record); err != nil {
		return err
	}
	if !utf8.Valid(record) || !json.Valid(record) {
		return fmt.Errorf("record is not JSON: %.40q", record)
	}
	return nil
}

// Naive is the writer that a good programmer would first write: two files,
// each through a bufio.Writer. It knows neither locks nor rollback nor
// recovery, never syncs, and is for one goroutine.
type Naive struct {
	check    Check
	recFile  *os.File
	idxFile  *os.File
	rec      *bufio.Writer
	idx      *bufio.Writer
	entry    [8]byte
	position uint64

	// Buffered leaves records in memory until Flush, as jlq's SyncBuffered does.
	Buffered bool
}

// CreateNaive creates the log in dir. size is that of each buffer; 0 is what
// bufio takes by default.
func CreateNaive(dir string, check Check, size int) (*Naive, error) {
	rec, err := os.Create(RecordsPath(dir))
	if err != nil {
		return nil, err
	}
	idx, err := os.Create(IndexPath(dir))
	if err != nil {
		return nil, errors.Join(err, rec.Close())
	}
	n := &Naive{check: check, recFile: rec, idxFile: idx, rec: bufio.NewWriterSize(rec, size), idx: bufio.NewWriterSize(idx, size)}
	return n, n.writeEntry()
}

// Append stores the batch and flushes it: what it acknowledged survives the
// death of the process, as under jlq's SyncOS.
func (n *Naive) Append(batch [][]byte) error {
	for _, record := range batch {
		if err := n.write(record); err != nil {
			return err
		}
	}
	if n.Buffered {
		return nil
	}
	return n.Flush()
}

func (n *Naive) write(record []byte) error {
	if err := n.check(record); err != nil {
		return err
	}
	if _, err := n.rec.Write(record); err != nil {
		return err
	}
	if err := n.rec.WriteByte('\n'); err != nil {
		return err
	}
	n.position += uint64(len(record)) + 1
	return n.writeEntry()
}

func (n *Naive) writeEntry() error {
	binary.BigEndian.PutUint64(n.entry[:], n.position)
	_, err := n.idx.Write(n.entry[:])
	return err
}

// Flush hands both files to the operating system, the records first.
func (n *Naive) Flush() error {
	if err := n.rec.Flush(); err != nil {
		return err
	}
	return n.idx.Flush()
}

// Close flushes and closes both files.
func (n *Naive) Close() error {
	return errors.Join(n.Flush(), n.recFile.Close(), n.idxFile.Close())
}
