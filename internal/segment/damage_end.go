package segment

import (
	"fmt"
	"math/bits"
)

// finish deals with damage that reaches the end of the file, and sums up.
func (s *damageSurvey) finish() error {
	s.NewEnd = s.recInfo.Size
	if s.Newline {
		s.NewEnd++
	}
	var err error
	switch {
	case s.opts.Next != nil:
		err = s.finishSealed(*s.opts.Next - s.Base)
	case s.open != nil:
		err = s.finishTail()
	}
	if err != nil || s.Left != "" {
		return err
	}
	s.NewRecords = s.n
	s.judgeIndex()
	s.nameAsides()
	return nil
}

// finishTail keeps what the index proves of the damage at the end, and cuts
// the rest.
func (s *damageSurvey) finishTail() error {
	d := s.open
	s.open = nil
	kept, err := s.salvage(*d)
	if err != nil {
		return err
	}
	if kept != nil {
		if err := s.add(kept); err != nil {
			return err
		}
		d.Start, d.First = kept.End, s.n
	}
	s.NewEnd = d.Start
	if d.Start < s.recInfo.Size {
		s.Tail = d
	}
	return nil
}

// salvage returns the part of the damage at the end up to the last record that
// is whole by the index, nil where there is none.
func (s *damageSurvey) salvage(d Damage) (*Damage, error) {
	ok, err := s.known(d.Start)
	if err != nil || !ok {
		return nil, err
	}
	above, err := s.old.above(s.recInfo.Size)
	if err != nil || above <= s.n+1 {
		return nil, err
	}
	d.Proof, d.Slots = ByEntries, above-1-s.n
	kept, slots := uint64(0), uint64(0)
	for slot, err := range s.slots(s.rec, s.old, &d) {
		if err != nil {
			return nil, err
		}
		if slots++; slot.keep {
			kept, d.End = slots, slot.end
		}
	}
	d.Slots = kept
	if kept == 0 {
		return nil, nil
	}
	return &d, nil
}

// finishSealed makes the segment hold the count records that the base of the
// next one demands.
func (s *damageSurvey) finishSealed(count uint64) error {
	if d := s.open; d != nil {
		s.open = nil
		if err := s.closeSealed(d, count); err != nil || s.Left != "" {
			return err
		}
	}
	if s.fitUnproven(count) || s.n == count {
		return nil
	}
	if s.n < count && len(s.unproven()) == 0 && !s.steps.differs && s.claims(count) {
		// It was cut between two lines.
		d := &Damage{Start: s.NewEnd, End: s.NewEnd, Why: errShort, First: s.n, Slots: count - s.n, Proof: ByCount}
		s.NewEnd += int64(d.Slots)
		return s.add(d)
	}
	s.leave(fmt.Sprintf("it holds %s", Plural(s.n, "record")), count)
	return nil
}

// leave says that the segment does not reach up to the next one, and why it is
// not made to.
func (s *damageSurvey) leave(what string, count uint64) {
	s.Left = fmt.Sprintf("%s, and the next segment begins at offset %d where %d would follow: a segment between them is away, or this one is not what it was; put the missing files back, or this one from a copy",
		what, s.Base+count, s.Base+s.n)
	if s.n > count {
		s.Left = fmt.Sprintf("%s, and the next segment begins at offset %d: lines were added by hand, or it is not the file that it was; put it back from a copy", what, s.Base+count)
	}
}

// claims reports whether the index says that the segment held count records. A
// segment that never did is followed by one that is away, and is not filled up.
func (s *damageSurvey) claims(count uint64) bool {
	return s.old.ok && s.old.sound >= count
}

// closeSealed ends damage that reaches the end of a sealed segment.
func (s *damageSurvey) closeSealed(d *Damage, count uint64) error {
	d.End = s.recInfo.Size
	if count <= s.n {
		s.leave(fmt.Sprintf("it holds %s before the damage at %d", Plural(s.n, "record"), d.Start), count)
		return nil
	}
	d.Proof, d.Slots = ByCount, count-s.n
	exact, err := s.endsExactly(d, count)
	if err != nil {
		return err
	}
	if exact {
		d.Proof = ByEntries
	} else if size := uint64(d.End - d.Start); !s.fits(size, d.Slots) || d.Slots > size && !s.claims(count) {
		s.leave(fmt.Sprintf("it holds %s, then damage from %d to %d", Plural(s.n, "record"), d.Start, d.End), count)
		return nil
	}
	if err := s.add(d); err != nil {
		return err
	}
	s.NewEnd = max(d.End, d.Start+int64(d.Slots))
	return nil
}

// endsExactly reports whether the index has the damage at the end: where it
// begins and, as its last entry, where it ends.
func (s *damageSurvey) endsExactly(d *Damage, count uint64) (bool, error) {
	known, err := s.known(d.Start)
	if err != nil || !known {
		return false, err
	}
	last, found, err := s.old.find(d.End)
	return found && last == count, err
}

// fitUnproven divides the records that are missing among the ranges of which
// nothing says how many they held. With one such range that is a proof.
func (s *damageSurvey) fitUnproven(count uint64) bool {
	ranges := s.unproven()
	size, places := uint64(0), uint64(0)
	for _, d := range ranges {
		size += uint64(d.End - d.Start)
		places += d.Slots
	}
	missing := count - (s.n - places)
	if len(ranges) == 0 || s.n-places > count || missing < uint64(len(ranges)) || missing > size {
		return false
	}
	shares := make([]uint64, len(ranges))
	for i, d := range ranges {
		bytes := uint64(d.End - d.Start)
		shares[i] = share(missing, bytes, size, uint64(len(ranges)-i-1))
		if !s.fits(bytes, shares[i]) {
			return false
		}
		missing, size = missing-shares[i], size-bytes
	}
	s.divide(shares)
	if len(ranges) == 1 {
		s.Shift, s.ShiftFrom = "", 0
	}
	return true
}

// divide gives the unproven ranges their shares, and moves what is behind.
func (s *damageSurvey) divide(shares []uint64) {
	moved := uint64(0)
	for i := range s.Damages {
		d := &s.Damages[i]
		d.First += moved
		if d.Proof == Unproven {
			moved += shares[0] - d.Slots
			d.Proof, d.Slots, d.Lost = ByCount, shares[0], shares[0]
			shares = shares[1:]
		}
	}
	s.n += moved
}

// share is the part of missing that a range of size bytes gets, of those of
// total bytes; after later ranges have at least one each.
func share(missing, size, total, later uint64) uint64 {
	high, low := bits.Mul64(missing, size)
	part, _ := bits.Div64(high, low, total)
	least := missing - min(missing, total-size) // what the later ranges cannot take
	return min(max(part, least, 1), missing-later, size)
}

// fits reports whether so many bytes can have been so many records.
func (s *damageSurvey) fits(size, records uint64) bool {
	longest := uint64(s.opts.MaxLine) + 1
	return (size+longest-1)/longest <= records
}

// unproven returns the ranges whose number of records is not known.
func (s *damageSurvey) unproven() []*Damage {
	var out []*Damage
	for i := range s.Damages {
		if s.Damages[i].Proof == Unproven {
			out = append(out, &s.Damages[i])
		}
	}
	return out
}
