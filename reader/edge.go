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
	if errors.Is(err, fs.ErrNotExist) {
		nowhere, err := l.leadsNowhere(s)
		if err == nil && nowhere {
			err = l.awayError(s.Base)
		}
		return s.Base, err == nil, err
	}
	if err != nil {
		return 0, false, err
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
	if n > 0 {
		more, err = l.continued(s, next)
	}
	return next, more, err
}

// continued reports whether a segment begins at next, behind s: the writer
// publishes the last of a segment before it creates the next, whose name is
// therefore known. That one may be away or dropped, and others behind it there:
// partition.json tells of the last. It is read only where it is not the file
// that told of none when it was last read.
func (l *Log) continued(s *slot, next uint64) (bool, error) {
	_, err := l.fs.Stat(segment.PairAt(l.place.Path, next).Records)
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	info, err := l.fs.Stat(l.metaPath)
	if err != nil {
		return false, ignoreMissing(err)
	}
	if old := l.metaSeen.Load(); old != nil && old.Same(info) && old.ModTime.Equal(info.ModTime) {
		return false, nil
	}
	meta, known, err := l.readMeta()
	if err != nil || known && max(meta.Synced.Base, meta.Start) > s.Base {
		return err == nil, err
	}
	seen := info // info is on the stack where nothing is stored
	l.metaSeen.Store(&seen)
	return false, nil
}

// followed reports whether there is a segment behind s by its name.
func (l *Log) followed(s *slot) (bool, error) {
	pairs, err := l.place.Pairs(l.fs)
	n := len(pairs)
	return n > 0 && pairs[n-1].Base > s.Base, err
}

// firstGone reports whether retention has taken the first segment. The only one
// that is known may lie between an editor's unlink and rename; where it was
// dropped, there is a later one.
func (l *Log) firstGone(ly *layout) (bool, error) {
	if len(ly.slots) == 1 {
		return false, nil
	}
	return l.gone(ly.slots[0])
}

// gone reports whether the name of a segment is no longer there.
func (l *Log) gone(s *slot) (bool, error) {
	_, err := l.fs.Lstat(s.Records)
	return errors.Is(err, fs.ErrNotExist), ignoreMissing(err)
}

// leadsNowhere reports whether the name of a segment is a link to nothing, such
// as one into cold storage that is not mounted.
func (l *Log) leadsNowhere(s *slot) (bool, error) {
	info, err := l.fs.Lstat(s.Records)
	if err != nil || info.Mode.Type() != fs.ModeSymlink {
		return false, ignoreMissing(err)
	}
	_, err = l.fs.Stat(s.Records)
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
