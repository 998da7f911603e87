package reader

import (
	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// A roll that was put off leaves its empty files behind where they could not
// be removed, and the segment before goes on beyond their base. They are no
// segment then: the records above that base are where they were appended.

// withoutLeftovers leaves out what a roll is making, or has left behind. Only
// what lies behind the segment that partition.json tells of can be that.
func (l *Log) withoutLeftovers(pairs []segment.Pair, meta segment.Meta, known bool) ([]segment.Pair, error) {
	n := len(pairs)
	if l.live != nil {
		active := max(l.live.Base(), l.rolled)
		for n > 0 && pairs[n-1].Base > active {
			n--
		}
		return pairs[:n], nil
	}
	for n > 0 && known && pairs[n-1].Base > meta.Synced.Base {
		n--
	}
	if !known {
		n = max(n-1, 0)
	}
	kept := pairs[:n:n]
	for _, pair := range pairs[n:] {
		if len(kept) > 0 {
			over, err := l.overgrown(kept[len(kept)-1], pair)
			if err != nil {
				return nil, err
			}
			if over {
				continue
			}
		}
		kept = append(kept, pair)
	}
	return kept, nil
}

// overgrown reports whether a pair lies within the one before. One that holds
// something is another program's then; that the one before has a record where
// it begins must be beyond doubt.
func (l *Log) overgrown(before, pair segment.Pair) (bool, error) {
	info, err := l.fs.Stat(pair.Records)
	if err != nil {
		return false, ignoreMissing(err)
	}
	empty := info.Size == 0
	info, err = l.fs.Stat(before.Index)
	if err != nil {
		return false, ignoreMissing(err)
	}
	within := before.Base+index.Count(info.Size) > pair.Base
	if !within || empty {
		return within, nil
	}
	return l.hasRecord(before, pair.Base-before.Base)
}

// hasRecord reports whether record k of a segment proves itself.
func (l *Log) hasRecord(pair segment.Pair, k uint64) (bool, error) {
	h, err := segment.OpenHandle(l.fs, pair)
	if err != nil || h.Idx == nil {
		return false, ignoreMissing(err)
	}
	defer h.Close() // it was only read
	s := &search{log: l, ctx: l.life, src: &source{Handle: h, counts: new(segmentCounts)}, size: h.RecInfo.Size, limit: l.opts.limit(0)}
	entries, err := s.entries(k, 2)
	if err != nil || entries.len() < 2 {
		return false, err
	}
	return s.fits(entries.at(0), entries.at(1))
}

// leftover reports whether the last segment of ly, in which there is nothing,
// is one that the segment before has overgrown.
func (l *Log) leftover(ly *layout) (bool, error) {
	last := len(ly.slots) - 1
	if last < 1 || ly.known && ly.slots[last].Base <= ly.synced.Base {
		return false, nil
	}
	return l.overgrown(ly.slots[last-1].Pair, ly.slots[last].Pair)
}
