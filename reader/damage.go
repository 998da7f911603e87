package reader

import (
	"errors"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// Damage is a run of records that cannot be read, as Options.Skip is told of
// it.
type Damage struct {
	Offset   uint64 // of the first of them, or UnknownOffset
	Records  uint64 // how many there are; 0: none is lost, but something is wrong between Offset-1 and Offset
	Position int64  // where they begin in their records file
	End      int64  // where they end; 0 where that is not known
	Err      error  // what Next returns for them
}

// badRange is what the last error was about, and Skip leaves out.
type badRange struct {
	set     bool
	line    bool   // a line that is too long to be held, of which only the start is known
	joint   bool   // a segment that does not lead to the next one: no record
	records uint64 // else, so many
	start   int64  // of a record that is too large
	end     int64  // 0 where that is not known
}

// damaged marks err as one that Skip can leave behind. What the operating
// system says is not: an I/O error says nothing about the records.
func (r *Reader) damaged(err error) error {
	if !isSystem(err) {
		r.bad = badRange{set: true, records: 1}
	}
	return err
}

// Skip goes on behind what the last error of Next was about: a run of records
// that do not prove themselves, or one that is larger than the limit. Where
// the last call of Next gave no such error, it does nothing.
func (r *Reader) Skip() error {
	if !r.bad.set {
		return nil
	}
	if r.bad.line {
		if err := r.skipLine(); err != nil {
			return err
		}
	}
	if r.bad.joint {
		r.leaveSource()
	}
	r.next += r.step * r.bad.records
	r.bad = badRange{}
	return nil
}

// skip is what sequences are to pass over.
func (o *Options) skip() func(Damage) error {
	if o.Skip != nil || o.SkipLarge == nil {
		return o.Skip
	}
	return onlyLarge(o.SkipLarge)
}

// onlyLarge passes over what is too large, and nothing else.
func onlyLarge(skip func(Damage) error) func(Damage) error {
	return func(d Damage) error {
		if !errors.Is(d.Err, jsonl.ErrTooLarge) {
			return d.Err
		}
		return skip(d)
	}
}

// passOver returns nil where err is about damage that Options.Skip wants left
// out, and the reader stands behind it.
func (r *Reader) passOver(err error) error {
	if r.skip == nil || !r.bad.set {
		return err
	}
	if err := r.skip(r.damage(err, r.next)); err != nil {
		return err
	}
	return r.Skip()
}

// passOverBack is passOver for going backwards.
func (r *Reader) passOverBack(err error) error {
	if r.skip == nil || !r.bad.set {
		return err
	}
	if err := r.skip(r.damage(err, r.next-r.step*r.bad.records)); err != nil {
		return err
	}
	if r.bad.line {
		r.line.pos = r.bad.start
	}
	r.next -= r.step * r.bad.records
	r.bad = badRange{}
	return nil
}

// damage is what the last error was about. offset is that of the record which
// was to be read.
func (r *Reader) damage(err error, offset uint64) Damage {
	d := Damage{Offset: offset, Records: r.bad.records, Position: r.bad.start, End: r.bad.end, Err: err}
	if e, ok := errors.AsType[*segment.CorruptError](err); ok {
		d.Offset, d.Position, d.End = e.Offset, e.Position, e.End
	}
	return d
}

// widen makes an error about the record at r.next one about all those that
// cannot be read, up to the next one that proves itself.
func (r *Reader) widen(err error) error {
	e, ok := errors.AsType[*segment.CorruptError](err)
	if !ok || !r.bad.set || r.byLine || r.bad.joint || e.Records > 0 {
		return err
	}
	src := r.lease.src
	k := r.next - src.Base
	end := max(k+1, min(r.indexed, r.limit-src.Base))
	s, err := r.newSearch(src)
	if err != nil {
		return err
	}
	found, err := s.ahead(k, end)
	if err != nil {
		return err
	}
	r.bad.records = found.to - k
	return r.describe(s, e, r.next, found)
}

// widenBack is widen for the record before r.next, and those before that.
func (r *Reader) widenBack(err error) error {
	e, ok := errors.AsType[*segment.CorruptError](err)
	if !ok || !r.bad.set || r.byLine || e.Records > 0 {
		return err
	}
	src := r.lease.src
	s, err := r.newSearch(src)
	if err != nil {
		return err
	}
	k := r.next - src.Base
	first := r.log.layout.Load().start
	found, err := s.behind(k, first-min(first, src.Base))
	if err != nil {
		return err
	}
	r.bad.records = k - found.from
	return r.describe(s, e, src.Base+found.from, found)
}

// describe makes the error about all records of found, the first of which has
// that offset. Where the index has no entry for it any more, the place is what
// it was.
func (r *Reader) describe(s *search, e *segment.CorruptError, offset uint64, found stretch) error {
	wide := &segment.CorruptError{
		Path: e.Path, Offset: offset, Records: r.bad.records, Position: e.Position, End: e.End, Err: e.Err,
	}
	if !found.placed {
		return wide
	}
	wide.Path, wide.Position, wide.End = r.lease.src.Records, found.start, found.end
	if found.end == 0 && wide.Records == 1 && e.Path == wide.Path {
		wide.End = e.End // by its index entry, for what that is worth
	}
	hole, err := s.hole(found)
	if err != nil {
		return err
	}
	if hole && !r.log.place.Bare {
		wide.Err = jsonl.ErrNUL // the index is not to blame
	}
	return wide
}
