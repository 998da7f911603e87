package segment

import (
	"bytes"
	"io"
)

// scanBlock is how much of a file is read at a time when it is scanned.
const scanBlock = 256 << 10

// Line is one line of a records file, as a [Scanner] found it.
type Line struct {
	Data  []byte // without its newline, valid until the next line; nil where it is longer than the limit
	Start int64
	End   int64 // behind its newline, or the end of the file
	Whole bool  // it has a newline

	// NULStart to NULEnd (half-open) are the positions of its first run of
	// NUL bytes, and equal where there is none.
	NULStart, NULEnd int64
}

// NUL reports whether the line holds a NUL byte.
func (l *Line) NUL() bool { return l.NULEnd > l.NULStart }

// Scanner walks the lines of a file by their newlines alone, from a position
// to size. Its memory is bounded by limit, however long a line is.
type Scanner struct {
	r     io.ReaderAt
	pos   int64 // of buf[lo]
	next  int64 // where to read on
	size  int64
	limit int
	buf   []byte
	lo    int
}

// NewScanner begins at position, which must be the beginning of a line. Lines
// longer than limit are passed over without keeping them.
func NewScanner(r io.ReaderAt, position, size int64, limit int) *Scanner {
	return &Scanner{r: r, pos: position, next: position, size: size, limit: limit}
}

// Next returns the next line; [io.EOF] behind the last. A file that has become
// shorter than size is [io.ErrUnexpectedEOF].
func (s *Scanner) Next() (Line, error) {
	l := Line{Start: s.pos}
	searched := 0
	for {
		if i := bytes.IndexByte(s.buf[s.lo+searched:], '\n'); i >= 0 {
			s.take(&l, searched+i, true)
			return l, nil
		}
		searched = len(s.buf) - s.lo
		if searched > s.limit {
			return s.skip(l)
		}
		more, err := s.fill()
		if err != nil {
			return Line{}, err
		}
		if !more {
			return s.rest(l)
		}
	}
}

// take cuts n more bytes of the line off the buffer, and its newline.
func (s *Scanner) take(l *Line, n int, whole bool) {
	data := s.buf[s.lo : s.lo+n : s.lo+n]
	l.NoteNUL(data, s.pos)
	if s.pos == l.Start && n <= s.limit {
		l.Data = data
	}
	s.lo, s.pos = s.lo+n, s.pos+int64(n)
	if whole {
		s.lo, s.pos = s.lo+1, s.pos+1
	}
	l.End, l.Whole = s.pos, whole
}

// rest returns what follows the last newline.
func (s *Scanner) rest(l Line) (Line, error) {
	s.take(&l, len(s.buf)-s.lo, false)
	if l.End == l.Start {
		return Line{}, io.EOF
	}
	return l, nil
}

// skip passes over a line that is longer than the limit.
func (s *Scanner) skip(l Line) (Line, error) {
	for {
		s.take(&l, len(s.buf)-s.lo, false)
		l.Data = nil
		more, err := s.fill()
		if err != nil {
			return Line{}, err
		}
		if !more {
			return l, nil
		}
		if i := bytes.IndexByte(s.buf[s.lo:], '\n'); i >= 0 {
			s.take(&l, i, true)
			return l, nil
		}
	}
}

// NoteNUL extends or begins the first run of NUL bytes with those of data,
// which begins at position.
func (l *Line) NoteNUL(data []byte, position int64) {
	i := 0
	if l.NUL() {
		if l.NULEnd != position {
			return
		}
	} else if i = bytes.IndexByte(data, 0); i < 0 {
		return
	} else {
		l.NULStart = position + int64(i)
	}
	l.NULEnd = position + int64(i+leadingNULs(data[i:]))
}

// fill reads another block behind what is left in the buffer.
func (s *Scanner) fill() (more bool, err error) {
	n := int(min(scanBlock, s.size-s.next))
	if n <= 0 {
		return false, nil
	}
	kept := len(s.buf) - s.lo
	if cap(s.buf)-kept < n {
		grown := make([]byte, kept, max(2*cap(s.buf), kept+n))
		copy(grown, s.buf[s.lo:])
		s.buf = grown
	} else {
		copy(s.buf[:kept], s.buf[s.lo:])
	}
	s.lo, s.buf = 0, s.buf[:kept+n]
	got, err := s.r.ReadAt(s.buf[kept:], s.next)
	s.next += int64(got)
	if got == n {
		return true, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return false, err
}
