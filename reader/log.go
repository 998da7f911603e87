package reader

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
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
	rolled    uint64 // the last segment that the writer of this process made; surveying guards it
	layout    atomic.Pointer[layout]
	pool      pool
	stats     counters
	warnMeta  sync.Once
	metaPath  string                   // "" in the process of the writer
	metaSeen  atomic.Pointer[vfs.Info] // the partition.json that told of no segment behind the last

	// life ends with Close, which wakes followers and stops long scans.
	life  context.Context
	end   context.CancelCauseFunc
	ended atomic.Bool // life is over: asked by every read
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
	return open(place, nil, nil, filled)
}

// Attach opens the log at place in the process of its writer, whose records
// are visible as soon as live says so. Its segments are those pairs; where they
// are nil, the directory is read.
func Attach(place segment.Place, live *segment.Live, pairs []segment.Pair, opts *Options) (*Log, error) {
	return open(place, live, pairs, opts.filled())
}

func open(place segment.Place, live *segment.Live, pairs []segment.Pair, opts Options) (*Log, error) {
	l := &Log{place: place, live: live, opts: opts, fs: opts.FS, log: opts.Logger}
	if live == nil {
		l.metaPath = filepath.Join(place.Path, segment.MetaName)
	}
	l.mapper, _ = opts.FS.(vfs.Mapper)
	l.pool.all = map[*source]struct{}{}
	l.life, l.end = context.WithCancelCause(context.Background())
	if err := l.probe(pairs); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// probe opens what is read first, so that a missing or forbidden file is an
// error of Open. That a segment is damaged or away is left to those who read
// it.
func (l *Log) probe(pairs []segment.Pair) error {
	ly, err := l.refreshFrom(pairs)
	for err == nil && ly.last() != nil {
		s := ly.last()
		src, failed := l.acquire(s)
		if failed == nil {
			l.pool.release(src)
			return nil
		}
		if l.place.Bare || !errors.Is(failed, fs.ErrNotExist) {
			return failed
		}
		if nowhere, err := l.leadsNowhere(s); nowhere || err != nil {
			return err
		}
		// It was dropped since its name was read, as happens where much is
		// appended and little kept; else it was moved away.
		if ly, err = l.refresh(); err == nil && ly.last() == s {
			return failed
		}
	}
	return err
}

// Close closes the files and ends every follower. It does not wait for
// goroutines that are reading; these get errors that match [ErrClosed].
func (l *Log) Close() error {
	l.end(l.closedError())
	l.ended.Store(true)
	return l.pool.close()
}

func (l *Log) closedError() error {
	return &fs.PathError{Op: "read", Path: l.place.Path, Err: ErrClosed}
}

// alive returns an error once the log is closed.
func (l *Log) alive() error {
	if l.ended.Load() {
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
	if vfs.Exhausted(err) {
		opened.empty()
		src, err = l.openSource(s)
	}
	if err != nil {
		return nil, err
	}
	return l.pool.put(src)
}

// acquireFresh is acquire, but looks first whether the names of the files
// denote others by now, or a bare file is no longer what its index describes.
func (l *Log) acquireFresh(s *slot) (*source, error) {
	src, err := l.acquire(s)
	if err != nil {
		return nil, err
	}
	fresh, err := src.Fresh(l.fs)
	if err == nil && fresh && l.place.Bare && l.live == nil {
		fresh, err = src.holds()
	}
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
	if now.RecInfo.Same(src.RecInfo) && now.Idx != nil && src.Idx != nil && now.IdxInfo.Same(src.IdxInfo) {
		l.log.Info("file was cut or rewritten; reading it anew", "path", s.Records)
	} else {
		l.log.Info("files were replaced; reading the new ones", "path", s.Records)
	}
	if now, err = l.pool.put(now); err != nil {
		return err
	}
	l.pool.release(now)
	return nil
}
