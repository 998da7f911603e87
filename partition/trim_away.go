package partition

import (
	"errors"
	"io/fs"
	"os"

	"example.com/jlq/index"
)

// withAway tells which offsets no segment holds, because files were moved or
// lost: in front, and between segments, where the one before ends earlier than
// the next begins. Each such run is a segment of its own in the plan, two where
// an index without its records file names another one within it. Counted into
// the one before, it would be dropped unnamed, and by the age of that.
func (l trimLog) withAway(widows []widow) trimLog {
	all := make([]trimSeg, 0, len(l.segs))
	end := l.start // of what is told so far
	for i := range l.segs {
		s := l.segs[i]
		all = appendAway(all, end, s.from, widows)
		next := s.end
		s.end = s.ends(widows)
		// Of one below start only the name is left of interest.
		if s.end > s.from || s.active {
			all = append(all, s)
		}
		end = max(s.from, s.end)
		all = appendAway(all, end, next, widows)
		end = max(end, next)
	}
	l.segs = all
	return l
}

// appendAway adds segments that are away, from offset from up to end.
func appendAway(segs []trimSeg, from, end uint64, widows []widow) []trimSeg {
	for from < end {
		s := trimSeg{base: from, from: from, end: end, away: true}
		for _, w := range widows {
			if w.base > from && w.base < end {
				s.end = w.base
				break
			}
		}
		segs, from = append(segs, s), s.end
	}
	return segs
}

// ends is where a segment ends: behind the records that it holds, or, where its
// index does not tell of all of them, where another one is known to begin.
func (s *trimSeg) ends(widows []widow) uint64 {
	if s.active {
		return s.end
	}
	if s.whole > 0 {
		return min(s.end, s.base+s.whole)
	}
	for _, w := range widows {
		if w.base > s.base && w.base < s.end {
			return w.base
		}
	}
	return s.end
}

// tangled reports whether a sealed segment holds records that, by the names,
// would be in the next one: to drop it would drop those as well.
func (s *trimSeg) tangled() bool { return !s.active && s.whole > 0 && s.base+s.whole > s.end }

// wholeCount is how many records a sealed segment holds, where its index is
// that of all of them. Where it is missing, or behind, the names have to do.
func (p *Partition) wholeCount(s *trimSeg) (uint64, error) {
	info, err := p.opts.FS.Stat(s.pair.Index)
	n := index.Count(info.Size)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0, s.base+n == s.end:
		return n, nil
	}
	f, err := p.opts.FS.Open(s.pair.Index, os.O_RDONLY, 0)
	if err != nil {
		return 0, ignoreMissing(err)
	}
	defer f.Close() // it was only read
	end, err := index.Entry(f, n)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return 0, failed
	}
	if err != nil || end != s.bytes {
		return 0, nil // of other records: nothing follows from it
	}
	return n, nil
}
