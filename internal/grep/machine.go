package grep

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// machine is a compiled expression with its alphabet: characters that no part of
// the expression tells apart are one class.
type machine struct {
	prog   *syntax.Prog
	ascii  [256]uint8 // the class of a byte; of those that are not ASCII, the class beyond
	bounds []rune     // where classes change, ascending, from 0
	class  []uint8    // of the characters from the bound of the same place on
	wordy  []bool     // whether a class is of word characters, as \b sees them
	shift  uint8      // a state's row in the table is 1<<shift long
	beyond uint8      // the class of bytes that are not ASCII; the last
	member []bool     // whether an instruction takes a class: [pc<<shift + class]
}

const (
	endOfLine  = 0   // its class
	maxClasses = 250 // so that a class is a byte
	maxProgram = 20_000
	maxMembers = 1 << 22
)

// newMachine returns nil where the expression is too large for a table.
func newMachine(prog *syntax.Prog) *machine {
	if len(prog.Inst) > maxProgram {
		return nil
	}
	m := &machine{prog: prog}
	sets, setOf := runeSets(prog)
	m.findBounds(sets)
	takes, ok := m.findClasses(sets)
	if !ok {
		return nil
	}
	m.beyond = uint8(len(m.wordy))
	for 1<<m.shift <= int(m.beyond) {
		m.shift++
	}
	if len(prog.Inst)<<m.shift > maxMembers {
		return nil
	}
	m.member = make([]bool, len(prog.Inst)<<m.shift)
	for pc, set := range setOf {
		for class := range takes {
			m.member[pc<<m.shift+class] = set >= 0 && takes[class][set]
		}
	}
	for c := range m.ascii {
		m.ascii[c] = m.beyond
		if c < utf8.RuneSelf {
			m.ascii[c] = m.classOf(rune(c))
		}
	}
	m.ascii['\n'] = endOfLine
	return m
}

// runeSets lists the different sets of characters that instructions take, an
// instruction for each, and which one each instruction has; -1 for none.
func runeSets(prog *syntax.Prog) (sets []*syntax.Inst, setOf []int) {
	known := map[string]int{}
	for pc := range prog.Inst {
		inst := &prog.Inst[pc]
		setOf = append(setOf, -1)
		switch inst.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		default:
			continue
		}
		key := string([]rune{rune(inst.Op), rune(inst.Arg & uint32(syntax.FoldCase))}) + string(inst.Rune)
		set, ok := known[key]
		if !ok {
			set = len(sets)
			known[key] = set
			sets = append(sets, inst)
		}
		setOf[pc] = set
	}
	return sets, setOf
}

// findBounds finds where the answer of any set may change.
func (m *machine) findBounds(sets []*syntax.Inst) {
	m.bounds = []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, utf8.RuneSelf}
	for _, inst := range sets {
		switch {
		case inst.Op == syntax.InstRuneAny || inst.Op == syntax.InstRuneAnyNotNL:
		case len(inst.Rune) == 1:
			r := inst.Rune[0]
			m.bounds = append(m.bounds, r, r+1)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				m.bounds = append(m.bounds, f, f+1)
			}
		default:
			for i := 0; i+1 < len(inst.Rune); i += 2 {
				m.bounds = append(m.bounds, inst.Rune[i], inst.Rune[i+1]+1)
			}
		}
	}
	slices.Sort(m.bounds)
	m.bounds = slices.Compact(m.bounds)
}

// findClasses gives each stretch between bounds its class, and tells which sets
// have it: takes[class][set].
func (m *machine) findClasses(sets []*syntax.Inst) (takes [][]bool, ok bool) {
	wordMatters := slices.ContainsFunc(m.prog.Inst, func(inst syntax.Inst) bool {
		return inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
	})
	takes, m.wordy = [][]bool{make([]bool, len(sets))}, []bool{false} // the end of the line
	known := map[string]uint8{}
	key := make([]byte, len(sets)+1)
	for _, r := range m.bounds {
		has := make([]bool, len(sets))
		for i, inst := range sets {
			has[i] = inst.MatchRune(r)
			key[i] = bit(has[i])
		}
		wordy := wordMatters && syntax.IsWordChar(r)
		key[len(sets)] = bit(wordy)
		class, ok := known[string(key)]
		if !ok {
			if len(takes) == maxClasses {
				return nil, false
			}
			class = uint8(len(takes))
			known[string(key)] = class
			takes, m.wordy = append(takes, has), append(m.wordy, wordy)
		}
		m.class = append(m.class, class)
	}
	return takes, true
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// classOf returns the class of a character.
func (m *machine) classOf(r rune) uint8 {
	i, found := slices.BinarySearch(m.bounds, r)
	if !found {
		i--
	}
	return m.class[i]
}
