package main

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// watcher looks again and again at the names and sizes of a log's files. Only
// the last segment grows, so that only this one is looked at, and those that
// came behind it; names are read again where the directory changed.
type watcher struct {
	fs   vfs.FS
	path string

	gone     bool // the log was not there when last looked at
	replaced bool // it was another one

	place segment.Place
	dir   vfs.Info // of a partition
	pairs []segment.Pair
	fresh bool // pairs is what is in dir as long as that does not change
	last  time.Time
	seen  map[uint64]watched // by base: what may still have grown
}

// watched is a segment as it was looked at.
type watched struct {
	rec, idx vfs.Info
	indexed  bool
	end      int64 // of the records that the index describes, in a partition
}

// settled is how old the last change of a directory must be to tell that none
// came after its names were read: file systems tell time in ticks.
const settled = 2 * time.Second

// look returns what grew since the last look, which is nothing the first time,
// and after the log was not there: who knows what happened meanwhile. An error
// that matches [fs.ErrNotExist] says that the log, or a part of it, is not there
// at this moment.
func (w *watcher) look(now time.Time) ([]growth, error) {
	since := now.Sub(w.last)
	w.last = now
	if err := w.find(now); err != nil {
		// A bare file is often away for a moment, and then another one.
		if !w.place.Bare {
			w.forget()
		}
		return nil, err
	}
	before := w.seen
	seen, err := w.stat(w.from())
	if err != nil {
		return nil, err
	}
	w.seen = seen
	if before == nil {
		return nil, nil
	}
	return w.compare(before, now, since), nil
}

// forget makes the next look the first one.
func (w *watcher) forget() { w.seen, w.pairs, w.fresh = nil, nil, false }

// find looks at what the path denotes and, where need be, at the names.
func (w *watcher) find(now time.Time) error {
	place, err := segment.Locate(w.fs, w.path)
	if err != nil {
		return err
	}
	if place.Bare {
		w.place, w.pairs = place, []segment.Pair{segment.BarePair(w.path)}
		return nil
	}
	dir, err := w.fs.Stat(w.path)
	if err != nil {
		return err
	}
	if w.seen != nil && !dir.Same(w.dir) {
		w.replaced = true
		w.forget()
	}
	if w.fresh && dir.ModTime.Equal(w.dir.ModTime) {
		return nil
	}
	w.place, w.dir = place, dir
	w.fresh = now.Sub(dir.ModTime) > settled
	w.pairs, err = place.Pairs(w.fs)
	return err
}

// from is the base of the first segment that may have grown.
func (w *watcher) from() uint64 {
	if len(w.pairs) == 0 {
		return 0
	}
	last := w.pairs[len(w.pairs)-1].Base
	if w.seen == nil {
		return last
	}
	from := uint64(0)
	for base := range w.seen {
		from = max(from, base)
	}
	if from > last {
		w.replaced = true // the log was made anew in the same directory
		w.seen = map[uint64]watched{}
		return last
	}
	return from
}

// stat looks at the segments from that base on.
func (w *watcher) stat(from uint64) (map[uint64]watched, error) {
	seen := map[uint64]watched{}
	for i := len(w.pairs) - 1; i >= 0 && w.pairs[i].Base >= from; i-- {
		s, err := w.statPair(w.pairs[i], w.seen[w.pairs[i].Base])
		if errors.Is(err, fs.ErrNotExist) && !w.place.Bare {
			w.fresh = false // retention dropped it
			continue
		}
		if err != nil {
			return nil, err
		}
		seen[w.pairs[i].Base] = s
	}
	return seen, nil
}

// statPair looks at the index first: what it describes is in the records by
// then, so that no record is there before its bytes.
func (w *watcher) statPair(pair segment.Pair, old watched) (s watched, err error) {
	s.idx, err = w.fs.Stat(pair.Index)
	if s.indexed = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if s.rec, err = w.fs.Stat(pair.Records); err != nil {
		return s, err
	}
	s.end = s.rec.Size
	switch {
	case !s.indexed || w.place.Bare:
	case s.idx.Size == old.idx.Size && s.idx.Same(old.idx):
		s.end = min(s.end, old.end)
	default:
		s.end = min(s.end, w.end(pair.Index, s))
	}
	return s, nil
}

// end reads where the records end that the index tells of. Those behind are
// written and not counted yet: bytes and records of an interval are of the same
// records. An index that does not say is for other commands to find.
func (w *watcher) end(name string, s watched) int64 {
	count := index.Count(s.idx.Size)
	f, err := w.fs.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return s.rec.Size
	}
	defer f.Close() // it was only read
	end, err := index.Entry(f, count)
	if err != nil || end < 0 {
		return s.rec.Size
	}
	return end
}

// compare tells what grew, and about the last segment where none did.
func (w *watcher) compare(before map[uint64]watched, now time.Time, since time.Duration) (grown []growth) {
	var idle []growth
	for _, pair := range w.pairs {
		s, ok := w.seen[pair.Base]
		if !ok {
			continue
		}
		g := w.growth(pair.Base, before[pair.Base], s)
		g.finish(now, since, s.rec.ModTime)
		if g.Bytes > 0 || g.Records != nil && *g.Records > 0 {
			grown = append(grown, g)
		}
		idle = []growth{g}
	}
	switch len(grown) {
	case 0:
		return idle
	case 1:
		return grown
	}
	return append(grown, total(grown, now, since))
}

// growth is what a segment grew by.
func (w *watcher) growth(base uint64, old, s watched) growth {
	if old.rec.Size > 0 && (!old.rec.Same(s.rec) || s.rec.Size < old.rec.Size) {
		w.replaced = true
		old = watched{}
	}
	g := growth{Segment: &base, Bytes: max(0, s.end-old.end), Size: s.rec.Size}
	if !s.indexed {
		return g
	}
	count := index.Count(s.idx.Size)
	records := count - min(count, index.Count(old.idx.Size))
	next := base + count
	if w.place.Bare && g.Bytes > 0 && records == 0 {
		return g // whoever appends does not write the index
	}
	g.Records, g.Next = &records, &next
	return g
}

// finish fills in what follows from the time.
func (g *growth) finish(now time.Time, since time.Duration, appended time.Time) {
	g.Time = now.UTC().Truncate(time.Millisecond)
	g.Age = max(0, now.Sub(appended).Seconds())
	g.BytesPerSecond = float64(g.Bytes) / since.Seconds()
	if g.Records != nil {
		rate := float64(*g.Records) / since.Seconds()
		g.RecordsPerSecond = &rate
	}
}

// total adds up what grew, in order: the last of them is the newest.
func total(grown []growth, now time.Time, since time.Duration) growth {
	last := grown[len(grown)-1]
	sum := growth{Segments: len(grown), Records: new(uint64), Next: last.Next}
	for _, g := range grown {
		sum.Bytes += g.Bytes
		sum.Size += g.Size
		if g.Records != nil {
			*sum.Records += *g.Records
		}
	}
	sum.finish(now, since, now.Add(-time.Duration(last.Age*float64(time.Second))))
	return sum
}
