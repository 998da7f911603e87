package segment

import (
	"cmp"
	"path/filepath"
	"slices"

	"example.com/jlq/internal/vfs"
)

// Files says which files of a segment there are.
type Files struct {
	Pair
	HasRecords bool
	HasIndex   bool
}

// Files lists the segments of a partition directory by base, also those of
// which only one file is there, from one reading of its names. Names that are
// not those of a segment are ignored.
func (p Place) Files(fsys vfs.FS) ([]Files, error) {
	names, err := fsys.List(p.Path)
	if err != nil {
		return nil, err
	}
	stem := stemOf(p.Path)
	// Both files of a segment come one after the other, because names are sorted.
	found := make([]Files, 0, len(names)/2)
	for _, name := range names {
		base, ext, ok := ParseName(name)
		if !ok {
			continue
		}
		if n := len(found); n == 0 || found[n-1].Base != base {
			found = append(found, Files{Pair: pairOf(stem, base)})
		}
		f := &found[len(found)-1]
		f.HasRecords = f.HasRecords || ext == recordsExt
		f.HasIndex = f.HasIndex || ext == indexExt
	}
	return found, nil
}

// Pairs lists the segments of the log, by base, of which the records file
// exists.
func (p Place) Pairs(fsys vfs.FS) ([]Pair, error) {
	if p.Bare {
		return []Pair{BarePair(p.Path)}, nil
	}
	found, err := p.Files(fsys)
	return WithRecords(found), err
}

// WithRecords are the pairs of which the records file exists.
func WithRecords(found []Files) []Pair {
	pairs := make([]Pair, 0, len(found))
	for i := range found {
		if found[i].HasRecords {
			pairs = append(pairs, found[i].Pair)
		}
	}
	return pairs
}

// Kept leaves out the segments that lie below start: they have been dropped,
// and only their names are still there.
func Kept(pairs []Pair, start uint64) []Pair {
	for len(pairs) > 1 && pairs[1].Base <= start {
		pairs = pairs[1:]
	}
	return pairs
}

// stemOf is what the names of the segments of dir have in common.
func stemOf(dir string) string {
	name := filepath.Join(dir, recordsExt)
	return name[:len(name)-len(recordsExt)]
}

// pairOf names a segment. A log may have tens of thousands of them, so both names are
// cut from one string.
func pairOf(stem string, base uint64) Pair {
	var digits [baseDigits]byte
	for i, rest := baseDigits-1, base; i >= 0; i, rest = i-1, rest/10 {
		digits[i] = '0' + byte(rest%10)
	}
	records := len(stem) + baseDigits + len(recordsExt)
	both := make([]byte, 0, 2*records+len(indexExt)-len(recordsExt))
	both = append(append(append(both, stem...), digits[:]...), recordsExt...)
	both = append(append(append(both, stem...), digits[:]...), indexExt...)
	names := string(both)
	return Pair{Base: base, Records: names[:records], Index: names[records:]}
}

// FindBase returns where in found, which is ordered, the segment that begins
// at base is, or would be.
func FindBase(found []Files, base uint64) (i int, ok bool) {
	return slices.BinarySearchFunc(found, base, func(f Files, base uint64) int { return cmp.Compare(f.Base, base) })
}
