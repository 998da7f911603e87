package segment

import (
	"errors"
	"fmt"
	"io"

	"example.com/jlq/index"
)

// The survey is the part of recovery that only reads. It decides what the
// segment holds; nothing is changed before it has ended without an error, so
// an I/O error never passes for corruption.

var (
	errNoNewline = errors.New("no newline at the end")
	errNUL       = errors.New("NUL bytes")
	errTooLong   = errors.New("longer than the largest record")
	errShort     = errors.New("the file is shorter than what was synced")
	errNotLine   = errors.New("what was synced does not end in a newline")
)

// survey is what was found in a pair.
type survey struct {
	recSize int64
	idxSize int64
	hasIdx  bool
	claimed uint64 // records that the whole entries of the index describe
	zeros   uint64 // entries behind those, all of them zero

	promise   int64 // records below it must not be cut
	anchor    mark  // the entries up to here are believed
	proof     mark  // the highest entry that vouches for its number of records
	checkFrom int64 // lines that begin here or later are looked into

	agreed  mark   // the entries up to here are what the newlines say
	end     mark   // the good records
	rebuild string // why the index must be replaced; "" where it need not be
	bad     error  // what is wrong behind end; nil where nothing is
}

// mark is a line end: the number of records before it, and its position.
type mark struct {
	n   uint64
	pos int64
}

// surveyor makes a survey.
type surveyor struct {
	survey
	pair   Pair
	rec    io.ReaderAt
	idx    io.ReaderAt
	meta   *Meta // nil where there is none: nothing was promised
	strict func([]byte) error
	limit  int
	fit    fit
}

func (s *surveyor) run() error {
	if err := s.countClaims(); err != nil {
		return err
	}
	highest, err := s.highest()
	if err != nil {
		return err
	}
	s.setPromise(highest.pos)
	if err := s.checkSynced(); err != nil {
		return err
	}
	if err := s.findAnchor(); err != nil {
		return err
	}
	if s.meta != nil && highest.pos > s.anchor.pos {
		s.proof = highest
	}
	// Without a partition.json nothing is known of the lines that the index
	// describes; they stay as they are.
	s.checkFrom = max(s.anchor.pos, s.synced())
	if s.meta == nil {
		s.checkFrom = highest.pos
	}
	if err := s.scan(); err != nil {
		return err
	}
	return s.checkClaims()
}

// setPromise says how far the previous writer vouched for the records.
func (s *surveyor) setPromise(highest int64) {
	if s.meta == nil {
		return
	}
	s.promise = s.synced()
	if s.meta.Sync == SyncAlwaysName {
		// One batch was in flight at most, so what lies further back than
		// one batch was acknowledged; and entries follow the fdatasync.
		s.promise = max(s.promise, highest, s.recSize-s.meta.Batch)
	}
}

// synced is how far the records of this segment are known to be on the disk.
func (s *surveyor) synced() int64 {
	if s.meta == nil || s.meta.Synced.Base != s.pair.Base {
		return 0
	}
	return s.meta.Synced.Position
}

// checkSynced makes sure that what was synced is there.
func (s *surveyor) checkSynced() error {
	synced := s.synced()
	if s.recSize < synced {
		return s.lost(s.recSize, &CorruptError{Path: s.pair.Records, Position: s.recSize, End: synced, Err: errShort})
	}
	ok, err := s.behindNewline(synced)
	if err == nil && !ok {
		err = s.lost(synced, &CorruptError{Path: s.pair.Records, Position: synced, Err: errNotLine})
	}
	return err
}

// lost puts the record that position lies in, as far as the index knows, into
// an error.
func (s *surveyor) lost(position int64, e *CorruptError) error {
	e.Offset = s.pair.Base
	if s.idxSize < index.EntrySize {
		return e
	}
	i, err := s.firstAbove(position)
	if err != nil {
		return err
	}
	e.Offset += max(i, 1) - 1
	return e
}

// findAnchor finds the entry from which on the index is derived again. It is
// that of the synced position; where the index does not have it, it is
// missing, behind or of another file, and the newlines are counted from the
// beginning.
func (s *surveyor) findAnchor() error {
	if ok, err := s.beginsAtZero(); !ok || err != nil {
		return err
	}
	at, ok, err := s.syncedMark()
	if !ok || err != nil {
		return err
	}
	// An index of another file can hold that position too. A sample of what
	// lies below it, of a size that does not grow with the log, tells.
	ok, why, err := index.Trusted(s.idx, at.n, s.rec, at.pos)
	if err != nil {
		return err
	}
	if !ok {
		s.rebuild, s.proof = why, at
		return nil
	}
	s.anchor, s.agreed = at, at
	return nil
}

// beginsAtZero reports whether there is an index with a first entry of 0.
func (s *surveyor) beginsAtZero() (bool, error) {
	if s.idxSize < index.EntrySize {
		if s.recSize > 0 {
			s.rebuild = "it was missing or empty"
		}
		return false, nil
	}
	first, err := s.entry(0)
	if err == nil && first != 0 {
		s.rebuild = fmt.Sprintf("its first entry is %d, not 0", first)
	}
	return err == nil && first == 0, err
}

// syncedMark is the synced position as a mark, where the index has it.
func (s *surveyor) syncedMark() (at mark, ok bool, err error) {
	synced := s.synced()
	if synced == 0 {
		return mark{}, false, nil
	}
	// The lowest entry of that value: an index that was filled with one value
	// has more of them.
	i, err := s.firstAbove(synced - 1)
	if err != nil || i > s.claimed {
		return mark{}, false, err
	}
	pos, err := s.entry(i)
	if err != nil || pos != uint64(synced) {
		return mark{}, false, err
	}
	return mark{i, synced}, true, nil
}

// scan derives the entries above the anchor from the newlines, compares them
// with those of the index, and stops at the first bad byte.
func (s *surveyor) scan() error {
	lines := NewScanner(s.rec, s.anchor.pos, s.recSize, s.limit)
	entries := NewEntryReader(s.idx, s.anchor.n+1, s.claimed)
	s.end = s.anchor
	for {
		l, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if bad := s.judge(l); bad != nil {
			return s.stop(l, bad)
		}
		s.end = mark{s.end.n + 1, l.End}
		if err := s.prove(&l); err != nil {
			return err
		}
		if err := s.compare(entries); err != nil {
			return err
		}
	}
}

// judge says what is wrong with a line, if anything.
func (s *surveyor) judge(l Line) error {
	switch {
	case l.NUL() && (s.meta != nil || !l.Whole || l.Start >= s.checkFrom):
		return errNUL
	case !l.Whole:
		return errNoNewline
	case l.Start < s.checkFrom, s.meta == nil:
		return nil
	case l.Data == nil:
		return errTooLong
	case s.meta.Validate == ValidateStrictName && s.strict != nil:
		return s.strict(l.Data)
	}
	return nil
}

// stop ends the scan at a bad line: below the promise that is corruption of
// acknowledged data, above it a torn tail.
func (s *surveyor) stop(l Line, bad error) error {
	if l.Start < s.promise {
		return &CorruptError{Path: s.pair.Records, Offset: s.pair.Base + s.end.n, Position: l.Start, End: l.End, Err: bad}
	}
	s.bad = bad
	return nil
}

// compare holds the line that was just counted against its index entry.
func (s *surveyor) compare(entries *EntryReader) error {
	if s.rebuild != "" || s.end.n > s.claimed {
		return nil
	}
	pos, err := entries.Next()
	if err != nil {
		return err
	}
	if pos != uint64(s.end.pos) {
		s.rebuild = fmt.Sprintf("its entry %d is %d, the line ends at %d", s.end.n, pos, s.end.pos)
		return nil
	}
	s.agreed = s.end
	return nil
}

// checkClaims: entries behind the good records claim more of them only where
// the last, which is not zero, lies above these.
func (s *surveyor) checkClaims() error {
	if s.rebuild != "" || s.claimed <= s.end.n {
		return nil
	}
	last, err := s.entry(s.claimed)
	if err == nil && last <= uint64(s.end.pos) {
		s.rebuild = fmt.Sprintf("its entry %d is %d, the line of entry %d ends at %d", s.claimed, last, s.end.n, s.end.pos)
	}
	return err
}
