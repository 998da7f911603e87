package segment

import (
	"encoding/binary"
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

	promise   int64 // records below it must not be cut
	anchor    mark  // the entries up to here are believed
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
}

func (s *surveyor) run() error {
	s.claimed = index.Count(s.idxSize)
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
	// Without a partition.json nothing is known of the lines that the index
	// describes; they stay as they are.
	s.checkFrom = max(s.anchor.pos, s.synced())
	if s.meta == nil {
		s.checkFrom = highest.pos
	}
	return s.scan()
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
	i, err := s.firstAbove(uint64(position))
	if err != nil {
		return err
	}
	e.Offset += max(i, 1) - 1
	return e
}

// behindNewline reports whether a line can begin at position.
func (s *surveyor) behindNewline(position int64) (bool, error) {
	if position == 0 {
		return true, nil
	}
	if position > s.recSize {
		return false, nil
	}
	var b [1]byte
	if _, err := s.rec.ReadAt(b[:], position-1); err != nil {
		return false, err
	}
	return b[0] == '\n', nil
}

// highest finds the highest index entry that lies inside the file and behind
// a newline. A writer of a weak mode promised nothing by its entries, and a
// power loss may have left many that are worth nothing, so they are not looked
// at.
func (s *surveyor) highest() (mark, error) {
	if s.meta != nil && s.meta.Sync != SyncAlwaysName || s.idxSize < index.EntrySize {
		return mark{}, nil
	}
	i, err := s.firstAbove(uint64(s.recSize))
	if err != nil {
		return mark{}, err
	}
	for i--; i > 0 && i <= s.claimed; i-- {
		pos, err := s.entry(i)
		if err != nil {
			return mark{}, err
		}
		if pos == 0 {
			// A record has at least its newline, so this is what a power loss
			// left; there may be millions of them.
			if i, err = s.firstZero(i); err != nil {
				return mark{}, err
			}
			continue
		}
		if pos > uint64(s.recSize) {
			continue
		}
		ok, err := s.behindNewline(int64(pos))
		if err != nil || ok {
			return mark{i, int64(pos)}, err
		}
	}
	return mark{}, nil
}

// firstZero returns where the zeros begin that entry last is the end of.
func (s *surveyor) firstZero(last uint64) (uint64, error) {
	low, high := uint64(1), last
	for low < high {
		mid := low + (high-low)/2
		pos, err := s.entry(mid)
		if err != nil {
			return 0, err
		}
		if pos == 0 {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low, nil
}

// entry reads a raw entry. What it is worth is not known yet, so any value is
// one.
func (s *surveyor) entry(i uint64) (uint64, error) {
	var b [index.EntrySize]byte
	if _, err := s.idx.ReadAt(b[:], int64(i)*index.EntrySize); err != nil {
		return 0, fmt.Errorf("%s: entry %d: %w", s.pair.Index, i, err)
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

// firstAbove returns the first entry above position, if the entries increase;
// claimed+1 if there is none.
func (s *surveyor) firstAbove(position uint64) (uint64, error) {
	low, high := uint64(0), s.claimed+1
	for low < high {
		mid := low + (high-low)/2
		pos, err := s.entry(mid)
		if err != nil {
			return 0, err
		}
		if pos > position {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low, nil
}

// findAnchor finds the entry from which on the index is derived again. It is
// that of the synced position; where the index does not have it, it is
// missing, behind or of another file, and the newlines are counted from the
// beginning.
func (s *surveyor) findAnchor() error {
	if s.idxSize < index.EntrySize {
		if s.recSize > 0 {
			s.rebuild = "it was missing or empty"
		}
		return nil
	}
	first, err := s.entry(0)
	if err != nil {
		return err
	}
	if first != 0 {
		s.rebuild = fmt.Sprintf("its first entry is %d, not 0", first)
		return nil
	}
	synced := s.synced()
	if synced == 0 {
		return nil
	}
	// The lowest entry of that value: an index that was filled with one value
	// has more of them.
	i, err := s.firstAbove(uint64(synced - 1))
	if err != nil || i > s.claimed {
		return err
	}
	pos, err := s.entry(i)
	if err != nil || pos != uint64(synced) {
		return err
	}
	// An index of another file can hold that position too. A sample of what
	// lies below it, of a size that does not grow with the log, tells.
	ok, why, err := index.Trusted(s.idx, i, s.rec, synced)
	if err != nil {
		return err
	}
	if !ok {
		s.rebuild = why
		return nil
	}
	s.anchor = mark{i, synced}
	s.agreed = s.anchor
	return nil
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
		if err := s.compare(entries); err != nil {
			return err
		}
	}
}

// judge says what is wrong with a line, if anything.
func (s *surveyor) judge(l Line) error {
	switch {
	case !l.Whole:
		return errNoNewline
	case l.Start < s.checkFrom:
		return nil
	case l.NUL():
		return errNUL
	case s.meta == nil:
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
