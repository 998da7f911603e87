package reader

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"sort"

	"example.com/jlq/internal/segment"
)

// layout is the segments of a log as they were found at one moment. It is
// never changed.
type layout struct {
	start uint64 // first offset kept
	slots []*slot
	limit int64 // bytes of the longest record

	// away is the last segment where partition.json knows of it and it is
	// not there; nil where nothing is missing at the end.
	away *segment.SegmentAwayError
}

// last returns the active segment's slot; nil in a log that has none yet.
func (ly *layout) last() *slot {
	if len(ly.slots) == 0 {
		return nil
	}
	return ly.slots[len(ly.slots)-1]
}

// find returns the segment that offset lies in and the offset at which that
// ends: where the next one begins, or MaxUint64. Nil where there is none.
func (ly *layout) find(offset uint64) (*slot, uint64) {
	i := len(ly.slots) - 1
	if i >= 0 && offset < ly.slots[i].Base {
		i = sort.Search(i, func(i int) bool { return ly.slots[i].Base > offset }) - 1
	}
	if i < 0 || offset < ly.start {
		return nil, 0
	}
	end := uint64(math.MaxUint64)
	switch {
	case i+1 < len(ly.slots):
		end = ly.slots[i+1].Base
	case ly.away != nil:
		end = ly.away.Base
	}
	if offset >= end {
		return nil, 0
	}
	return ly.slots[i], end
}

// Refresh looks again at partition.json and at the names of the segments. A
// reader does so by itself wherever something is not there; it is for a caller
// who knows that they changed.
func (l *Log) Refresh() error {
	_, err := l.refresh()
	return err
}

func (l *Log) refresh() (*layout, error) {
	l.surveying.Lock()
	defer l.surveying.Unlock()
	ly, pairs, err := l.survey()
	if err != nil {
		return nil, err
	}
	old := l.layout.Load()
	ly.slots = slotsOf(pairs, old)
	l.layout.Store(ly)
	if old != nil {
		l.dropGone(old, ly)
	}
	return ly, nil
}

// slotsOf makes a slot of each pair, keeping those that old has.
func slotsOf(pairs []segment.Pair, old *layout) []*slot {
	known := map[uint64]*slot{}
	if old != nil {
		for _, s := range old.slots {
			known[s.Base] = s
		}
	}
	slots := make([]*slot, len(pairs))
	for i, pair := range pairs {
		slots[i] = known[pair.Base]
		if slots[i] == nil {
			slots[i] = &slot{Pair: pair}
		}
	}
	return slots
}

// dropGone closes segments that retention has taken. Who is reading one
// finishes it.
func (l *Log) dropGone(old, now *layout) {
	for _, s := range old.slots {
		if !slices.Contains(now.slots, s) {
			l.pool.drop(s)
		}
	}
}

// survey reads what a layout is made from. partition.json comes first: names
// that are read later are at least as new, and a segment that it tells of was
// created before it was written.
func (l *Log) survey() (*layout, []segment.Pair, error) {
	if l.place.Bare {
		return &layout{limit: l.opts.limit(0)}, []segment.Pair{segment.BarePair(l.place.Path)}, nil
	}
	meta, known, err := l.readMeta()
	if err != nil {
		return nil, nil, err
	}
	pairs, err := l.place.Pairs(l.fs)
	if err != nil {
		return nil, nil, err
	}
	if !known && len(pairs) == 0 {
		return nil, nil, &fs.PathError{Op: "open", Path: l.place.Path, Err: segment.ErrNotLog}
	}
	ly := &layout{start: meta.Start, limit: l.opts.limit(meta.Batch)}
	if !known {
		ly.start = pairs[0].Base
	}
	for len(pairs) > 1 && pairs[1].Base <= ly.start {
		pairs = pairs[1:] // dropped by retention, not unlinked yet
	}
	if known {
		ly.away = l.lastAway(meta, pairs)
	}
	return ly, pairs, nil
}

// readMeta reads partition.json. One that is damaged promises nothing, and a
// reader can do without it: the log must be readable to be rescued.
func (l *Log) readMeta() (meta segment.Meta, known bool, err error) {
	meta, known, err = segment.ReadMeta(l.fs, l.place.Path)
	if bad, ok := errors.AsType[*segment.CorruptError](err); ok {
		l.warnMeta.Do(func() { l.log.Warn("partition.json is damaged; reading without it", "error", bad) })
		return segment.Meta{}, false, nil
	}
	return meta, known, err
}

// lastAway returns an error where partition.json tells of a segment behind all
// that are there.
func (l *Log) lastAway(meta segment.Meta, pairs []segment.Pair) *segment.SegmentAwayError {
	base := max(meta.Synced.Base, meta.Start)
	if len(pairs) > 0 && pairs[len(pairs)-1].Base >= base {
		return nil
	}
	if len(pairs) == 0 && base == 0 && meta.Synced.Position == 0 {
		return nil // created a moment ago
	}
	return l.awayError(base)
}

func (l *Log) awayError(base uint64) *segment.SegmentAwayError {
	return &segment.SegmentAwayError{Path: segment.PairAt(l.place.Path, base).Records, Base: base}
}

// find returns the segment that holds offset, looking at the names again
// where it is not among those that are known. The names may be changing while
// they are read, so a missing segment is believed only once start stands
// still.
func (l *Log) find(offset uint64) (*slot, uint64, error) {
	ly := l.layout.Load()
	for range 4 {
		if s, end := ly.find(offset); s != nil {
			return s, end, nil
		}
		start := ly.start
		var err error
		if ly, err = l.refresh(); err != nil {
			return nil, 0, err
		}
		if s, end := ly.find(offset); s != nil {
			return s, end, nil
		}
		if ly.start == start {
			break
		}
	}
	return nil, 0, l.notThere(ly, offset)
}

// notThere says why no segment of ly holds offset: io.EOF where one that does
// may still come.
func (l *Log) notThere(ly *layout, offset uint64) error {
	switch {
	case offset < ly.start:
		return l.rangeError(offset)
	case len(ly.slots) > 0 && offset < ly.slots[0].Base:
		return l.awayError(ly.start)
	case ly.away != nil:
		return ly.away
	case offset == ly.start:
		return io.EOF // there is no segment yet
	}
	return l.rangeError(offset)
}

// rangeError makes a RangeError with the present bounds. Where these cannot
// be had, the reason is more to the point.
func (l *Log) rangeError(offset uint64) error {
	start, next, err := l.Bounds(l.life)
	if err != nil && !isAway(err) {
		return err
	}
	return &segment.RangeError{Offset: offset, Start: start, Next: next}
}

// isAway reports whether err is about a segment that is missing.
func isAway(err error) bool {
	_, away := errors.AsType[*segment.SegmentAwayError](err)
	return away
}
