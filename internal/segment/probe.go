package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"example.com/jlq/index"
)

// The probe reads single entries of an index of which it is not known yet what
// it is worth. Opening must not cost what the log is long, so it searches.

// countClaims counts the records that the index claims. Zeros at its end claim
// nothing: a record has at least its newline, so they are what a power loss
// made of entries whose bytes had not reached the disk when the new size had.
func (s *surveyor) countClaims() error {
	whole := index.Count(s.idxSize)
	if whole == 0 {
		return nil
	}
	s.claimed = whole
	entry, err := s.entry(whole)
	if err != nil || entry != 0 {
		return err
	}
	s.claimed, err = s.nonZero(whole)
	s.zeros = whole - s.claimed
	return err
}

// nonZero returns the number of the highest entry up to i that is not zero; 0
// where there is none. Zeros are skipped a block at a time.
func (s *surveyor) nonZero(i uint64) (uint64, error) {
	buf := make([]byte, min(scanBlock, i*index.EntrySize))
	for i > 0 {
		n := min(uint64(len(buf))/index.EntrySize, i) // entries i-n+1 to i
		b := buf[:n*index.EntrySize]
		if err := readFull(s.idx, b, int64(i-n+1)*index.EntrySize); err != nil {
			return 0, fmt.Errorf("%s: entry %d: %w", s.pair.Index, i-n+1, err)
		}
		if rest := len(bytes.TrimRight(b, "\x00")); rest > 0 {
			return i - n + uint64(rest+index.EntrySize-1)/index.EntrySize, nil
		}
		i -= n
	}
	return 0, nil
}

// highest finds the highest index entry that lies inside the file and behind
// a newline. A writer of a weak mode promised nothing by its entries, and a
// power loss may have left many that are worth nothing, so they are not looked
// at.
//
// An index of which so many entries are wrong vouches for nothing: looking at
// each of them would cost what the log is long.
func (s *surveyor) highest() (mark, error) {
	if s.meta != nil && s.meta.Sync != SyncAlwaysName || s.idxSize < index.EntrySize {
		return mark{}, nil
	}
	// The last entry is the one, as a rule, and a wrong one in the middle must
	// not lead past it.
	last, ok, err := s.vouches(s.claimed)
	if ok || err != nil {
		return last, err
	}
	i, err := s.search(func(entry uint64) bool { return entry > uint64(s.recSize) })
	if err != nil {
		return mark{}, err
	}
	for tries := 0; i > 1 && tries < mostWrong; tries++ {
		i--
		pos, err := s.entry(i)
		if err != nil {
			return mark{}, err
		}
		if pos == 0 {
			// A hole; there may be millions of them.
			if i, err = s.nonZero(i); err != nil {
				return mark{}, err
			}
			i++
			continue
		}
		if m, ok, err := s.vouches(i); ok || err != nil {
			return m, err
		}
	}
	return mark{}, nil
}

// mostWrong is how many entries in a row are looked at for one that vouches.
const mostWrong = 1 << 16

// vouches returns the mark of entry i if it lies inside the file and behind a
// newline, or that of a higher one before it.
func (s *surveyor) vouches(i uint64) (m mark, ok bool, err error) {
	if i == 0 {
		return mark{}, false, nil
	}
	pos, err := s.entry(i)
	if err != nil || pos == 0 || pos > uint64(s.recSize) {
		return mark{}, false, err
	}
	if ok, err = s.behindNewline(int64(pos)); !ok || err != nil {
		return mark{}, false, err
	}
	m, err = s.higher(mark{i, int64(pos)})
	return m, true, err
}

// higher looks past entries before m that are not below it: one of them may
// vouch for more, and m be what is left of another index.
func (s *surveyor) higher(m mark) (mark, error) {
	for i, tries := m.n-1, 0; i > 0 && tries < mostWrong; i, tries = i-1, tries+1 {
		pos, err := s.entry(i)
		if err != nil || pos < uint64(m.pos) {
			return m, err
		}
		if pos > uint64(s.recSize) {
			continue
		}
		ok, err := s.behindNewline(int64(pos))
		if err != nil {
			return m, err
		}
		if ok {
			m = mark{i, int64(pos)}
		}
	}
	return m, nil
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

// entry reads a raw entry. What it is worth is not known yet, so any value is
// one.
func (s *surveyor) entry(i uint64) (uint64, error) {
	var b [index.EntrySize]byte
	if _, err := s.idx.ReadAt(b[:], int64(i)*index.EntrySize); err != nil {
		return 0, fmt.Errorf("%s: entry %d: %w", s.pair.Index, i, err)
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

// search returns the first entry behind entry 0 that is above something, if
// the entries increase; claimed+1 if there is none.
func (s *surveyor) search(above func(entry uint64) bool) (uint64, error) {
	return searchEntries(s.entry, 1, s.claimed+1, above)
}

// firstAbove returns the first entry above a position that was synced. Holes
// that a power loss left in the index lie among the entries that were not
// synced, so a zero is above it, too.
func (s *surveyor) firstAbove(position int64) (uint64, error) {
	return s.search(func(entry uint64) bool { return entry > uint64(position) || entry == 0 })
}
