package grep

import (
	"bytes"
	"unicode/utf8"
)

// table is a machine's deterministic automaton, as far as it was needed. A state
// is a set of instructions; where it leads to is found in its row of the table by
// the class of the next character.
//
// All that is looked for is whether a line matches: the first character that
// decides it ends the search. A line that ends undecided leads to the first state
// again, so that the search runs on from line to line.
type table struct {
	m      *machine
	next   []int32 // rows: where another row begins, or one of the marks
	states []state // of each row
	known  map[string]int32
	first  int32 // at the beginning of a line
	bytes  int   // what the states take
	maker

	read    int // bytes, since the table was emptied
	useless bool
}

// Marks that stand in the place of a row.
const (
	unknown = 0  // not found out yet
	matched = -1 // the line matches
	over    = -2 // nothing in the rest of the line can match
	full    = -3 // there is no room for another state
)

const (
	// maxTable bounds the memory of a table.
	maxTable = 4 << 20
	// fairUse is how many bytes a state must have been good for, in the mean,
	// when the table is full.
	fairUse = 32
)

func newTable(m *machine) *table {
	t := &table{m: m, maker: newMaker(m)}
	t.empty()
	return t
}

// empty forgets all states but the first.
func (t *table) empty() {
	t.next = append(t.next[:0], make([]int32, 1<<t.m.shift)...) // a row 0 would be unknown
	t.states = append(t.states[:0], state{})
	t.known, t.bytes, t.read = map[string]int32{}, 0, 0
	t.first = t.row(t.begin())
}

// row returns the row of a state.
func (t *table) row(s state, mark int32) int32 {
	if mark != unknown {
		return mark
	}
	t.key = s.appendKey(t.key[:0])
	if row, ok := t.known[string(t.key)]; ok {
		return row
	}
	t.bytes += 4<<t.m.shift + 8*len(s.insts) + 64
	if t.bytes > maxTable && len(t.states) > 2 {
		return full
	}
	s.insts = append([]uint32(nil), s.insts...)
	row := int32(len(t.next))
	t.known[string(t.key)] = row
	t.states = append(t.states, s)
	t.next = append(t.next, make([]int32, 1<<t.m.shift)...)
	return row
}

// find returns the place at which the first line that matches, from the one at
// at on, is known to; it is in the line, or its newline, or the end of the
// block. It is -1 where no line matches. Where ok is false the table is of no
// use, and nothing is known.
func (t *table) find(block []byte, at int) (place int, ok bool) {
	switch t.first {
	case matched:
		return at, true
	case over:
		return -1, true
	}
	s, i, restarted := t.first, at, -1
	for i < len(block) {
		var mark int32
		s, i, mark = t.run(s, block, i)
		switch mark {
		case matched:
			t.read += i - at
			return i, true
		case over:
			t.read += i - at
			return -1, true
		case full:
			i = bytes.LastIndexByte(block[at:i], '\n') + 1 + at
			if i == restarted || t.read+i-at < fairUse*len(t.states) {
				t.useless = true
				return 0, false
			}
			t.empty()
			at, restarted, s = i, i, t.first
		}
	}
	t.read += i - at
	if (len(block) == 0 || block[len(block)-1] != '\n') && t.fill(s, endOfLine) == matched {
		return len(block), true
	}
	return -1, true
}

// run goes on from state s and place i to the end of the block, or to where
// there is a mark that it is not up to.
func (t *table) run(s int32, block []byte, i int) (int32, int, int32) {
	next, ascii := t.next, &t.m.ascii
	for i < len(block) {
		n := next[int(s)+int(ascii[block[i]])]
		if n == s {
			// Most of a line does not lead anywhere else. These steps do not wait for
			// each other, as those from state to state do.
			for i++; i < len(block) && next[int(s)+int(ascii[block[i]])] == s; i++ {
			}
			continue
		}
		if n > 0 {
			s = n
			i++
			continue
		}
		class, size := ascii[block[i]], 1
		if class == t.m.beyond {
			var r rune
			r, size = utf8.DecodeRune(block[i:])
			class = t.m.classOf(r)
		}
		n = t.fill(s, class)
		next = t.next
		switch n {
		case matched, full:
			return s, i, n
		case over:
			if i = orEnd(bytes.IndexByte(block[i:], '\n'), i, block); i == len(block) {
				return s, i, over
			}
			s, size = t.first, 1
		default:
			s = n
		}
		i += size
	}
	return s, min(i, len(block)), unknown
}

// fill returns where a state and a class lead to.
func (t *table) fill(s int32, class uint8) int32 {
	if n := t.next[int(s)+int(class)]; n != unknown {
		return n
	}
	made, mark := t.step(t.states[s>>t.m.shift], class)
	n := t.first
	if class != endOfLine || mark == matched {
		n = t.row(made, mark)
	}
	if n != full {
		t.next[int(s)+int(class)] = n
	}
	return n
}
