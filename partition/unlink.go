package partition

import (
	"errors"

	"example.com/jlq/internal/segment"
)

// unlinkDropped removes the files of the segments that a trim drops, all that
// partition.json says it began with, and takes that note back.
//
// Crash table, by the step before which the power fails:
//
//	an unlink           it is done by the next opening
//	the directory sync  any of the unlinks may be undone: the same
//	partition.json      the next opening finds nothing to remove
//
// Without the note being taken back, segments that somebody puts there later
// would pass for what was left over.
func (p *Partition) unlinkDropped(found []segment.Files) (removed int, err error) {
	meta := p.meta.now()
	removed, err = p.unlink(meta.Dropped(found))
	if err != nil {
		return removed, err
	}
	// The note must not be gone before the names are.
	if err := p.opts.FS.SyncDir(p.place.Path); err != nil {
		return removed, err
	}
	return removed, p.meta.change(func(m *segment.Meta) { m.Dropping = segment.Span{} })
}

// unlink removes files of dropped segments, from the front, and of each segment
// the records first: a reader that comes in between finds that there is no such
// segment, and not one without an index. A file that cannot be removed (EACCES,
// EBUSY) keeps nobody from removing the others.
//
// What recovery or repair set aside of a segment stays: BASE.torn-POSITION is
// there for a person to look at, and goes by nobody else's hand.
func (p *Partition) unlink(dropped []segment.Files) (removed int, err error) {
	var errs []error
	for _, f := range dropped {
		if err := segment.RemoveFiles(p.opts.FS, f); err != nil {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// dropping reports whether there may be files that a trim has to remove.
func (p *Partition) dropping() bool { return p.meta.now().Dropping != segment.Span{} }

// finishTrim does that for the next trim, with the files that there are now.
func (p *Partition) finishTrim() error {
	if !p.dropping() {
		return nil
	}
	found, err := p.place.Files(p.opts.FS)
	if err != nil {
		return err
	}
	_, err = p.unlinkDropped(found)
	return err
}

// dropTrimmed finishes at opening what a crash kept a trim from doing, or a
// file that could not be removed: no reader sees these segments. Recovery has
// synced the directory, so start cannot go back once they are gone. What cannot
// be removed even now is tried again by the next trim.
func (p *Partition) dropTrimmed(found []segment.Files) (removed int) {
	if !p.dropping() {
		return 0
	}
	removed, err := p.unlinkDropped(found)
	p.tellTrim(&TrimPlan{}, err)
	return removed
}
