package filter

import (
	"bytes"
	"regexp"
	"time"

	"example.com/jlq/internal/jsonl"
)

// op is what an expression does.
type op uint8

const (
	opTrue op = iota
	opFalse
	opTruthy // left is neither false nor null
	opAnd
	opOr
	opNot // of a
	opEqual
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opIn
	opMatch
	opExists
	opPrefix
	opSuffix
	opContains
)

// expr is a condition.
type expr struct {
	op          op
	a, b        *expr // of opAnd, opOr and opNot
	left, right operand
	list        []operand      // of opIn
	pattern     *regexp.Regexp // of opMatch
	text        []byte         // of opPrefix, opSuffix and opContains
}

// operand is a path or a literal.
type operand struct {
	isPath bool
	slot   int // of a path
	path   []step

	raw    []byte // a literal as it is spelt
	kind   kind
	text   string // of a string, what it stands for
	number number
	small  bool // the number is in number
	isTime bool
	time   time.Time
}

// value is the operand's value in a record, or nil where it is missing.
func (o *operand) value(d *doc) []byte {
	if o.isPath {
		return d.slots[o.slot]
	}
	return o.raw
}

func (e *expr) eval(d *doc) bool {
	switch e.op {
	case opTrue:
		return true
	case opFalse:
		return false
	case opTruthy:
		k := kindOf(e.left.value(d))
		return k != kindNull && k != kindFalse
	case opAnd:
		return e.a.eval(d) && e.b.eval(d)
	case opOr:
		return e.a.eval(d) || e.b.eval(d)
	case opNot:
		return !e.a.eval(d)
	case opExists:
		return e.left.value(d) != nil
	case opIn:
		return e.among(d)
	case opMatch, opPrefix, opSuffix, opContains:
		return e.searches(e.left.value(d))
	}
	if e.right.isTime {
		return e.comparesTime(e.left.value(d))
	}
	return e.compares(d)
}

// compares is a comparison of two values.
func (e *expr) compares(d *doc) bool {
	left := e.left.value(d)
	if e.op == opEqual || e.op == opNotEqual {
		return d.equal(left, e.right.value(d), &e.right) == (e.op == opEqual)
	}
	return e.op.holds(d.order(left, e.right.value(d), &e.right))
}

// holds reports whether the comparison is true of values in that order.
func (o op) holds(order int) bool {
	switch o {
	case opEqual:
		return order == 0
	case opNotEqual:
		return order != 0
	case opLess:
		return order < 0
	case opLessEqual:
		return order <= 0
	case opGreater:
		return order > 0
	}
	return order >= 0
}

// equal compares left with right, which is the value of o.
func (d *doc) equal(left, right []byte, o *operand) bool {
	if o.isPath || o.kind != kindString {
		return d.order(left, right, o) == 0
	}
	return kindOf(left) == kindString && jsonl.StringIs(inside(left), o.text)
}

// order compares left with right, which is the value of o.
func (d *doc) order(left, right []byte, o *operand) int {
	if o.small && kindOf(left) == kindNumber {
		if n, ok := parseNumber(left); ok {
			return n.compare(o.number)
		}
	}
	if !d.whole(left) || !d.whole(right) {
		return 0
	}
	return compareValues(left, right)
}

// whole checks what compareValues relies on: that a value is JSON. Words and
// numbers are where a walk over tokens takes anything for one, and nesting is
// what it does not bound. It allocates nothing.
func (d *doc) whole(raw []byte) bool {
	if len(raw) == 0 || raw[0] == '"' || jsonl.CheckStrict(raw, -1) == nil {
		return true
	}
	d.broken = true
	return false
}

func (e *expr) among(d *doc) bool {
	left := e.left.value(d)
	for i := range e.list {
		if o := &e.list[i]; d.equal(left, o.raw, o) {
			return true
		}
	}
	return false
}

func (e *expr) comparesTime(left []byte) bool {
	t, ok := jsonl.ValueTime(left)
	if !ok {
		return e.op == opNotEqual
	}
	return e.op.holds(t.Compare(e.right.time))
}

// searches looks into a string, or for one in an array.
func (e *expr) searches(value []byte) bool {
	switch kindOf(value) {
	case kindString:
		if e.op == opMatch {
			return e.matches(inside(value))
		}
		return e.holds(inside(value))
	case kindArray:
		return e.op == opContains && e.hasElement(value)
	}
	return false
}

func (e *expr) matches(text []byte) bool {
	if bytes.IndexByte(text, '\\') >= 0 {
		text = jsonl.AppendUnescaped(nil, text)
	}
	return e.pattern.Match(text)
}

// holds reports whether the string spelt text begins with, ends with or
// contains e.text.
func (e *expr) holds(text []byte) bool {
	var room [256]byte
	if bytes.IndexByte(text, '\\') >= 0 {
		text = jsonl.AppendUnescaped(room[:0], text)
	}
	switch e.op {
	case opPrefix:
		return bytes.HasPrefix(text, e.text)
	case opSuffix:
		return bytes.HasSuffix(text, e.text)
	}
	return bytes.Contains(text, e.text)
}

// hasElement reports whether an element of the array is the string text.
func (e *expr) hasElement(array []byte) bool {
	for i := jsonl.SkipSpace(array, 1); i < len(array) && jsonl.BeginsValue(array[i]); {
		end := jsonl.SkipValue(array, i)
		if array[i] == '"' && jsonl.StringIs(inside(array[i:end]), string(e.text)) {
			return true
		}
		if i = jsonl.SkipSpace(array, end); i < len(array) {
			i = jsonl.SkipSpace(array, i+1)
		}
	}
	return false
}
