package segment

import (
	"errors"
	"fmt"
	"io"
)

var (
	errLongLine = errors.New("a line longer than the largest record")
	errRemnant  = errors.New("the rest of a damaged line")

	// ErrTooDamaged is returned by [PlanRepair] for a file of which so much
	// is damaged that it is not a damaged log.
	ErrTooDamaged = errors.New("too many damaged ranges for a log: was it written by jlq, and with this validation? put it back from a copy")
)

// maxDamages bounds the memory of a plan.
const maxDamages = 100_000

// Proof says how it is known which records a damaged range held.
type Proof int

const (
	// ByEntries: the index has the range's beginning, its end, and every
	// boundary between.
	ByEntries Proof = iota
	// ByCount: where the next segment begins says how many records there
	// were.
	ByCount
	// Unproven: what is counted are the newlines that are left.
	Unproven
)

// Damage is a range of a records file that does not hold records any more.
type Damage struct {
	Start, End int64  // whole lines, and what NUL bytes have joined to them
	Why        error  // what is wrong with its first piece
	First      uint64 // the first record that was there, counted within the segment
	Slots      uint64 // how many places for records it gets
	Kept       uint64 // in how many of them a record is left
	Lost       uint64 // how many records are lost, as far as is known
	Proof      Proof
	Saved      string // where its bytes are kept, or will be
}

// damageSurvey goes through a records file piece by piece, tells records from
// damage, and holds both against the index.
type damageSurvey struct {
	*PairRepair
	rec    io.ReaderAt
	old    *oldIndex
	asides Asides
	steps  lockstep

	n      uint64  // records and lost records so far
	open   *Damage // the range that is being looked at
	broken bool    // the last piece has no newline, so the next may be half a line
}

func (s *damageSurvey) run() error {
	pieces := NewScanner(s.rec, 0, s.recInfo.Size, s.opts.MaxLine)
	for {
		p, err := pieces.NextPiece()
		if err == io.EOF {
			return s.finish()
		}
		if err != nil {
			return err
		}
		s.Longest = max(s.Longest, p.End-p.Start)
		if err := s.piece(&p); err != nil {
			return err
		}
		s.broken = !p.Whole
	}
}

func (s *damageSurvey) piece(p *Line) error {
	if p.End == s.recInfo.Size && !p.Whole && !p.NUL() {
		return s.lastPiece(p)
	}
	why, err := s.judge(p)
	switch {
	case err != nil:
		return err
	case why == nil:
		return s.good(p.Start, p.End)
	}
	s.bad(p, why)
	return nil
}

func (s *damageSurvey) bad(p *Line, why error) {
	if s.open == nil {
		s.open = &Damage{Start: p.Start, Why: why, First: s.n}
	}
	if why == errNUL && s.open.Why == errNoNewline {
		s.open.Why = errNUL // which is what took the newline away
	}
	s.open.End = p.End
}

// judge says why a piece is no record, if it is none.
func (s *damageSurvey) judge(p *Line) (why, err error) {
	switch {
	case p.NUL():
		return errNUL, nil
	case !p.Whole:
		return errNoNewline, nil
	case s.broken:
		if ok, err := s.begins(p); err != nil || !ok {
			return errRemnant, err
		}
	}
	if p.Data == nil {
		return s.tooLong(), nil
	}
	return s.invalid(p.Data, p.Start, p.End), nil
}

// invalid says why a whole line is no record.
func (s *damageSurvey) invalid(data []byte, start, end int64) error {
	if s.asides.Gap(data, start, end-1) != "" {
		return nil
	}
	return s.opts.Check(start, data)
}

// tooLong judges a line that is longer than a record can be.
func (s *damageSurvey) tooLong() error {
	if s.opts.AnyLine {
		return nil
	}
	return errLongLine
}

// begins reports whether a record can begin where the damage before it ends.
// The index says so, as far as it goes; else an object or array is one, of
// which hardly any part is another.
func (s *damageSurvey) begins(p *Line) (bool, error) {
	i, found, err := s.old.find(p.Start)
	if err != nil || found {
		return found, err
	}
	if known, err := s.known(s.open.Start); err != nil || known && i <= s.old.sound {
		return false, err
	}
	return p.Data != nil && s.opts.Complete(p.Data), nil
}

// lastPiece judges what follows the last newline. It is a record if its
// newline is all that is missing; in a bare file it waits for one.
func (s *damageSurvey) lastPiece(p *Line) error {
	if p.Data != nil && s.opts.Bare && s.opts.Complete(p.Data) {
		return s.closeOpen(p.Start)
	}
	_, known, err := s.old.find(p.End + 1)
	if err != nil {
		return err
	}
	if known && p.Data != nil && s.opts.Check(p.Start, p.Data) == nil {
		s.Newline = true
		return s.good(p.Start, p.End+1)
	}
	s.bad(p, errNoNewline)
	return nil
}

// good counts a record.
func (s *damageSurvey) good(start, end int64) error {
	if err := s.closeOpen(start); err != nil {
		return err
	}
	s.n++
	s.syncFit = s.syncFit || end == s.opts.Synced
	return s.steps.compare(s.old, s.n, start, end)
}

// closeOpen ends the damaged range, if there is one, at a position where a
// record begins.
func (s *damageSurvey) closeOpen(end int64) error {
	d := s.open
	if d == nil {
		return nil
	}
	s.open, d.End, d.Proof = nil, end, Unproven
	ok, err := s.known(d.Start)
	if err != nil {
		return err
	}
	if ok {
		last, found, err := s.old.find(end)
		if err != nil {
			return err
		}
		if found && last > s.n {
			d.Proof, d.Slots = ByEntries, last-s.n
		}
	}
	return s.add(d)
}

// known reports whether the index agrees that record n begins at start.
func (s *damageSurvey) known(start int64) (bool, error) {
	i, found, err := s.old.find(start)
	return found && i == s.n, err
}

// add takes a range into the plan.
func (s *damageSurvey) add(d *Damage) error {
	if len(s.Damages) == maxDamages {
		return fmt.Errorf("%s: %w", s.Records, ErrTooDamaged)
	}
	if d.Proof == ByCount {
		d.Lost = d.Slots
	} else if err := s.countSlots(d); err != nil {
		return err
	}
	s.n += d.Slots
	s.Damages = append(s.Damages, *d)
	if d.Proof == Unproven {
		s.shift(d.First+d.Slots, fmt.Sprintf("nothing says how many records the damage from %d to %d held", d.Start, d.End))
	}
	return nil
}

// countSlots counts the places in a range, and the records that they lose.
func (s *damageSurvey) countSlots(d *Damage) error {
	slots, kept, lost := uint64(0), uint64(0), uint64(0)
	for slot, err := range s.slots(s.rec, s.old, d) {
		if err != nil {
			return err
		}
		slots++
		switch {
		case slot.keep:
			kept++
		case !slot.rest:
			lost++
		}
	}
	d.Slots, d.Kept, d.Lost = slots, kept, lost
	return nil
}

// shift notes that records from number n on may not keep their offsets.
func (s *damageSurvey) shift(n uint64, why string) {
	if s.Shift == "" {
		s.Shift, s.ShiftFrom = why, n
	}
}
