package partition

import (
	"errors"
	"io/fs"
	"time"

	"example.com/jlq/internal/segment"
	"example.com/jlq/writer"
)

// ErrEmptySegment is returned by [Partition.Roll] when the active segment
// holds no record.
var ErrEmptySegment = writer.ErrEmpty

// ErrNoSegments is matched by the errors of a bare file that is to be rolled,
// or opened with limits of segments.
var ErrNoSegments = writer.ErrNoSegments

// Roll seals the active segment and begins the next, durably: from then on
// its files do not change any more. Where it is empty, the error is
// [ErrEmptySegment]. Where the files of the next one cannot be made, the error
// says why, and appends go on in the old one.
func (p *Partition) Roll() error {
	if p.write == nil {
		return ErrReadOnly
	}
	err := p.write.Roll()
	if errors.Is(err, ErrNoSegments) || errors.Is(err, ErrEmptySegment) {
		return &fs.PathError{Op: "roll", Path: p.place.Path, Err: err}
	}
	return err
}

// rollsAlone reports whether a limit makes the log roll.
func (o *Options) rollsAlone() bool {
	return o.SegmentRecords > 0 || o.SegmentBytes > 0 || o.SegmentAge > 0
}

// refuseLimits: a bare file has one segment for good.
func (p *Partition) refuseLimits() error {
	o := &p.opts
	if !p.place.Bare || !o.rollsAlone() && !o.Retention.any() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: p.place.Path, Err: ErrNoSegments}
}

// owner is what the writer asks of the partition.
func (p *Partition) owner() writer.Owner {
	var o writer.Owner
	if p.opts.Shared {
		o.Enter, o.Leave, o.Retire = p.enter, p.leave, p.retire
	}
	if p.place.Bare {
		return o
	}
	o.Save, o.Next, o.PutOff, o.Rolled, o.Created = p.save, p.nextSegment, p.rollPutOff, p.retain.wake, p.meta.now().Created
	return o
}

// save makes it durable how far the active segment is synced, and since when
// it holds records, where that is known.
func (p *Partition) save(position int64, created time.Time) error {
	return p.meta.change(func(m *segment.Meta) {
		m.Synced.Position = position
		if !created.IsZero() {
			m.Created = segment.Timestamp(created)
		}
	})
}

// nextSegment does the steps of a roll that package internal/segment numbers 1
// to 4, and then lets go of the old segment.
func (p *Partition) nextSegment(old *segment.Active, base uint64) (*segment.Active, error) {
	if err := p.findLeftovers(old.Base, base); err != nil {
		return nil, err
	}
	if err := p.removeLeftovers(); err != nil {
		return nil, err
	}
	if err := p.refuseWithin(old.Base, base); err != nil {
		return nil, err
	}
	next, err := old.Next(base, &p.locks)
	if err == nil {
		err = p.promiseNext(next)
	}
	if err != nil {
		p.halfMade = append(p.halfMade, segment.PairAt(p.place.Path, base))
		return nil, err
	}
	if !p.opts.Shared {
		p.log.Rolled(base)
	}
	// The old files are synced and nothing is written to them any more, so that
	// they cannot be closed costs no record.
	if err := errors.Join(p.locks.GiveUp(old.Records), old.Close()); err != nil {
		p.opts.Logger.Warn("the files of a sealed segment could not be closed", "log", p.place.Path, "base", old.Base, "error", err)
	}
	p.putOff = ""
	return next, nil
}

// findLeftovers finds those of other processes that append to the log.
func (p *Partition) findLeftovers(from, next uint64) error {
	if !p.opts.Shared {
		return nil
	}
	found, err := p.place.Files(p.opts.FS)
	if err != nil {
		return err
	}
	for i, _ := segment.FindBase(found, from+1); i < len(found) && found[i].Base < next; i++ {
		p.halfMade = append(p.halfMade, found[i].Pair)
	}
	return nil
}

// removeLeftovers removes what rolls that were put off could not. Behind the
// next segment nobody would look for it again, and readers would take it for
// the end of the old one.
func (p *Partition) removeLeftovers() error {
	for _, pair := range p.halfMade {
		if err := segment.RemoveEmpty(p.opts.FS, pair); err != nil {
			return err
		}
	}
	p.halfMade = nil
	return nil
}

// errWithin is about a file of another program that has a segment's name.
var errWithin = errors.New("the name is that of a segment within the one that is to be sealed; move the file away")

// refuseWithin keeps a segment from being sealed around a file that is named
// as if a segment began within it: readers would take the records from that
// base on from there, and a trim would remove it. The segment goes on until it
// is gone. What has the name of the next segment itself is found when that is
// made.
func (p *Partition) refuseWithin(from, next uint64) error {
	found, err := p.place.Files(p.opts.FS)
	if err != nil {
		return err
	}
	i, _ := segment.FindBase(found, from+1)
	if i == len(found) || found[i].Base >= next {
		return nil
	}
	name := found[i].Records
	if !found[i].HasRecords {
		name = found[i].Index
	}
	return &fs.PathError{Op: "roll", Path: name, Err: errWithin}
}

// promiseNext makes partition.json durable that names the next segment. Where
// that failed and the old one stands, the segment is taken back. Where it
// cannot be known which one stands, nobody may append to either.
func (p *Partition) promiseNext(next *segment.Active) error {
	err := p.meta.roll(next.Base, p.readMeta)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, segment.ErrUncertain):
		return errors.Join(err, next.Close())
	}
	return errors.Join(err, next.Discard(&p.locks))
}

// rollPutOff tells why a roll did not come about, once for each reason.
func (p *Partition) rollPutOff(err error) {
	if p.putOff == err.Error() {
		return
	}
	p.putOff = err.Error()
	p.opts.Logger.Warn("the next segment could not be made; appends go on in the old one", "log", p.place.Path, "error", err)
}
