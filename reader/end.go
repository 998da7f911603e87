package reader

import (
	"errors"
	"io"
	"io/fs"
	"math"

	"example.com/jlq/index"
)

// Where a log ends is what its index says, but a power loss may leave zeros or
// noise behind the last entry, and a line may be missing that an entry tells of.
// So there are two ends. Entries that cannot be the end of a record, because
// they are not above the one before, are no records: nothing that reads sees
// them. Of the others, those at the end that do not prove themselves are
// records that cannot be read: who reads up to them gets the error, and who
// asks where the log ends is told where the last one is that can.

// recount looks how many records the index describes now.
func (s *source) recount() (uint64, error) {
	if !s.believed {
		return 0, nil
	}
	n, err := s.Published()
	if err != nil || n == 0 || s.bare || n == s.judged.Load() {
		return s.counted(n, err)
	}
	// It grew or was cut: the last entry is looked at, once.
	_, _, err = index.Span(s.Idx, n-1)
	if err == nil {
		s.judged.Store(n)
		return s.counted(n, nil)
	}
	if isSystem(err) {
		return 0, err
	}
	n, err = s.cutTail(n)
	return s.counted(n, err)
}

func (s *source) counted(n uint64, err error) (uint64, error) {
	if err == nil {
		s.count.Store(n)
	}
	return n, err
}

// cutTail leaves out what is no entry at the end of an index of n records:
// zeros, and where a line ends at the last entry above the one before, all that
// lies behind that. Where none does, the index is noise, not one with a tail, and
// whoever reads its records has to be told.
func (s *source) cutTail(n uint64) (uint64, error) {
	m, end, err := s.lastEntry(n, func(v, before uint64) bool { return v <= math.MaxInt64 && v > before })
	if err != nil {
		return 0, err
	}
	ok, err := s.lineEnds(end)
	if ok || err != nil {
		return m, err
	}
	m, _, err = s.lastEntry(n, func(v, _ uint64) bool { return v != 0 })
	return m, err
}

// lastEntry returns the number and the value of the last of entries 1 to n that
// is wanted; entry 0 where none is.
func (s *source) lastEntry(n uint64, wanted func(v, before uint64) bool) (at, v uint64, err error) {
	e := &search{src: s}
	for n > 0 {
		k := min(n, blockPosts)
		entries, err := e.entries(n-k, k+1)
		if err != nil {
			return 0, 0, err
		}
		for i := entries.len(); i > 1; i-- {
			if v := entries.at(i - 1); wanted(v, entries.at(i-2)) {
				return n - k + i - 1, v, nil
			}
		}
		if n -= k; n == 0 && entries.len() > 0 {
			v = entries.at(0)
		}
	}
	return 0, v, nil
}

// lineEnds reports whether a line ends at a position, or the file begins.
func (s *source) lineEnds(position uint64) (bool, error) {
	if position == 0 || position > math.MaxInt64 {
		return position == 0, nil
	}
	var b [1]byte
	n, err := s.readAt(b[:], int64(position)-1)
	return n == 1 && b[0] == '\n', err
}

// sound returns how many of the first n records of the segment there are up to
// the last entry that proves itself: it is above the one before, inside the
// file and behind a newline.
func (l *Log) sound(src *source, n uint64) (uint64, error) {
	if n == 0 || n == src.proven.Load() {
		return n, nil
	}
	size, err := src.size()
	if err != nil {
		return 0, err
	}
	s := &search{log: l, ctx: l.life, src: src, size: size}
	for at := n; at > 0; {
		k := min(at, blockPosts)
		if at == n {
			k = 1 // as a rule, that is it
		}
		entries, err := s.entries(at-k, k+1)
		if err != nil {
			return 0, err
		}
		for i := entries.len(); i > 1; i-- {
			end := entries.at(i - 1)
			if end <= entries.at(i-2) {
				continue
			}
			if ok, err := s.begins(end); err != nil {
				return 0, err
			} else if ok {
				at = at - k + i - 1
				if at == n {
					src.proven.Store(n)
				}
				return at, nil
			}
		}
		at -= k
	}
	return 0, nil
}

// soundEnd returns the end of a log that ends at next by its index: less where
// its last entries do not prove themselves.
func (l *Log) soundEnd(next uint64) (uint64, error) {
	s := l.layout.Load().last()
	if s == nil || l.live != nil || next <= s.Base {
		return next, nil
	}
	src, err := l.acquire(s)
	if errors.Is(err, fs.ErrNotExist) {
		return next, nil
	}
	if err != nil {
		return 0, err
	}
	defer l.pool.release(src)
	n, err := l.sound(src, min(next-s.Base, src.count.Load()))
	return s.Base + n, err
}

// isSystem reports whether err is what the operating system says, which tells
// nothing about the bytes.
func isSystem(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	_, system := errors.AsType[*fs.PathError](err)
	return system
}

// Ahead returns how many entries lie in the index of a partition's last segment
// behind the last one that proves itself: entries of records that are not in the
// file, zeros, or noise. A crash or a broken disk left them; they go when a
// writer opens the partition, or by repair. For bare files, and in the process of
// the writer, it is 0.
func (l *Log) Ahead() (uint64, error) {
	if l.place.Bare || l.live != nil {
		return 0, nil
	}
	s := l.layout.Load().last()
	if s == nil {
		return 0, nil
	}
	src, err := l.acquireFresh(s)
	if err != nil {
		return 0, ignoreMissing(err)
	}
	defer l.pool.release(src)
	if !src.believed {
		return 0, nil
	}
	claimed, err := src.Published()
	if err != nil {
		return 0, err
	}
	// What a writer publishes from here on is no entry of those.
	n, err := l.soundCount(src)
	if err != nil {
		return 0, err
	}
	return claimed - min(claimed, n), nil
}

// soundCount is how many records of the segment can be read, as far as the
// last of them tells.
func (l *Log) soundCount(src *source) (uint64, error) {
	n, err := src.recount()
	if err != nil {
		return 0, err
	}
	return l.sound(src, n)
}
