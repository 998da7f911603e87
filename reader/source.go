package reader

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// source is the open files of one segment, and what is known about them.
type source struct {
	*segment.Handle
	slot   *slot
	counts *segmentCounts // those of the slot

	believed bool          // the index is there and may be used
	bare     bool          // a bare file, whose index is used as a whole or not at all
	count    atomic.Uint64 // records that the index described when last looked at
	judged   atomic.Uint64 // records by its size then, where the last entry is above the one before
	held     atomic.Int64  // size of a bare file whose lines were where the index says
	proven   atomic.Uint64 // so many have been found to end in a line
	compared atomic.Bool   // its count with the names of the segments
	used     atomic.Bool   // since the clock of the pool last came by
	random   random
	lines    lineTable // bare files

	pool  *pool
	refs  int           // who reads it; belongs to the pool, as does gone
	gone  bool          // no longer in its slot: closed when refs is 0
	place *list.Element // on the shelf
}

// openSource opens the files that the names of s denote now.
func (l *Log) openSource(s *slot) (*source, error) {
	h, err := segment.OpenHandle(l.fs, s.Pair)
	if l.place.Bare && errors.Is(err, fs.ErrPermission) {
		h, err = l.openWithoutIndex(s, err)
	}
	if err != nil {
		return nil, err
	}
	l.stats.opens.Add(1)
	src := &source{Handle: h, slot: s, counts: s.counted(), bare: l.place.Bare}
	src.counts.size.Store(h.RecInfo.Size)
	if err := l.judgeIndex(src); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return src, nil
}

// openWithoutIndex opens a bare file whose index may not be read: its lines
// are all there is to a bare file, so it is read by them. Where the records
// are what may not be read, that error comes again.
func (l *Log) openWithoutIndex(s *slot, cause error) (*segment.Handle, error) {
	h, err := segment.OpenHandle(l.fs, segment.Pair{Base: s.Base, Records: s.Records})
	if err == nil {
		l.log.Warn("index cannot be read; reading the lines without it", "path", s.Index, "error", cause)
	}
	return h, err
}

// judgeIndex decides whether the index is used. In a partition it always is,
// and a writer in this process vouches for its own; beside a bare file it may
// be that of what the file was before somebody rewrote it.
func (l *Log) judgeIndex(src *source) error {
	src.believed = src.Idx != nil
	n, err := src.recount()
	if err != nil || !l.place.Bare || l.live != nil {
		return err
	}
	if src.believed {
		if n, err = l.trust(src, n); err != nil {
			return err
		}
	}
	return src.startLines(n)
}

// trust returns n where the index fits the file, as far as a sample shows, and
// 0 where it does not and is left aside.
func (l *Log) trust(src *source, n uint64) (uint64, error) {
	// The size is asked for after the count: a writer may be at work.
	size, err := src.size()
	if err != nil {
		return 0, err
	}
	ok, reason, err := index.Trusted(src.Idx, n, src.Rec, size)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		// Somebody is writing the files anew at this moment.
		ok, reason, err = false, err.Error(), nil
	}
	if err != nil || ok {
		return n, err
	}
	l.log.Warn("index does not fit the file; reading the lines without it", "path", src.Index, "reason", reason)
	src.believed = false
	src.count.Store(0)
	return 0, nil
}

// startLines makes the end of the index the first line that is known.
func (s *source) startLines(n uint64) error {
	var m mark
	if n > 0 {
		end, err := index.Entry(s.Idx, n)
		if err != nil {
			return err
		}
		m = mark{n, end}
	}
	s.lines.start(m)
	return nil
}

// holds reports whether a bare file still has the lines up to where its index
// ended when it was opened: whoever empties a file in place, as copytruncate
// does, leaves the index as it was. It is looked at where the size changed.
func (s *source) holds() (bool, error) {
	end := s.lines.first.pos
	if !s.believed || end == 0 {
		return true, nil
	}
	size, err := s.size()
	if err != nil || size == s.held.Load() {
		return err == nil, err
	}
	ok, err := s.lineEnds(uint64(end))
	if ok {
		s.held.Store(size)
	}
	return ok, err
}

// size is the present size of the records file.
func (s *source) size() (int64, error) {
	info, err := s.Rec.Stat()
	return info.Size, err
}

// readAt reads records from position at on, as many as there are. That the
// file ends is not an error.
func (s *source) readAt(p []byte, at int64) (int, error) {
	n, err := s.Rec.ReadAt(p, at)
	s.counts.disk.count(n)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// corrupt makes an error about the records from offset on.
func (s *source) corrupt(offset uint64, position, end int64, err error) error {
	return &segment.CorruptError{Path: s.Records, Offset: offset, Position: position, End: max(end, 0), Err: err}
}

// mismatch is ErrIndexMismatch with a reason.
func mismatch(format string, args ...any) error {
	return fmt.Errorf("%w: %s", segment.ErrIndexMismatch, fmt.Sprintf(format, args...))
}
