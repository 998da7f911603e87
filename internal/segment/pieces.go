package segment

import "bytes"

// NextPiece returns what lies up to the next newline or run of NUL bytes, or
// such a run itself; [io.EOF] behind the last. Unlike [Scanner.Next] it finds
// the line that begins behind a hole which swallowed the newline before it. A
// Scanner gives either lines or pieces.
func (s *Scanner) NextPiece() (Line, error) {
	l := Line{Start: s.pos}
	if s.lo == len(s.buf) {
		more, err := s.fill()
		if err != nil || !more {
			return s.atEnd(err)
		}
	}
	if s.buf[s.lo] == 0 {
		return s.holes(l)
	}
	searched := 0
	for {
		if i := pieceEnd(s.buf[s.lo+searched:]); i >= 0 {
			i += searched
			s.take(&l, i, s.buf[s.lo+i] == '\n')
			return l, nil
		}
		searched = len(s.buf) - s.lo
		if searched > s.limit {
			s.take(&l, searched, false) // too long to be kept
			searched = 0
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

func (s *Scanner) atEnd(err error) (Line, error) {
	if err != nil {
		return Line{}, err
	}
	return s.rest(Line{Start: s.pos})
}

// holes returns the run of NUL bytes that begins here.
func (s *Scanner) holes(l Line) (Line, error) {
	for {
		n := leadingNULs(s.buf[s.lo:])
		whole := n == len(s.buf)-s.lo
		s.take(&l, n, false)
		l.Data = nil
		if !whole {
			return l, nil
		}
		more, err := s.fill()
		if err != nil || !more {
			return l, err
		}
	}
}

// pieceEnd returns the place of the first newline or NUL byte of p, or -1.
func pieceEnd(p []byte) int {
	i := bytes.IndexByte(p, '\n')
	if i < 0 {
		return bytes.IndexByte(p, 0)
	}
	if nul := bytes.IndexByte(p[:i], 0); nul >= 0 {
		return nul
	}
	return i
}
