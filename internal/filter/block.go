package filter

import (
	"bytes"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/rare"
)

// Bad is a line that is not JSON, or cannot be read.
type Bad struct {
	Line int    // its number in the block, from 0
	Data []byte // without its newline; shares memory with the block
	Err  error

	// After Keep, and of what Sift yields: Offset is the number in the log, Size the
	// length, and Data a copy of at most the first KiB.
	Offset uint64
	Size   int
}

// Select finds the lines of a block of whole lines that the filter is true of.
// It appends them to dst, each with a newline, and to bad the ones that are
// not JSON. checked says that the lines were checked before, as for
// [Filter.MatchChecked]; then lines that cannot match are passed over many at a
// time.
func (f *Filter) Select(dst []byte, bad []Bad, block []byte, checked bool) (lines []byte, matched int, invalid []Bad) {
	s := selection{f: f, block: block, checked: checked, dst: dst, bad: bad}
	s.run()
	return s.dst, s.matched, s.bad
}

// selection is the work on one block.
type selection struct {
	f       *Filter
	block   []byte
	checked bool
	stop    bool // with the first line that is not JSON
	dst     []byte
	matched int
	bad     []Bad

	numbered bool  // the numbers of the chosen lines are wanted
	numbers  []int // which are these

	next            finder
	common          rare.Tally
	counted, number int // line number begins at counted, the last time it was asked
}

// run does it.
func (s *selection) run() {
	s.next = finder{needs: s.f.needs, block: s.block, escape: -1}
	for i := range s.next.at {
		s.next.at[i] = -1
	}
	at := 0
	if s.f.needs != nil && s.checked {
		at = s.candidates()
	} else if s.f.needs != nil {
		at = s.checks()
	}
	s.all(at)
}

// all decides about every line from the one at on.
func (s *selection) all(at int) {
	for at < len(s.block) {
		at = s.line(at, s.lineEnd(at)) + 1
	}
}

// lineEnd is the place of the newline that ends the line in which at is, or
// the end of the block where there is none.
func (s *selection) lineEnd(at int) int {
	if i := bytes.IndexByte(s.block[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s.block)
}

// line decides about the line [start, end), and returns end, or the end of the
// block where the work is over.
func (s *selection) line(start, end int) int {
	ok, err := s.match(start, end)
	if err != nil {
		return s.refuse(start, end, err)
	}
	if ok {
		s.matched++
		if s.numbered {
			s.numbers = append(s.numbers, s.numberOf(start))
		}
		s.dst = append(append(s.dst, s.block[start:end]...), '\n')
	}
	return end
}

// refuse takes a line that is not JSON, and returns what line does.
func (s *selection) refuse(start, end int, err error) int {
	s.bad = append(s.bad, Bad{Line: s.numberOf(start), Data: s.block[start:end:end], Err: err})
	if s.stop {
		return len(s.block)
	}
	return end
}

func (s *selection) match(start, end int) (bool, error) {
	line := jsonl.SkipBOM(s.block[start:end:end])
	if !s.checked {
		if err := jsonl.CheckStrict(line, -1); err != nil {
			return false, err
		}
	}
	return s.f.decide(line, s.next.backslash(start) >= end)
}

// numberOf returns the number of the line that begins at start. It is asked in
// order.
func (s *selection) numberOf(start int) int {
	s.number += bytes.Count(s.block[s.counted:start], []byte{'\n'})
	s.counted = start
	return s.number
}

// candidates decides about the lines that hold what is needed, or a backslash,
// and about no others. It returns the line where that is not worth it any more.
func (s *selection) candidates() (at int) {
	for at < len(s.block) && !s.common.Most() {
		hit := s.next.from(at)
		if hit >= len(s.block) {
			return len(s.block)
		}
		start := bytes.LastIndexByte(s.block[at:hit], '\n') + 1 + at
		end := s.lineEnd(hit)
		s.common.Add(start-at, end+1-start)
		at = s.line(start, end) + 1
	}
	return at
}

// checks is candidates where the other lines must be JSON too.
func (s *selection) checks() (at int) {
	for at < len(s.block) && !s.common.Most() {
		end := s.lineEnd(at)
		if s.next.from(at) < end {
			s.common.Add(0, end+1-at)
			at = s.line(at, end) + 1
			continue
		}
		s.common.Add(end+1-at, 0)
		if err := jsonl.CheckStrict(jsonl.SkipBOM(s.block[at:end:end]), -1); err != nil {
			end = s.refuse(at, end, err)
		}
		at = end + 1
	}
	return at
}

// finder looks for the next place where any of some needs is met, or of a
// backslash. It remembers where each is next, so that a rare one is not looked
// for again and again.
type finder struct {
	needs  []need
	block  []byte
	at     [maxNeeds]int // of each need: its next place
	escape int           // the next backslash
}

// from returns the first place from at on, or the end of the block. It is asked
// in order.
func (f *finder) from(at int) int {
	nearest := f.backslash(at)
	for i := range f.needs {
		if f.at[i] < at {
			f.at[i] = f.needs[i].next(f.block, at)
		}
		nearest = min(nearest, f.at[i])
	}
	return nearest
}

// backslash returns the first one from at on, or the end of the block.
func (f *finder) backslash(at int) int {
	if f.escape < at {
		f.escape = orEnd(bytes.IndexByte(f.block[at:], '\\'), at, f.block)
	}
	return f.escape
}

// orEnd is the place i behind at, or the end of the block where i is none.
func orEnd(i, at int, block []byte) int {
	if i < 0 {
		return len(block)
	}
	return at + i
}
