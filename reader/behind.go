package reader

import (
	"bytes"
	"time"

	"example.com/jlq/index"
)

// BehindLimit is the most bytes that [Log.Behind] looks at.
const BehindLimit = 64 << 20

// settle is how long lines must lie behind the index to count: several times
// the two milliseconds for which a writer may put off publishing them.
const settle = 20 * time.Millisecond

// Behind returns how many whole lines lie behind the index of a partition's
// last segment, and their bytes. A writer that died left them; they become
// records when a writer opens the partition. Lines that a writer at work is
// about to publish are not counted: what is behind must stay there for some
// milliseconds. At most [BehindLimit] bytes are looked at, and where bytes is
// that number there may be more. For bare files, whose lines are all records,
// and in the process of the writer, both are 0.
func (l *Log) Behind() (lines uint64, bytes int64, err error) {
	if l.place.Bare || l.live != nil {
		return 0, 0, nil
	}
	return l.behind()
}

// Unindexed reports whether the index of a partition ends before what its
// writer has synced: it was removed or cut by hand, or lost, and records that
// were there are not shown until a writer opens the partition. For bare files,
// and in the process of the writer, it is false.
func (l *Log) Unindexed() (bool, error) {
	if l.place.Bare || l.live != nil {
		return false, nil
	}
	ly := l.layout.Load()
	s := ly.last()
	if s == nil || s.Base != ly.synced.Base {
		return false, nil
	}
	src, err := l.acquireFresh(s)
	if err != nil {
		return false, err
	}
	defer l.pool.release(src)
	end, err := src.indexEnd()
	return err == nil && end < ly.synced.Position, err
}

func (l *Log) behind() (uint64, int64, error) {
	if _, _, err := l.watermark(); err != nil && !isAway(err) {
		return 0, 0, err
	}
	s := l.layout.Load().last()
	if s == nil {
		return 0, 0, nil
	}
	src, err := l.acquireFresh(s)
	if err != nil {
		return 0, 0, err
	}
	defer l.pool.release(src)
	size, err := src.size()
	if err != nil {
		return 0, 0, err
	}
	end, err := src.indexEnd()
	if err != nil || end >= size {
		return 0, 0, err
	}
	time.Sleep(settle)
	if end, err = src.indexEnd(); err != nil || end >= size {
		return 0, 0, err
	}
	return l.countBehind(src, end, min(size, end+BehindLimit))
}

// indexEnd returns the last entry: where published data ends.
func (s *source) indexEnd() (int64, error) {
	n, err := s.recount()
	if err != nil || n == 0 {
		return 0, err
	}
	return index.Entry(s.Idx, n)
}

func (l *Log) countBehind(src *source, from, end int64) (lines uint64, size int64, err error) {
	err = l.scan(l.life, src, from, end, func(at int64, p []byte) bool {
		lines += uint64(bytes.Count(p, newline))
		if last := bytes.LastIndexByte(p, '\n'); last >= 0 {
			size = at + int64(last) + 1 - from
		}
		return true
	})
	if end-from == BehindLimit && lines > 0 {
		size = BehindLimit
	}
	return lines, size, err
}
