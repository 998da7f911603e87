package partition

import (
	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// chain is the segments that recovery looks at: the one that partition.json
// promises, and those behind it. The ones before it are sealed; of these, only
// the names count.
func (p *Partition) chain(meta *segment.Meta, found []segment.Files) ([]segment.Files, error) {
	if len(found) == 0 && (meta == nil || meta.Synced == segment.Mark{} && meta.Start == 0) {
		// A new log, or one whose files never came to the disk.
		return []segment.Files{{Pair: segment.PairAt(p.place.Path, 0)}}, p.refuseForeign(meta)
	}
	from, err := p.chainFrom(meta, found)
	if err != nil {
		return nil, err
	}
	return found[from:], p.joins(found[:from], found[from].Base, meta != nil)
}

// chainFrom returns which of the segments found is the first of the chain.
func (p *Partition) chainFrom(meta *segment.Meta, found []segment.Files) (int, error) {
	if meta == nil {
		return p.lastHolding(found)
	}
	if meta.Start > meta.Synced.Base && (len(found) == 0 || found[len(found)-1].Base < meta.Start) {
		// Readers know of no record below start, so what was appended behind
		// the segments that are there would never be read.
		return 0, p.away(meta.Start)
	}
	// The names of a segment are on the disk before partition.json tells of
	// it, so one that is missing was moved or lost.
	from, ok := segment.FindBase(found, meta.Synced.Base)
	if ok {
		return from, nil
	}
	if err := p.joins(found[:from], meta.Synced.Base, true); err != nil {
		return 0, err // it cannot have been there
	}
	return 0, p.away(meta.Synced.Base)
}

// lastHolding is the last segment with a records file that is not empty, or the
// first of all where none is: behind it, there can only be what a broken-off roll
// left.
func (p *Partition) lastHolding(found []segment.Files) (int, error) {
	for i := len(found) - 1; i > 0; i-- {
		if !found[i].HasRecords {
			continue
		}
		info, err := p.opts.FS.Stat(found[i].Records)
		if err != nil || info.Size > 0 {
			return i, err
		}
	}
	return 0, nil
}

// joins refuses a segment that begins before the last sealed one ends: its
// offsets would be given out twice. vouched says that partition.json names the
// segment: what lies before it may then be away, or its index be behind. Where
// it does not, the one before must lead to it, as far as that can be known.
func (p *Partition) joins(sealed []segment.Files, base uint64, vouched bool) error {
	before := lastWith(sealed)
	if before == nil || !before.HasIndex {
		return nil
	}
	info, err := p.opts.FS.Stat(before.Index)
	if err != nil {
		return ignoreMissing(err) // moved away at this moment
	}
	next := before.Base + index.Count(info.Size)
	if next > base {
		return segment.NotJoined(segment.PairAt(p.place.Path, base), next)
	}
	if next == base || vouched {
		return nil
	}
	return p.leads(before, next)
}

// leads refuses a gap behind a segment whose index is that of all its records.
func (p *Partition) leads(before *segment.Files, next uint64) error {
	h, err := segment.OpenHandle(p.opts.FS, before.Pair)
	if err != nil {
		return err
	}
	defer h.Close() // it was only read
	end, err := index.Entry(h.Idx, next-before.Base)
	if next > before.Base && (err != nil || end < h.RecInfo.Size) {
		return nil // the index is behind, and the name of the next segment is to be believed
	}
	return p.away(next)
}

func lastWith(found []segment.Files) *segment.Files {
	for i := len(found) - 1; i >= 0; i-- {
		if found[i].HasRecords {
			return &found[i]
		}
	}
	return nil
}

// lockRecords locks the records that recovery may append to, before it changes
// them: those of the last two segments that have any.
func (p *Partition) lockRecords(chain []segment.Files) error {
	locked := 0
	for i := len(chain) - 1; i >= 0 && locked < 2; i-- {
		if !chain[i].HasRecords {
			continue
		}
		if err := p.locks.Take(p.opts.FS, chain[i].Records); err != nil {
			return err
		}
		locked++
	}
	return nil
}

// lockActive leaves the records of the active segment locked, and no others.
func (p *Partition) lockActive(chain []segment.Files, a *segment.Active) error {
	made := true
	for _, f := range chain {
		if f.Base == a.Base {
			made = !f.HasRecords
			continue
		}
		if err := p.locks.GiveUp(f.Records); err != nil {
			return err
		}
	}
	if !made {
		return nil
	}
	return p.locks.Take(p.opts.FS, a.Records)
}

// upTo are the segments that a reader of the recovered log has to know: of
// those found, with records, what lies before the active one, and that.
func upTo(found []segment.Files, active segment.Pair) []segment.Pair {
	n, _ := segment.FindBase(found, active.Base)
	return append(segment.WithRecords(found[:n]), active)
}
