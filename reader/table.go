package reader

import (
	"bytes"
	"context"
	"io"
	"sort"
	"sync"
)

const (
	// markStride is how many bytes lie between two lines of which the
	// position is kept, as long as there are fewer than maxMarks: a file of
	// 16 GiB. The stride of larger ones doubles, so that the table takes
	// 1 MiB at most.
	markStride = 256 << 10
	maxMarks   = 64 << 10

	// checkBytes is how much of the file before the last known line is
	// compared before the table is believed.
	checkBytes = 64
)

// mark is where a line begins.
type mark struct {
	offset uint64
	pos    int64
}

// lineTable is what is known about where the lines of a bare file begin, from
// having read past them. It makes it cheap to count and to get record n once
// more.
type lineTable struct {
	mu     sync.Mutex
	first  mark   // the end of the index
	marks  []mark // increasing, at least stride bytes apart
	last   mark   // the furthest line known
	check  []byte // the bytes before last
	stride int64
}

// start makes m, where the index ends, the first line known.
func (t *lineTable) start(m mark) {
	t.first, t.last, t.stride = m, m, markStride
}

// add notes that a line begins at m, behind the bytes before.
func (t *lineTable) add(m mark, before []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m.pos <= t.last.pos {
		return
	}
	t.last = m
	t.check = append(t.check[:0], before[max(0, len(before)-checkBytes):]...)
	if m.pos-t.newest().pos >= t.stride {
		t.marks = append(t.marks, m)
	}
	if len(t.marks) > maxMarks {
		t.thin()
	}
}

func (t *lineTable) newest() mark {
	if len(t.marks) == 0 {
		return t.first
	}
	return t.marks[len(t.marks)-1]
}

// thin drops every other mark.
func (t *lineTable) thin() {
	t.stride *= 2
	kept := t.marks[:0]
	for i, m := range t.marks {
		if i%2 == 1 {
			kept = append(kept, m)
		}
	}
	t.marks = kept
}

// before returns the last line known that is not behind offset.
func (t *lineTable) before(offset uint64) mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case offset < t.first.offset:
		return mark{} // the index became shorter than it was
	case t.last.offset <= offset:
		return t.last
	}
	i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].offset > offset })
	if i == 0 {
		return t.first
	}
	return t.marks[i-1]
}

// furthest returns the last line known.
func (t *lineTable) furthest() mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// confirm forgets what is known where the file is no longer what it was.
func (s *source) confirm() error {
	t := &s.lines
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.check) == 0 {
		return nil
	}
	now := make([]byte, len(t.check))
	n, err := s.readAt(now, t.last.pos-int64(len(now)))
	if err == nil && !bytes.Equal(now[:n], t.check) {
		t.last, t.marks, t.check = t.first, nil, nil
	}
	return err
}

var scanBuffers = sync.Pool{New: func() any { return new([blockBytes]byte) }}

// seekLine returns where the line with that offset begins, or the last line
// start before position end where there are fewer. The lines between what is
// known and that are counted.
func (l *Log) seekLine(ctx context.Context, src *source, offset uint64, end int64) (mark, error) {
	if err := src.confirm(); err != nil {
		return mark{}, err
	}
	m := src.lines.before(offset)
	if m.offset == offset {
		return m, nil
	}
	found := m
	if tell := l.opts.Counting; tell != nil {
		defer tell(end, end)
	}
	err := l.scan(ctx, src, m.pos, end, func(at int64, p []byte) bool {
		if tell := l.opts.Counting; tell != nil {
			tell(at, end)
		}
		lines := uint64(bytes.Count(p, newline))
		if lines == 0 {
			return true
		}
		if found.offset+lines >= offset {
			found = mark{offset, at + int64(nthNewline(p, offset-found.offset)) + 1}
			return false
		}
		last := bytes.LastIndexByte(p, '\n')
		found = mark{found.offset + lines, at + int64(last) + 1}
		src.lines.add(found, p[:last+1])
		return true
	})
	return found, err
}

// lineEnd returns the position behind the first newline from pos on, or io.EOF
// where there is none before end.
func (l *Log) lineEnd(ctx context.Context, src *source, pos, end int64) (int64, error) {
	found := int64(-1)
	err := l.scan(ctx, src, pos, end, func(at int64, p []byte) bool {
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			found = at + int64(i) + 1
		}
		return found < 0
	})
	if err == nil && found < 0 {
		err = io.EOF
	}
	return found, err
}

// scan gives visit the bytes of [pos, end), as far as they are there, block by
// block, until it returns false.
func (l *Log) scan(ctx context.Context, src *source, pos, end int64, visit func(at int64, p []byte) bool) error {
	buf := scanBuffers.Get().(*[blockBytes]byte)
	defer scanBuffers.Put(buf)
	for pos < end {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := l.alive(); err != nil {
			return err
		}
		n, err := src.readAt(buf[:min(blockBytes, end-pos)], pos)
		if err != nil {
			return err
		}
		l.stats.scanBytes.Add(uint64(n))
		if n == 0 || !visit(pos, buf[:n]) {
			return nil
		}
		pos += int64(n)
	}
	return nil
}

// countTo returns the number of records of a bare file of that size.
func (l *Log) countTo(ctx context.Context, src *source, size int64, whole bool) (uint64, error) {
	m, err := l.seekLine(ctx, src, UnknownOffset, size)
	if err != nil || whole {
		return m.offset, err
	}
	open, err := l.complete(src, m.pos, size)
	if open {
		m.offset++
	}
	return m.offset, err
}
