package reader

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// Log is a log that is open for reading: a partition directory or a bare
// file. It is safe for use by many goroutines; whoever opened it closes it.
type Log struct {
	place  segment.Place
	live   *segment.Live // nil: the writer, if any, is another process
	opts   Options
	fs     vfs.FS
	mapper vfs.Mapper // nil: this file system cannot map
	log    *slog.Logger

	surveying sync.Mutex
	layout    atomic.Pointer[layout]
	pool      pool
	stats     counters
	warnMeta  sync.Once

	// life ends with Close, which wakes followers and stops long scans.
	life context.Context
	end  context.CancelCauseFunc
}

// Open opens the partition directory or JSON-lines file at path for reading.
// It takes no lock and writes nothing. A log that is damaged opens; reading
// the damaged part gives errors.
func Open(path string, opts *Options) (*Log, error) {
	filled := opts.filled()
	place, err := segment.Locate(filled.FS, path)
	if err != nil {
		return nil, err
	}
	return open(place, nil, filled)
}

// Attach opens the log at place in the process of its writer, whose records
// are visible as soon as live says so.
func Attach(place segment.Place, live *segment.Live, opts *Options) (*Log, error) {
	return open(place, live, opts.filled())
}

func open(place segment.Place, live *segment.Live, opts Options) (*Log, error) {
	l := &Log{place: place, live: live, opts: opts, fs: opts.FS, log: opts.Logger}
	l.mapper, _ = opts.FS.(vfs.Mapper)
	l.pool.all = map[*source]struct{}{}
	l.life, l.end = context.WithCancelCause(context.Background())
	if err := l.probe(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// probe opens what is read first, so that a missing or forbidden file is an
// error of Open. That a segment is damaged or away is left to those who read
// it.
func (l *Log) probe() error {
	ly, err := l.refresh()
	if err != nil {
		return err
	}
	s := ly.last()
	if s == nil {
		return nil
	}
	src, err := l.acquire(s)
	if err != nil {
		return err
	}
	l.pool.release(src)
	return nil
}

// Close closes the files and ends every follower. It does not wait for
// goroutines that are reading; these get errors that match [ErrClosed].
func (l *Log) Close() error {
	l.end(l.closedError())
	return l.pool.close()
}

func (l *Log) closedError() error {
	return &fs.PathError{Op: "read", Path: l.place.Path, Err: ErrClosed}
}

// alive returns an error once the log is closed.
func (l *Log) alive() error {
	if l.life.Err() != nil {
		return context.Cause(l.life)
	}
	return nil
}

// acquire returns the source of s, opening it where it is not. The caller
// releases it.
func (l *Log) acquire(s *slot) (*source, error) {
	if src, err := l.pool.retain(s); src != nil || err != nil {
		return src, err
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	if src, err := l.pool.retain(s); src != nil || err != nil {
		return src, err
	}
	src, err := l.openSource(s)
	if err != nil {
		return nil, err
	}
	return l.pool.put(src)
}

// acquireFresh is acquire, but looks first whether the names of the files
// denote others by now.
func (l *Log) acquireFresh(s *slot) (*source, error) {
	src, err := l.acquire(s)
	if err != nil {
		return nil, err
	}
	fresh, err := src.Fresh(l.fs)
	if err == nil && !fresh {
		err = l.replace(src)
	}
	if err == nil && (fresh || s.src.Load() == src) {
		return src, nil
	}
	l.pool.release(src)
	if err != nil {
		return nil, err
	}
	return l.acquire(s)
}

// replace opens the files that the names of src denote now and puts them in
// its place. Where there is nothing under the name, because an editor is
// between unlinking and renaming, what is open serves on.
func (l *Log) replace(src *source) error {
	s := src.slot
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.src.Load() != src {
		return nil // somebody else did
	}
	now, err := l.openSource(s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l.log.Info("files were replaced; reading the new ones", "path", s.Records)
	if now, err = l.pool.put(now); err != nil {
		return err
	}
	l.pool.release(now)
	return nil
}

// watermark returns the bounds of a log that is read through its index: a
// partition, or any log of this process's writer.
func (l *Log) watermark() (start, next uint64, err error) {
	if err := l.alive(); err != nil {
		return 0, 0, err
	}
	if l.live != nil {
		return l.layout.Load().start, l.live.Next(), nil
	}
	for range 4 {
		ly := l.layout.Load()
		next, more, err := l.edge(ly)
		if err != nil || !more {
			return ly.start, next, err
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
	if more, err := l.firstGone(ly); more || err != nil {
		return next, more, err
	}
	// The writer publishes the last of a segment before it creates the next,
	// whose name is therefore known.
	_, err = l.fs.Stat(segment.PairAt(l.place.Path, next).Records)
	more = n > 0 && err == nil
	return next, more, ignoreMissing(err)
}

// firstGone reports whether retention has taken the first segment.
func (l *Log) firstGone(ly *layout) (bool, error) {
	if len(ly.slots) == 1 {
		return false, nil
	}
	_, err := l.fs.Stat(ly.slots[0].Records)
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
// append gets. A bare file is counted up to its end where its index does not
// reach, at the speed of memory; ctx stops that.
func (l *Log) Bounds(ctx context.Context) (start, next uint64, err error) {
	if l.indexed() {
		return l.watermark()
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

// Records returns the records from offset from up to the high watermark that
// is seen when the range begins. from may be the high watermark; an offset
// that is not there otherwise is a [*segment.RangeError]. The sequence may be
// ranged over many times.
func (l *Log) Records(from uint64) iter.Seq2[Record, error] {
	return l.sequence(from, math.MaxUint64, false)
}

// Range returns the records of [from, to) that are there when the range
// begins.
func (l *Log) Range(from, to uint64) iter.Seq2[Record, error] {
	return l.sequence(from, to, true)
}

func (l *Log) sequence(from, to uint64, clamp bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		r := l.borrow()
		defer r.giveBack()
		r.next, r.clamp = from, clamp
		err := r.bound(to)
		for err == nil {
			if !r.yieldBlock(yield) {
				return
			}
			err = r.fill()
		}
		if err != io.EOF {
			yield(Record{}, err)
		}
	}
}

// yieldBlock yields the records of the block. It keeps what changes from one to
// the next in registers, which is a third of the cost of a short record; the
// Reader itself moves once.
func (r *Reader) yieldBlock(yield func(Record, error) bool) bool {
	if r.block.n == 0 {
		return true
	}
	b := &r.block
	buf, at, offset := b.buf, b.at, r.next
	start := b.posts[0]
	for i, post := range b.posts[1 : b.n+1] {
		r.spoil(i - 1)
		end := post - 1 - at
		if !yield(Record{offset, start, buf[start-at : end : end]}, nil) {
			return false
		}
		offset += r.step
		start = post
	}
	r.i, r.next = b.n, offset
	return true
}
