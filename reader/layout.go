package reader

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"sort"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// layout is the segments of a log as they were found at one moment. It is
// never changed.
type layout struct {
	start uint64 // first offset kept
	slots []*slot
	limit int64 // bytes of the longest record

	// away is the last segment where partition.json knows of it and it is
	// not there; nil where nothing is missing at the end.
	away   *segment.SegmentAwayError
	synced segment.Mark // how far the writer says that records are on the disk
	known  bool         // there is a partition.json that says so
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

func (l *Log) refresh() (*layout, error) { return l.refreshFrom(nil) }

// refreshFrom is refresh where the segments were listed already.
func (l *Log) refreshFrom(pairs []segment.Pair) (*layout, error) {
	l.surveying.Lock()
	defer l.surveying.Unlock()
	ly, pairs, err := l.survey(pairs)
	for err == nil && ly.away != nil && l.movedOn(ly) {
		ly, pairs, err = l.survey(nil)
	}
	if err != nil {
		return nil, err
	}
	old := l.layout.Load()
	var gone []*slot
	ly.slots, gone = slotsOf(pairs, old)
	l.change(ly, gone)
	for _, s := range gone {
		l.pool.drop(s)
	}
	return ly, nil
}

// Rolled adds the segment that begins at base, which the writer of this process
// made and goes over to. It reads nothing, so it cannot fail.
func (l *Log) Rolled(base uint64) {
	l.surveying.Lock()
	defer l.surveying.Unlock()
	ly := *l.layout.Load()
	if s := ly.last(); s == nil || s.Base < base {
		ly.slots = append(slices.Clip(ly.slots), &slot{Pair: segment.PairAt(l.place.Path, base)})
	}
	ly.away, ly.synced = nil, segment.Mark{Base: base}
	l.rolled = base
	l.layout.Store(&ly)
}

// slotsOf makes a slot of each pair, keeping those that old has. gone are the
// others of old: segments that retention has taken. Both are in order, so that
// a log of ten thousand segments is gone through once.
func slotsOf(pairs []segment.Pair, old *layout) (slots, gone []*slot) {
	var known []*slot
	if old != nil {
		known = old.slots
	}
	slots = make([]*slot, len(pairs))
	for i, pair := range pairs {
		for len(known) > 0 && known[0].Base < pair.Base {
			gone, known = append(gone, known[0]), known[1:]
		}
		if len(known) > 0 && known[0].Base == pair.Base {
			slots[i], known = known[0], known[1:]
		} else {
			slots[i] = &slot{Pair: pair}
		}
	}
	return slots, append(gone, known...)
}

// change makes now the layout, without the segments that retention has taken.
// They are closed; who is reading one finishes it.
func (l *Log) change(now *layout, gone []*slot) {
	l.stats.gone.mu.Lock()
	defer l.stats.gone.mu.Unlock()
	l.layout.Store(now)
	for _, s := range gone {
		l.stats.retire(s)
	}
}

// survey reads what a layout is made from. partition.json comes first: names
// that are read later are at least as new, and a segment that it tells of was
// created before it was written.
func (l *Log) survey(pairs []segment.Pair) (*layout, []segment.Pair, error) {
	if l.place.Bare {
		return &layout{limit: l.opts.limit(0)}, []segment.Pair{segment.BarePair(l.place.Path)}, nil
	}
	seen, err := l.statMeta()
	if err != nil {
		return nil, nil, err
	}
	meta, known, err := l.readMeta()
	if err != nil {
		return nil, nil, err
	}
	if pairs == nil {
		if pairs, err = l.place.Pairs(l.fs); err != nil {
			return nil, nil, err
		}
	}
	if !known && len(pairs) == 0 {
		if err := segment.RefuseLost(l.fs, l.place.Path); err != nil {
			return nil, nil, err
		}
		return nil, nil, &fs.PathError{Op: "open", Path: l.place.Path, Err: segment.ErrNotLog}
	}
	if pairs, err = l.withoutLeftovers(pairs, meta, known); err != nil {
		return nil, nil, err
	}
	ly := &layout{start: meta.Start, limit: l.opts.limit(meta.Batch), synced: meta.Synced, known: known}
	if !known {
		ly.start = pairs[0].Base
	}
	pairs = segment.Kept(pairs, ly.start)
	if known {
		ly.away = l.lastAway(meta, pairs)
	}
	if ly.away == nil {
		l.metaSeen.Store(seen)
	}
	return ly, pairs, nil
}

// movedOn reports whether partition.json says something else than it did when
// ly was made: a segment that it told of then may have been dropped before the
// names were read.
func (l *Log) movedOn(ly *layout) bool {
	now, known, err := l.readMeta()
	return err == nil && known && (now.Start != ly.start || now.Synced.Base != ly.synced.Base)
}

// statMeta tells which partition.json is about to be read; nil where there is
// none, and in the process of the writer, who knows what it says.
func (l *Log) statMeta() (*vfs.Info, error) {
	if l.metaPath == "" {
		return nil, nil
	}
	info, err := l.fs.Stat(l.metaPath)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	return &info, nil
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
	for {
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
		if ly.start == start || offset < ly.start {
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

// beyond is the error about an offset behind the end that was just seen. Where
// the log holds that offset now, it returns where the log ends instead.
func (l *Log) beyond(offset uint64) (next uint64, err error) {
	err = l.rangeError(offset)
	if next, ok := cameMeanwhile(err); ok {
		return next, nil
	}
	return 0, err
}

// cameMeanwhile reports whether err is about an offset that the log held when
// the error was made, and where the log ended then: it was appended behind the
// end that was seen, or files that were away for a moment are back.
func cameMeanwhile(err error) (next uint64, ok bool) {
	e, ok := errors.AsType[*segment.RangeError](err)
	if !ok || e.Offset < e.Start || e.Offset >= e.Next {
		return 0, false
	}
	return e.Next, true
}

// isAway reports whether err is about a segment that is missing.
func isAway(err error) bool {
	_, away := errors.AsType[*segment.SegmentAwayError](err)
	return away
}
