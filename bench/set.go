package bench

import "path/filepath"

// Set is a sequence of records, laid out in memory as in a records file. It is
// immutable and safe for concurrent use.
type Set struct {
	lines   []byte
	records [][]byte // into lines, without the newlines
	ends    []int64  // ends[i] is the position behind the newline of record i
}

// newSet cuts lines, which ends with a newline, into n records.
func newSet(lines []byte, ends []int64) *Set {
	s := &Set{lines: lines, ends: ends, records: make([][]byte, len(ends))}
	start := int64(0)
	for i, end := range ends {
		s.records[i] = lines[start : end-1 : end-1]
		start = end
	}
	return s
}

// First returns the set of the first n records.
func (s *Set) First(n int) *Set {
	return &Set{lines: s.Lines(0, n), records: s.records[:n], ends: s.ends[:n]}
}

// Len returns the number of records.
func (s *Set) Len() int { return len(s.records) }

// Size returns the bytes of all lines.
func (s *Set) Size() int64 { return int64(len(s.lines)) }

// Payload returns the bytes of all records, newlines left out.
func (s *Set) Payload() int64 { return s.Size() - int64(s.Len()) }

// Record returns record i. It must not be modified.
func (s *Set) Record(i int) []byte { return s.records[i] }

// Batch returns the records [from, to), clamped to what is there. They must
// not be modified.
func (s *Set) Batch(from, to int) [][]byte { return s.records[from:min(to, s.Len())] }

// Lines returns the lines of the records [from, to), clamped to what is there.
func (s *Set) Lines(from, to int) []byte {
	start := int64(0)
	if from > 0 {
		start = s.ends[from-1]
	}
	return s.lines[start:s.ends[min(to, s.Len())-1]]
}

// RecordsPath names the records file of the log in dir.
func RecordsPath(dir string) string { return filepath.Join(dir, "00000000000000000000.jsonl") }

// IndexPath names the index of the log in dir.
func IndexPath(dir string) string { return filepath.Join(dir, "00000000000000000000.index") }
