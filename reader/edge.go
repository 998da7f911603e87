package reader

import (
	"context"
	"errors"
	"io/fs"

	"example.com/jlq/internal/segment"
)

// watermark returns the bounds of a log that is read through its index: a
// partition, or any log of this process's writer.
func (l *Log) watermark() (start, next uint64, err error) {
	if err := l.alive(); err != nil {
		return 0, 0, err
	}
	if l.live != nil {
		return l.layout.Load().start, l.live.Next(), nil
	}
	for t := (attempts{}); t.another(l, 4); {
		ly := l.layout.Load()
		next, more, err := l.edge(ly)
		if err != nil || !more {
			return ly.start, next, err
		}
		if err := l.alive(); err != nil {
			return 0, 0, err
		}
		if _, err := l.refresh(); err != nil {
			return 0, 0, err
		}
	}
	return 0, 0, l.restless()
}

// edge returns where the last segment of ly ends. more says that the layout
// is out of date: a segment follows, or the last one is gone.
func (l *Log) edge(ly *layout) (next uint64, more bool, err error) {
	if ly.away != nil {
		if _, err := l.fs.Stat(ly.away.Path); err == nil {
			return 0, true, nil // it is back
		}
		return ly.away.Base, false, ly.away
	}
	s := ly.last()
	if s == nil {
		return l.edgeOfNone(ly)
	}
	src, err := l.acquireFresh(s)
	if err != nil {
		return 0, errors.Is(err, fs.ErrNotExist), ignoreMissing(err)
	}
	defer l.pool.release(src)
	n, err := src.recount()
	if err != nil {
		return 0, false, err
	}
	next = s.Base + n
	if src.Idx == nil {
		// It looks like one that holds nothing yet, also where it is sealed by
		// now and its index is away.
		if more, err := l.followed(s); more || err != nil {
			return next, more, err
		}
	}
	if n == 0 && len(ly.slots) > 1 {
		// A roll that failed half-way takes back the segment that it made, or
		// leaves it behind.
		if more, err := l.gone(s); more || err != nil {
			return next, more, err
		}
		if more, err := l.leftover(ly); more || err != nil {
			return next, more, err
		}
	}
	if more, err := l.firstGone(ly); more || err != nil {
		return next, more, err
	}
	// The writer publishes the last of a segment before it creates the next,
	// whose name is therefore known.
	_, err = l.fs.Stat(segment.PairAt(l.place.Path, next).Records)
	more = n > 0 && err == nil
	return next, more, ignoreMissing(err)
}

// followed reports whether there is a segment behind s by its name.
func (l *Log) followed(s *slot) (bool, error) {
	pairs, err := l.place.Pairs(l.fs)
	n := len(pairs)
	return n > 0 && pairs[n-1].Base > s.Base, err
}

// firstGone reports whether retention has taken the first segment.
func (l *Log) firstGone(ly *layout) (bool, error) {
	gone, err := l.gone(ly.slots[0])
	if !gone || len(ly.slots) > 1 {
		return gone, err
	}
	// The only one that is known may lie between an editor's unlink and rename.
	// Where it was dropped, partition.json says so.
	meta, known, err := l.readMeta()
	return known && meta.Start > ly.slots[0].Base, err
}

// gone reports whether there is nothing under the name of a segment.
func (l *Log) gone(s *slot) (bool, error) {
	_, err := l.fs.Stat(s.Records)
	return errors.Is(err, fs.ErrNotExist), ignoreMissing(err)
}

// edgeOfNone is edge for a partition that had no segment when it was looked
// at.
func (l *Log) edgeOfNone(ly *layout) (next uint64, more bool, err error) {
	_, err = l.fs.Stat(segment.PairAt(l.place.Path, ly.start).Records)
	return ly.start, err == nil, ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// indexed reports whether the log ends where its index says: always, but for
// bare files that this process does not write.
func (l *Log) indexed() bool { return !l.place.Bare || l.live != nil }

// Bounds returns the first offset that is kept and the one that the next
// append gets. Entries at the end of the index that do not prove themselves do
// not count; who reads up to them is told of them. A bare file is counted up to
// its end where its index does not reach, at the speed of memory; ctx stops
// that.
func (l *Log) Bounds(ctx context.Context) (start, next uint64, err error) {
	if l.indexed() {
		if start, next, err = l.watermark(); err == nil {
			next, err = l.soundEnd(next)
		}
		return start, next, err
	}
	src, size, err := l.bareEnd()
	if err != nil {
		return 0, 0, err
	}
	defer l.pool.release(src)
	next, err = l.countTo(ctx, src, size, l.opts.WholeLines)
	return 0, next, err
}

// bareEnd returns the source of a bare file, retained, and its size now.
func (l *Log) bareEnd() (*source, int64, error) {
	if err := l.alive(); err != nil {
		return nil, 0, err
	}
	src, err := l.acquireFresh(l.layout.Load().last())
	if err != nil {
		return nil, 0, err
	}
	size, err := src.size()
	if err != nil {
		l.pool.release(src)
		return nil, 0, err
	}
	return src, size, nil
}
