package grep

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// state is a set of instructions, ascending: those that take a character, and
// those that wait to see what stands before the next one.
type state struct {
	insts []uint32
	waits bool // some wait
	first bool // at the beginning of the line; not kept unless some wait
	wordy bool // behind a word character; not kept unless some wait
}

func (s *state) appendKey(key []byte) []byte {
	key = append(key, bit(s.first)|bit(s.wordy)<<1)
	for _, pc := range s.insts {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	return key
}

// maker makes states.
type maker struct {
	of         *machine
	now, then  marked // before and behind a character
	stack, out []uint32
	key        []byte
}

func newMaker(m *machine) maker {
	n := len(m.prog.Inst)
	return maker{of: m, now: newMarked(n), then: newMarked(n)}
}

// begin is the state at the beginning of a line.
func (k *maker) begin() (state, int32) {
	k.then.clear()
	if k.reach(&k.then, uint32(k.of.prog.Start), beginning) {
		return state{}, matched
	}
	return k.made(true, false)
}

const beginning = syntax.EmptyBeginLine | syntax.EmptyBeginText

// step is the state that s and a character of that class lead to, or a mark. The
// state is valid until the next call.
func (k *maker) step(s state, class uint8) (state, int32) {
	insts := s.insts
	if s.waits {
		k.now.clear()
		between := k.between(s, class)
		for _, pc := range s.insts {
			if k.reach(&k.now, pc, between) {
				return state{}, matched
			}
		}
		insts = k.now.list
	}
	if class == endOfLine {
		return state{}, over
	}
	k.then.clear()
	for _, pc := range insts {
		if k.of.member[int(pc)<<k.of.shift+int(class)] && k.reach(&k.then, k.of.prog.Inst[pc].Out, 0) {
			return state{}, matched
		}
	}
	// A match may begin behind the character, too.
	if k.reach(&k.then, uint32(k.of.prog.Start), 0) {
		return state{}, matched
	}
	return k.made(false, k.of.wordy[class])
}

// between is what is true of the place between the character that led to s and
// one of class.
func (k *maker) between(s state, class uint8) (is syntax.EmptyOp) {
	if s.first {
		is |= beginning
	}
	if class == endOfLine {
		is |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	if s.wordy != k.of.wordy[class] {
		return is | syntax.EmptyWordBoundary
	}
	return is | syntax.EmptyNoWordBoundary
}

// reach adds the instructions that can be come to from pc without taking a
// character, where is holds. It reports whether a match is among them.
func (k *maker) reach(set *marked, pc uint32, is syntax.EmptyOp) bool {
	k.stack = append(k.stack[:0], pc)
	for len(k.stack) > 0 {
		pc := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		if !set.add(pc) {
			continue
		}
		switch inst := &k.of.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			k.stack = append(k.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			k.stack = append(k.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^is == 0 {
				k.stack = append(k.stack, inst.Out)
			}
		}
	}
	return false
}

// made is the state of the instructions in then.
func (k *maker) made(first, wordy bool) (state, int32) {
	s := state{insts: k.out[:0]}
	for _, pc := range k.then.list {
		switch inst := &k.of.prog.Inst[pc]; inst.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			s.insts = append(s.insts, pc)
		case syntax.InstEmptyWidth:
			if first || syntax.EmptyOp(inst.Arg)&beginning == 0 {
				s.insts, s.waits = append(s.insts, pc), true
			}
		}
	}
	k.out = s.insts
	if len(s.insts) == 0 {
		return s, over
	}
	slices.Sort(s.insts)
	s.first, s.wordy = first && s.waits, wordy && s.waits
	return s, unknown
}

// marked is a set of small numbers that is emptied at no cost.
type marked struct {
	list  []uint32
	place []uint32
}

func newMarked(n int) marked { return marked{place: make([]uint32, n)} }

func (m *marked) clear() { m.list = m.list[:0] }

// add reports whether n was not there.
func (m *marked) add(n uint32) bool {
	if at := m.place[n]; int(at) < len(m.list) && m.list[at] == n {
		return false
	}
	m.place[n] = uint32(len(m.list))
	m.list = append(m.list, n)
	return true
}
