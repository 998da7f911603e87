package filter

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxNesting bounds parentheses and negations, and with them the stack.
const maxNesting = 200

// parser reads an expression from left to right.
type parser struct {
	src   string
	pos   int
	now   time.Time
	depth int
	paths [][]step
}

func (p *parser) fail(pos int, format string, args ...any) error {
	return &Error{Expr: p.src, Position: pos, Reason: fmt.Sprintf(format, args...)}
}

func (p *parser) space() {
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
}

// rest is what is still to be read, behind white space.
func (p *parser) rest() string {
	p.space()
	return p.src[p.pos:]
}

// take takes a piece of punctuation, if it comes next.
func (p *parser) take(mark string) bool {
	if strings.HasPrefix(p.rest(), mark) {
		p.pos += len(mark)
		return true
	}
	return false
}

// peekWord returns the word that comes next, or "".
func (p *parser) peekWord() string {
	rest := p.rest()
	return rest[:wordEnd(rest)]
}

// takeWord takes a word, if it is the whole of the next one.
func (p *parser) takeWord(word string) bool {
	if p.peekWord() != word {
		return false
	}
	p.pos += len(word)
	return true
}

// parse reads the whole of an expression.
func (p *parser) parse() (*expr, error) {
	if p.rest() == "" {
		return nil, p.fail(p.pos, `an empty filter; true takes every record`)
	}
	e, err := p.or()
	if err == nil && p.rest() != "" {
		err = p.unexpected()
	}
	return e, err
}

func (p *parser) or() (*expr, error) {
	return p.chain(opOr, "||", "or", p.and)
}

func (p *parser) and() (*expr, error) {
	return p.chain(opAnd, "&&", "and", p.not)
}

// chain reads conditions joined by mark or word.
func (p *parser) chain(op op, mark, word string, next func() (*expr, error)) (*expr, error) {
	e, err := next()
	for err == nil && (p.take(mark) || p.takeWord(word)) {
		var right *expr
		right, err = next()
		e = &expr{op: op, a: e, b: right}
	}
	return e, err
}

// nested runs read one level deeper.
func (p *parser) nested(read func() (*expr, error)) (*expr, error) {
	if p.depth == maxNesting {
		return nil, p.fail(p.pos, "nested deeper than %d levels", maxNesting)
	}
	p.depth++
	defer func() { p.depth-- }()
	return read()
}

func (p *parser) not() (*expr, error) {
	if !p.take("!") {
		return p.condition()
	}
	e, err := p.nested(p.not)
	return &expr{op: opNot, a: e}, err
}

func (p *parser) condition() (*expr, error) {
	if open := p.pos; p.take("(") {
		e, err := p.nested(p.or)
		if err == nil && !p.take(")") {
			if p.rest() == "" {
				return nil, p.fail(open, "a ( without its )")
			}
			return nil, p.unexpected()
		}
		return e, err
	}
	if e, err := p.call(); e != nil || err != nil {
		return e, err
	}
	start := p.pos
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	return p.comparison(start, left)
}

// comparisons are the operators between two operands; longer ones stand before
// those that they begin with.
var comparisons = []struct {
	mark    string
	op      op
	flipped op // with its sides exchanged
}{
	{"==", opEqual, opEqual}, {"!=", opNotEqual, opNotEqual},
	{"<=", opLessEqual, opGreaterEqual}, {">=", opGreaterEqual, opLessEqual},
	{"<", opLess, opGreater}, {">", opGreater, opLess},
}

func (p *parser) comparison(start int, left operand) (*expr, error) {
	if p.take("=~") {
		return p.match(start, left)
	}
	if p.takeWord("in") {
		return p.in(start, left)
	}
	for _, c := range comparisons {
		if !p.take(c.mark) {
			continue
		}
		right, err := p.operand()
		if err != nil {
			return nil, err
		}
		e := &expr{op: c.op, left: left, right: right}
		if right.isPath && !left.isPath {
			e = &expr{op: c.flipped, left: right, right: left}
		}
		if e.left.isTime || e.right.isTime && !e.left.isPath {
			return nil, p.fail(start, "a time compares with a path")
		}
		return e, nil
	}
	return p.alone(start, left)
}

// alone makes a condition of one operand.
func (p *parser) alone(start int, left operand) (*expr, error) {
	switch {
	case left.isPath:
		return &expr{op: opTruthy, left: left}, nil
	case left.isTime || left.kind > kindTrue:
		if p.rest() != "" && p.src[p.pos] == '=' {
			return nil, p.unexpected()
		}
		return nil, p.fail(start, "a value alone is no condition; compare it with a path")
	case left.kind == kindTrue:
		return &expr{op: opTrue}, nil
	}
	return &expr{op: opFalse}, nil
}

// onPath refuses what only a path can stand before.
func (p *parser) onPath(start int, left operand, what string) error {
	if !left.isPath {
		return p.fail(start, "%s wants a path such as .a before it", what)
	}
	return nil
}

func (p *parser) match(start int, left operand) (*expr, error) {
	if err := p.onPath(start, left, "=~"); err != nil {
		return nil, err
	}
	pattern, err := p.regexp()
	return &expr{op: opMatch, left: left, pattern: pattern}, err
}

// in reads the list behind the word.
func (p *parser) in(start int, left operand) (*expr, error) {
	err := p.onPath(start, left, "in")
	if err != nil {
		return nil, err
	}
	if !p.take("[") {
		return nil, p.fail(p.pos, "in wants a list such as [1, 2]")
	}
	e := &expr{op: opIn, left: left}
	for !p.take("]") {
		if len(e.list) > 0 && !p.take(",") {
			return nil, p.fail(p.pos, "want , or ] in the list")
		}
		p.space()
		at := p.pos
		o, err := p.operand()
		if err != nil {
			return nil, err
		}
		if o.isPath || o.isTime {
			return nil, p.fail(at, "a list holds values only")
		}
		e.list = append(e.list, o)
	}
	return e, nil
}

// functions are what may be called, and whether they take a text.
var functions = map[string]struct {
	op   op
	text bool
}{
	"exists": {opExists, false}, "startswith": {opPrefix, true},
	"endswith": {opSuffix, true}, "contains": {opContains, true},
}

// call reads a function call; it returns nothing where there is none.
func (p *parser) call() (*expr, error) {
	word := p.peekWord()
	if word == "" || !strings.HasPrefix(strings.TrimLeft(p.src[p.pos+len(word):], " \t\r\n"), "(") {
		return nil, nil
	}
	f, known := functions[word]
	if !known {
		if instead := functionsOfJq[word]; instead != "" {
			return nil, p.fail(p.pos, "no %s here: %s", word, instead)
		}
		return nil, p.fail(p.pos, "no function %s; there are exists, startswith, endswith, contains", word)
	}
	p.pos += len(word)
	p.take("(")
	p.space()
	start := p.pos
	left, err := p.operand()
	if err == nil && !left.isPath {
		err = p.fail(start, "%s wants a path such as .a first", word)
	}
	e := &expr{op: f.op, left: left}
	if err == nil && f.text {
		e.text, err = p.argument(word)
	}
	if err == nil && !p.take(")") {
		err = p.fail(p.pos, "want ) behind the arguments of %s", word)
	}
	return e, err
}

// argument reads the text behind the path of a call.
func (p *parser) argument(word string) ([]byte, error) {
	if !p.take(",") {
		return nil, p.fail(p.pos, `%s wants a path and a string: %s(.a, "x")`, word, word)
	}
	text, err := p.text()
	return []byte(text), err
}

// intern returns the slot of a path. Equal paths share one.
func (p *parser) intern(path []step) int {
	i := slices.IndexFunc(p.paths, func(q []step) bool { return slices.Equal(q, path) })
	if i < 0 {
		i = len(p.paths)
		p.paths = append(p.paths, path)
	}
	return i
}
