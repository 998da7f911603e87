package segment

import (
	"bytes"
	"io"
)

// scanBlock is how much of a file is read at a time when it is scanned.
const scanBlock = 256 << 10

// line is one line of a records file, as a scan found it.
type line struct {
	data  []byte // without its newline; nil where it is longer than the limit
	start int64
	end   int64 // behind its newline, or the end of the file
	whole bool  // it has a newline
	nul   bool  // it holds a NUL byte
}

// scanner walks the lines of r from a position to size. Its memory is bounded
// by limit, however long a line is.
type scanner struct {
	r     io.ReaderAt
	pos   int64 // of buf[lo]
	next  int64 // where to read on
	size  int64
	limit int
	buf   []byte
	lo    int
}

func newScanner(r io.ReaderAt, pos, size int64, limit int) *scanner {
	return &scanner{r: r, pos: pos, next: pos, size: size, limit: limit}
}

// line returns the next line; io.EOF behind the last. The data is valid until
// the next call.
func (s *scanner) line() (line, error) {
	l := line{start: s.pos}
	searched := 0
	for {
		if i := bytes.IndexByte(s.buf[s.lo+searched:], '\n'); i >= 0 {
			return s.take(l, searched+i), nil
		}
		searched = len(s.buf) - s.lo
		if searched > s.limit {
			return s.skip(l)
		}
		more, err := s.fill()
		if err != nil {
			return line{}, err
		}
		if !more {
			return s.rest(l)
		}
	}
}

// take cuts the line of n bytes off the buffer.
func (s *scanner) take(l line, n int) line {
	data := s.buf[s.lo : s.lo+n]
	l.nul = l.nul || bytes.IndexByte(data, 0) >= 0
	if n <= s.limit {
		l.data = data
	}
	s.lo += n + 1
	s.pos += int64(n) + 1
	l.end, l.whole = s.pos, true
	return l
}

// rest returns what follows the last newline.
func (s *scanner) rest(l line) (line, error) {
	data := s.buf[s.lo:]
	s.lo, s.pos = len(s.buf), s.pos+int64(len(data))
	l.end = s.pos
	if l.end == l.start {
		return line{}, io.EOF
	}
	l.data, l.nul = data, bytes.IndexByte(data, 0) >= 0
	return l, nil
}

// skip passes over a line that is longer than the limit.
func (s *scanner) skip(l line) (line, error) {
	for {
		l.nul = l.nul || bytes.IndexByte(s.buf[s.lo:], 0) >= 0
		s.pos += int64(len(s.buf) - s.lo)
		s.lo = len(s.buf)
		more, err := s.fill()
		if err != nil {
			return line{}, err
		}
		if !more {
			l.end = s.pos
			return l, nil
		}
		if i := bytes.IndexByte(s.buf[s.lo:], '\n'); i >= 0 {
			l.nul = l.nul || bytes.IndexByte(s.buf[s.lo:s.lo+i], 0) >= 0
			s.lo, s.pos = s.lo+i+1, s.pos+int64(i)+1
			l.end, l.whole = s.pos, true
			return l, nil
		}
	}
}

// fill reads another block behind what is left in the buffer. A file that
// became shorter than size is an error, not its end.
func (s *scanner) fill() (more bool, err error) {
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
	if got == n {
		err = nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	s.next += int64(got)
	return true, err
}
