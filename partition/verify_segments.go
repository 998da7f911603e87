package partition

import (
	"fmt"
	"slices"

	"example.com/jlq/internal/segment"
)

// segmentEnd is the offset behind a segment: as its lines have it, and as its
// index has it.
type segmentEnd struct{ lines, entries uint64 }

// leadsTo reports whether the next segment may begin with base. Where lines
// and index disagree that was told already; one of them is right.
func (e segmentEnd) leadsTo(base uint64) bool { return base == e.lines || base == e.entries }

// segments lists the segments and tells which are away.
func (v *verifier) segments() ([]segment.Pair, error) {
	pairs, err := v.list()
	if err != nil {
		return nil, err
	}
	if v.meta != nil {
		pairs = segment.Kept(pairs, v.meta.Start)
		if err := v.outside(); err != nil {
			return nil, err
		}
	}
	for _, pair := range pairs {
		info, err := v.p.opts.FS.Stat(pair.Records)
		if err != nil {
			return nil, err
		}
		v.total += info.Size
	}
	if v.p.place.Bare {
		return pairs, nil
	}
	return pairs, v.missing(pairs)
}

// list is the segments that are verified, but for those that a roll was making.
func (v *verifier) list() ([]segment.Pair, error) {
	if v.p.place.Bare {
		return v.p.place.Pairs(v.p.opts.FS)
	}
	found, err := v.p.place.Files(v.p.opts.FS)
	if err == nil {
		v.found, v.halfMade, err = v.p.apartHalfMade(found, v.meta)
	}
	return segment.WithRecords(v.found), err
}

// outside tells of segments that lie below the start of the log: they are no
// fault of it.
func (v *verifier) outside() error {
	o, err := segment.FindOutside(v.p.opts.FS, v.meta, v.found)
	if err != nil || o.Segments == 0 {
		return err
	}
	return v.report(Problem{Kind: KindSegment, Path: v.p.place.Path, Offset: o.Start, Note: true, Reason: o.Text(bytesText)})
}

// rolling tells of segments that a roll was making, or left behind. They are no
// fault, unless they lie behind the end: their names come after the records
// before them.
func (v *verifier) rolling(end segmentEnd) error {
	for _, f := range v.halfMade {
		p := Problem{Kind: KindSegment, Path: f.Records, Offset: f.Base, Note: true,
			Reason: "an empty segment, which a roll was making or left behind; opening for appending finishes the roll, or removes it"}
		if next := max(end.lines, end.entries); f.Base > next {
			p.Offset, p.Records, p.Note = next, f.Base-next, false
			p.Reason = fmt.Sprintf("an empty segment begins with offset %d where %d should follow: the end of the one before is lost, or a segment between is away; %s",
				f.Base, next, v.repair())
		}
		if err := v.report(p); err != nil {
			return err
		}
	}
	return nil
}

// missing tells of segments that are known by their index or partition.json
// only. One that a crash kept from being made has no records to be missed.
func (v *verifier) missing(pairs []segment.Pair) error {
	if err := v.lastAway(pairs); err != nil {
		return err
	}
	if err := v.startBeyond(pairs); err != nil {
		return err
	}
	var err error
	if v.widows, err = v.p.widows(v.found, v.meta); err != nil {
		return err
	}
	for _, w := range v.widows {
		if v.meta != nil && w.base == v.meta.Synced.Base {
			continue // lastAway has told
		}
		err := v.report(Problem{Kind: KindSegment, Path: segment.PairAt(v.p.place.Path, w.base).Records, Offset: w.base, Records: w.records,
			Reason: "there is an index but no records file: it is away (moved or lost); put it back"})
		if err != nil {
			return err
		}
	}
	return nil
}

// lastAway tells that the segment which partition.json names is not there.
func (v *verifier) lastAway(pairs []segment.Pair) error {
	m := v.meta
	if m == nil || holds(pairs, m.Synced.Base) {
		return nil
	}
	reason := "the segment that partition.json names is away (moved or lost); put its two files back"
	if m.Synced.Position == 0 && len(pairs) == 0 {
		reason = "the segment that partition.json names is away; it was empty, and opening for appending makes it again"
	}
	return v.report(Problem{Kind: KindSegment, Path: segment.PairAt(v.p.place.Path, m.Synced.Base).Records,
		Offset: m.Synced.Base, Length: m.Synced.Position, Reason: reason})
}

// startBeyond tells of a log whose first offset lies above all of its segments:
// readers find no record in it, and it is not appended to.
func (v *verifier) startBeyond(pairs []segment.Pair) error {
	m := v.meta
	if m == nil || m.Start <= m.Synced.Base || len(pairs) > 0 && pairs[len(pairs)-1].Base >= m.Start {
		return nil
	}
	return v.report(Problem{Kind: KindSegment, Path: segment.PairAt(v.p.place.Path, m.Start).Records, Offset: m.Start,
		Reason: fmt.Sprintf("partition.json says that the log begins at offset %d, and the segment of that offset is away (moved or lost); put its two files back", m.Start)})
}

// joins compares the base of a segment with the end of the one before it. What
// is missing between them is named as the file that should be there.
func (v *verifier) joins(i int, pair segment.Pair, end segmentEnd) error {
	want := end.lines
	switch {
	case i > 0 && end.leadsTo(pair.Base):
		return nil
	case i > 0:
	case v.meta == nil || pair.Base <= v.meta.Start:
		return nil
	default:
		want = v.meta.Start
	}
	if pair.Base < want {
		return v.report(Problem{Kind: KindSegment, Path: pair.Records, Offset: pair.Base, Records: want - pair.Base,
			Reason: fmt.Sprintf("the segment begins with offset %d where %d should follow: the records between have the offset of another one, too; lines were added to the segment before",
				pair.Base, want)})
	}
	if slices.Contains(v.widows, widow{want, pair.Base - want}) {
		return nil // missing has told
	}
	text := "a segment is away (moved or lost): the next one begins with offset %d where %d should follow; put its two files back"
	if i > 0 {
		text += ", or the end of the one before is lost"
	}
	return v.report(Problem{Kind: KindSegment, Path: segment.PairAt(v.p.place.Path, want).Records, Offset: want, Records: pair.Base - want,
		Reason: fmt.Sprintf(text, pair.Base, want)})
}
