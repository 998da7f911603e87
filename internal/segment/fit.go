package segment

import (
	"fmt"
	"io"
)

// fit compares the lines up to a place that the index vouches for with the
// entries up to it. Both are sorted, so that a line or an entry too many is
// one difference and does not shift all that follow.
type fit struct {
	entries *EntryReader
	number  uint64 // of entry
	entry   uint64
	ended   bool

	seen, matched uint64 // entries below the last line, and those of them that are line ends
	first         Line   // the first line at odds with its entry
	offset        uint64 // its number
	differs       bool
	unsound       bool // an entry is not above the one before: it is the index that is wrong
}

// next takes the next entry.
func (f *fit) next() error {
	entry, err := f.entries.Next()
	if err == io.EOF {
		f.ended = true
		return nil
	}
	f.unsound = f.unsound || err == nil && entry <= f.entry
	f.number, f.entry = f.number+1, entry
	return err
}

// line takes in line number n, counted from 1 as its entry is.
func (f *fit) line(n uint64, l *Line) error {
	for !f.ended && f.entry < uint64(l.End) {
		if err := f.next(); err != nil {
			return err
		}
		f.seen++
	}
	fits := !f.ended && f.entry == uint64(l.End)
	if fits {
		f.matched++
	}
	if !f.differs && !(fits && f.number == n) {
		f.differs, f.offset = true, n-1
		f.first = Line{Start: l.Start, End: l.End}
	}
	return nil
}

// prove holds a line against the entry that vouches for the number of records
// up to it. Where the lines are more or fewer, and the index is that of these
// lines otherwise, newlines were lost or added below the promise: the entries
// are all that is left to tell which record is which.
func (s *surveyor) prove(l *Line) error {
	if l.End > s.proof.pos {
		return nil
	}
	f := &s.fit
	if f.entries == nil {
		f.entries, f.number, f.entry = NewEntryReader(s.idx, s.anchor.n+1, s.proof.n), s.anchor.n, uint64(s.anchor.pos)
	}
	if err := f.line(s.end.n, l); err != nil {
		return err
	}
	// The entry of the proof itself is a line end in any case.
	if l.End < s.proof.pos || s.end.n == s.proof.n || f.unsound || 2*(f.matched-1) < f.seen-1 {
		return nil
	}
	return &CorruptError{
		Path: s.pair.Records, Offset: s.pair.Base + f.offset, Position: f.first.Start, End: f.first.End,
		Err: fmt.Errorf("the index has %s up to position %d, the file has %s", Plural(s.proof.n, "record"), s.proof.pos, Plural(s.end.n, "line")),
	}
}
