package partition

import (
	"cmp"
	"slices"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// widow is an index whose records file is away.
type widow struct {
	base    uint64
	records uint64 // that it describes
}

// widows finds the indexes without records files among the segments found. One
// that describes no record is what a crash left of a segment that was being
// made, and one below start what it left of one that was being dropped.
func (p *Partition) widows(found []segment.Files, meta *segment.Meta) ([]widow, error) {
	var all []widow
	for _, f := range found {
		if f.HasRecords || meta != nil && f.Base < meta.Start {
			continue
		}
		info, err := p.opts.FS.Stat(f.Index)
		if ignoreMissing(err) != nil {
			return nil, err
		}
		if n := index.Count(info.Size); err == nil && n > 0 {
			all = append(all, widow{f.Base, n})
		}
	}
	return all, nil
}

// holds reports whether the segment that begins at base is among pairs, which
// are in order.
func holds(pairs []segment.Pair, base uint64) bool {
	_, ok := slices.BinarySearchFunc(pairs, base, func(p segment.Pair, base uint64) int { return cmp.Compare(p.Base, base) })
	return ok
}

// apartHalfMade takes the segments out of found that a roll was making, or left
// behind: those behind the one that partition.json tells of, or where there is
// none, behind the first, in which there is nothing.
func (p *Partition) apartHalfMade(found []segment.Files, meta *segment.Meta) (rest, half []segment.Files, err error) {
	from := 1
	if meta != nil {
		from, _ = segment.FindBase(found, meta.Synced.Base+1)
	}
	if from > len(found) {
		return found, nil, nil
	}
	rest = slices.Clip(found[:from])
	for _, f := range found[from:] {
		something, err := segment.Holds(p.opts.FS, f)
		if err != nil {
			return nil, nil, err
		}
		if something {
			rest = append(rest, f)
		} else {
			half = append(half, f)
		}
	}
	return rest, half, nil
}
