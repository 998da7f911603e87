package reader

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"example.com/jlq/index"
)

// stretch is what a search found: the records [from, to) of a segment that do
// not prove themselves, and the bytes that they take.
type stretch struct {
	from, to   uint64
	start, end int64 // end is 0 where it is not known
	placed     bool  // start was found
}

// search looks for records that prove themselves, in index and records, block
// by block.
type search struct {
	log   *Log
	ctx   context.Context
	src   *source
	size  int64 // of the records file
	limit int64 // of a record
	noNUL bool

	raw []byte // entries
	buf []byte // bytes of the records file, from position at on
	at  int64
}

func (r *Reader) newSearch(src *source) (*search, error) {
	size, err := src.size()
	limit := r.log.layout.Load().limit
	return &search{log: r.log, ctx: r.ctx, src: src, size: size, limit: limit, noNUL: r.log.noNUL()}, err
}

// ahead finds the first record behind k and below end that proves itself.
func (s *search) ahead(k, end uint64) (stretch, error) {
	found := stretch{from: k, to: end}
	floor, err := s.place(k, &found)
	if err != nil || !found.placed {
		return found, err
	}
	for i := k + 1; i < end; {
		entries, err := s.entries(i, min(blockPosts, end-i)+1)
		if err != nil {
			return found, err
		}
		if entries.len() < 2 {
			break
		}
		for j := range entries.len() - 1 {
			start, stop := entries.at(j), entries.at(j+1)
			if start < floor.position+(i+j-floor.record) {
				continue // each record between has at least its newline
			}
			ok, err := s.fits(start, stop)
			if err != nil {
				return found, err
			}
			if ok {
				found.to, found.end = i+j, int64(start)
				return found, nil
			}
		}
		i += entries.len() - 1
	}
	return found, s.close(&found)
}

// floor is a record that is known to begin at a position, or the beginning of
// the file.
type floor struct{ record, position uint64 }

// place finds where the records from k on begin: at entry k, or where no line
// begins there, at the nearest entry before it where one does.
func (s *search) place(k uint64, found *stretch) (floor, error) {
	const most = 64
	first := k - min(k, most)
	entries, err := s.entries(first, k-first+1)
	if err != nil || entries.len() <= k-first {
		return floor{}, err
	}
	found.placed = true
	for i := k; i > 0 && i >= first; i-- {
		start := entries.at(i - first)
		ok, err := s.begins(start)
		if err != nil {
			return floor{}, err
		}
		if ok && start > 0 {
			found.start = int64(start)
			return floor{i, start}, nil
		}
	}
	if start := entries.at(k - first); first > 0 && start <= uint64(s.size) {
		found.start = int64(start) // all that is known, and nothing to rely on
	}
	return floor{}, nil
}

// close finds where records end of which none behind proves itself.
func (s *search) close(found *stretch) error {
	entries, err := s.entries(found.to, 1)
	if err != nil || entries.len() == 0 {
		return err
	}
	end := entries.at(0)
	ok, err := s.begins(end)
	switch {
	case err != nil:
		return err
	case ok && end > uint64(found.start):
		found.end = int64(end)
	case found.to == s.src.count.Load() && s.size > found.start:
		found.end = s.size
	}
	return nil
}

// behind finds the last record before k-1 that proves itself, and not below
// first.
func (s *search) behind(k, first uint64) (stretch, error) {
	found := stretch{from: first, to: k, placed: true}
	high, err := s.ceiling(k, &found)
	if err != nil {
		return found, err
	}
	for i := k - 1; i > first; {
		n := min(blockPosts, i-first)
		entries, err := s.entries(i-n, n+1)
		if err != nil {
			return found, err
		}
		for j := entries.len(); j > 1; j-- {
			start, stop := entries.at(j-2), entries.at(j-1)
			past := i - n + j - 1 // the record that begins at stop
			if stop > high || found.end == int64(high) && high-stop < k-past {
				continue // each record between has at least its newline
			}
			ok, err := s.fits(start, stop)
			if err != nil {
				return found, err
			}
			if ok {
				found.from, found.start = past, int64(stop)
				return found, nil
			}
		}
		i -= n
	}
	return found, nil
}

// ceiling finds where the records before k end: at entry k, or where no line
// begins there, at the end of the file at most.
func (s *search) ceiling(k uint64, found *stretch) (uint64, error) {
	entries, err := s.entries(k, 1)
	if err != nil || entries.len() == 0 {
		return uint64(s.size), err
	}
	ok, err := s.begins(entries.at(0))
	if ok {
		found.end = int64(entries.at(0))
		return entries.at(0), err
	}
	return uint64(s.size), err
}

// fits reports whether the bytes between two entries are a record.
func (s *search) fits(start, end uint64) (bool, error) {
	if end <= start || end > uint64(s.size) || end-start-1 > uint64(s.limit) {
		return false, nil
	}
	if ok, err := s.begins(start); !ok || err != nil {
		return false, err
	}
	if p, err := s.bytes(int64(end)-1, int64(end)); len(p) == 0 || p[0] != '\n' || err != nil {
		return false, err
	}
	return s.oneLine(int64(start), int64(end)-1)
}

// begins reports whether a line can begin at a position: behind a newline, or
// the NUL byte that a hole made of it.
func (s *search) begins(position uint64) (bool, error) {
	if position == 0 {
		return true, nil
	}
	if position > uint64(s.size) {
		return false, nil
	}
	p, err := s.bytes(int64(position)-1, int64(position))
	return len(p) > 0 && (p[0] == '\n' || s.noNUL && p[0] == 0), err
}

// oneLine reports whether the bytes of [start, end) have no newline and, where
// that is asked for, no NUL.
func (s *search) oneLine(start, end int64) (bool, error) {
	for start < end {
		p, err := s.bytes(start, end)
		if err != nil || len(p) == 0 {
			return false, err
		}
		if bytes.IndexByte(p, '\n') >= 0 || s.noNUL && bytes.IndexByte(p, 0) >= 0 {
			return false, nil
		}
		start += int64(len(p))
	}
	return true, nil
}

// hole reports whether there is NUL among the bytes that were found, as far as
// one record can reach.
func (s *search) hole(found stretch) (bool, error) {
	end := found.start + min(max(found.end-found.start, smallRead), s.limit)
	for at := found.start; at < end; {
		p, err := s.bytes(at, end)
		if err != nil || len(p) == 0 {
			return false, err
		}
		if bytes.IndexByte(p, 0) >= 0 {
			return true, nil
		}
		at += int64(len(p))
	}
	return false, nil
}

// bytes returns the bytes of [start, end), or as many of the first as are
// there at once. What lies just behind or before is read with them, so that a
// search in either direction reads every byte once, and one that is led about
// by noise reads little each time.
func (s *search) bytes(start, end int64) ([]byte, error) {
	if start < s.at || start >= s.at+int64(len(s.buf)) {
		if err := s.read(start); err != nil {
			return nil, err
		}
	}
	p := s.buf[min(start-s.at, int64(len(s.buf))):]
	return p[:min(int64(len(p)), end-start)], nil
}

func (s *search) read(start int64) error {
	if err := s.alive(); err != nil {
		return err
	}
	at, n := start, int64(smallRead)
	held := s.at + int64(len(s.buf))
	switch {
	case start >= held && start-held < blockBytes:
		n = blockBytes
	case start < s.at && s.at-start < blockBytes:
		at = max(0, start+1-blockBytes)
		n = start + 1 - at
	}
	if s.buf == nil {
		s.buf = make([]byte, blockBytes)
	}
	s.buf = s.buf[:n]
	got, err := s.src.readAt(s.buf, at)
	s.buf, s.at = s.buf[:got], at
	return err
}

func (s *search) alive() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return s.log.alive()
}

// rawEntries are entries as they are stored, whatever they say.
type rawEntries []byte

func (e rawEntries) len() uint64 { return uint64(len(e) / index.EntrySize) }

func (e rawEntries) at(i uint64) uint64 { return binary.BigEndian.Uint64(e[i*index.EntrySize:]) }

// entries reads n entries from number first on, or as many as there are.
func (s *search) entries(first, n uint64) (rawEntries, error) {
	if s.src.Idx == nil || first > math.MaxInt64/index.EntrySize-blockPosts {
		return nil, nil
	}
	s.raw = grown(s.raw, int(n)*index.EntrySize)
	got, err := s.src.Idx.ReadAt(s.raw, int64(first)*index.EntrySize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return s.raw[:got-got%index.EntrySize], err
}
