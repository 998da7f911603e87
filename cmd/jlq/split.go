package main

import "bytes"

// splitter cuts records out of an input.
type splitter interface {
	// next looks for the end of the record that data begins with. size is
	// that record's bytes with what ends it, and skip how many of the first
	// of them are no part of it. ok is false when data holds no whole one.
	// What next has seen it does not look at again: data must begin with the
	// same bytes until consumed is called.
	next(data []byte) (skip, size int, ok bool)

	// last says where the record begins that has no end because the input
	// ended; ok is false when there is none.
	last(data []byte) (skip int, ok bool)

	// consumed says that the first n bytes were taken away.
	consumed(n int)
}

// lineSplitter cuts at newlines.
type lineSplitter struct{ seen int }

func (s *lineSplitter) next(data []byte) (skip, size int, ok bool) {
	i := bytes.IndexByte(data[s.seen:], '\n')
	if i < 0 {
		s.seen = len(data)
		return 0, 0, false
	}
	return 0, s.seen + i + 1, true
}

func (s *lineSplitter) last(data []byte) (int, bool) { return 0, len(data) > 0 }

func (s *lineSplitter) consumed(n int) { s.seen = max(0, s.seen-n) }

// valueSplitter cuts between JSON values, however many lines each takes. It
// knows just enough of JSON to find where a value ends; whether it is one is
// checked afterwards. A newline within a string cannot be part of JSON, so
// there the damage ends.
type valueSplitter struct {
	seen   int
	begin  int // where the value begins
	inside bool
	depth  int
	quoted bool // within a string
	escape bool // behind a backslash
	scalar bool // within a number or word
}

func (s *valueSplitter) next(data []byte) (skip, size int, ok bool) {
	for ; s.seen < len(data); s.seen++ {
		if end, ok := s.step(data[s.seen]); ok {
			skip, size = s.begin, s.seen+end
			s.restart(size)
			return skip, size, true
		}
	}
	return 0, 0, false
}

func (s *valueSplitter) restart(seen int) { *s = valueSplitter{seen: seen} }

// step takes one byte. ok says that the value ends: before the byte when end
// is 0, behind it when it is 1.
func (s *valueSplitter) step(c byte) (end int, ok bool) {
	switch {
	case !s.inside:
		return s.start(c)
	case s.escape:
		s.escape = false
		return 1, c == '\n'
	case s.quoted:
		return 1, s.stepString(c)
	case s.scalar:
		return 0, endsScalar(c)
	}
	return 1, s.stepNested(c)
}

func (s *valueSplitter) start(c byte) (end int, ok bool) {
	if isSpace(c) {
		return 0, false
	}
	s.inside, s.begin = true, s.seen
	switch c {
	case '{', '[':
		s.depth = 1
	case '"':
		s.quoted = true
	case '}', ']', ',', ':':
		return 1, true // alone it is a bad record, and what follows may be good
	default:
		s.scalar = true
	}
	return 0, false
}

func (s *valueSplitter) stepString(c byte) (ends bool) {
	switch c {
	case '\\':
		s.escape = true
	case '"':
		s.quoted = false
		return s.depth == 0
	}
	return c == '\n'
}

func (s *valueSplitter) stepNested(c byte) (ends bool) {
	switch c {
	case '{', '[':
		s.depth++
	case '}', ']':
		s.depth--
		return s.depth == 0
	case '"':
		s.quoted = true
	}
	return false
}

func (s *valueSplitter) last(data []byte) (skip int, ok bool) {
	return s.begin, s.inside
}

func (s *valueSplitter) consumed(n int) {
	s.seen = max(0, s.seen-n)
	s.begin = max(0, s.begin-n)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func endsScalar(c byte) bool {
	return isSpace(c) || c == '{' || c == '[' || c == '"' || c == '}' || c == ']' || c == ','
}
