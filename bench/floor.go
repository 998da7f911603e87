package bench

import (
	"io"
	"os"
)

// readBlock is what the scan of jlq reads at once.
const readBlock = 256 << 10

// Writes appends lines with one write(2) for each batch and does nothing
// else: no index, no checks, no copy. No log that hands its records to the
// operating system before it acknowledges them can be faster. It is for one
// goroutine.
type Writes struct {
	f    *os.File
	set  *Set
	next int
	sync bool
}

// CreateWrites creates the records file in dir. It writes the records of set,
// whatever batch it is given, because the set has them as lines already. sync
// adds an fdatasync to each write.
func CreateWrites(dir string, set *Set, sync bool) (*Writes, error) {
	f, err := os.OpenFile(RecordsPath(dir), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &Writes{f: f, set: set, sync: sync}, err
}

// Append writes the lines of the next len(batch) records.
func (w *Writes) Append(batch [][]byte) error {
	lines := w.set.Lines(w.next, w.next+len(batch))
	w.next += len(batch)
	n, err := rawWrite(w.f, lines)
	if err == nil && n < len(lines) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return err
	}
	if w.sync {
		return dataSync(w.f)
	}
	return nil
}

// Close closes the file.
func (w *Writes) Close() error { return w.f.Close() }

// Reads reads the file from its start to its end in large blocks and looks at
// nothing, and returns how many bytes there were.
func Reads(path string) (total int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	block := make([]byte, readBlock)
	for {
		n, err := f.Read(block)
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// Serial is Mapped with reads that wait for each other: each takes the last
// byte of the one before into its address, with a weight of nothing that the
// processor cannot know of. Bare loads that do not depend on each other are
// overlapped by the processor; those of a log whose reads take more than a few
// hundred instructions are not.
type Serial struct {
	*Mapped
	last, weight uint64
}

// Get copies the record into dst.
func (s *Serial) Get(dst []byte, offset uint64) ([]byte, error) {
	record, err := s.Mapped.Get(dst, offset+s.last*s.weight)
	if len(record) > 0 {
		s.last = uint64(record[len(record)-1])
	}
	return record, err
}
