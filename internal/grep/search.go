package grep

import (
	"bytes"
	"iter"

	"example.com/jlq/internal/rare"
)

// search is what one goroutine needs to look through blocks.
type search struct {
	m      *Matcher
	table  *table // nil: the regular expression is asked
	texts  []text // what is looked for; none: every line is looked at
	chosen bool
	since  int // bytes that were searched since they were chosen
	hunt   hunt
	common rare.Tally
}

func (m *Matcher) newSearch() *search {
	s := &search{m: m}
	if m.table != nil {
		s.table = newTable(m.table)
	}
	return s
}

func (m *Matcher) borrow() *search    { return m.idle.Get().(*search) }
func (m *Matcher) giveBack(s *search) { s.hunt.block = nil; m.idle.Put(s) }

// Selects reports whether a line, without its newline, is selected.
func (m *Matcher) Selects(line []byte) bool { return m.Matches(line) != m.invert }

// Matches reports whether any pattern matches a line, without its newline,
// whether such lines are selected or the others.
func (m *Matcher) Matches(line []byte) bool {
	if m.never {
		return false
	}
	s := m.borrow()
	defer m.giveBack(s)
	return s.matches(line)
}

// Runs returns the selected lines of a block of whole lines, of which the last may
// lack its newline: where each begins, and where it ends with its newline. With
// Invert these are runs of several lines.
func (m *Matcher) Runs(block []byte) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		s := m.borrow()
		defer m.giveBack(s)
		s.begin(block)
		for at := 0; at < len(block); {
			start, end := s.next(block, at)
			from, to := start, end
			if m.invert {
				from, to = at, start
			}
			if from < to && !yield(from, to) {
				return
			}
			at = end
		}
	}
}

// Count returns how many lines of a block are selected.
func (m *Matcher) Count(block []byte) (n int) {
	for start, end := range m.Runs(block) {
		if !m.invert {
			n++
			continue
		}
		n += bytes.Count(block[start:end], newline)
		if block[end-1] != '\n' {
			n++
		}
	}
	return n
}

var newline = []byte{'\n'}

func (s *search) begin(block []byte) {
	if s.m.needs == nil {
		return
	}
	if s.since += len(block); !s.chosen || s.since > choiceHolds {
		s.choose(block)
		s.since = 0
	}
	s.hunt.begin(s.texts, block)
}

// next returns the first line that matches, from the one at at on: where it
// begins and where it ends, with its newline. Both are the end of the block where
// there is none.
func (s *search) next(block []byte, at int) (start, end int) {
	if s.m.never {
		return len(block), len(block)
	}
	for len(s.texts) > 0 && (s.m.whole || !s.common.Most()) {
		hit, sure := s.hunt.from(at)
		if hit >= len(block) {
			return len(block), len(block)
		}
		start = bytes.LastIndexByte(block[at:hit], '\n') + 1 + at
		end = lineEnd(block, hit)
		if s.m.whole && sure || s.matches(withoutNewline(block[start:end])) {
			return start, end
		}
		s.common.Add(start-at, end-start)
		if at = end; at >= len(block) {
			return at, at
		}
	}
	return s.walk(block, at)
}

// walk is next for all lines, one after the other.
func (s *search) walk(block []byte, at int) (start, end int) {
	if s.tabled() {
		hit, ok := s.table.find(block, at)
		if ok && hit < 0 {
			return len(block), len(block)
		}
		if ok {
			return bytes.LastIndexByte(block[at:hit], '\n') + 1 + at, lineEnd(block, hit)
		}
	}
	for at < len(block) {
		end = lineEnd(block, at)
		if s.m.re.Match(withoutNewline(block[at:end])) {
			return at, end
		}
		at = end
	}
	return at, at
}

func (s *search) matches(line []byte) bool {
	if s.tabled() {
		if hit, ok := s.table.find(line, 0); ok {
			return hit >= 0
		}
	}
	return s.m.re.Match(line)
}

func (s *search) tabled() bool { return s.table != nil && !s.table.useless }

// lineEnd is the place behind the newline of the line that at is in, or the end
// of the block.
func lineEnd(block []byte, at int) int {
	if i := bytes.IndexByte(block[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(block)
}

func withoutNewline(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		return line[: n-1 : n-1]
	}
	return line[:len(line):len(line)]
}
