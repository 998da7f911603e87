package profile

import (
	"bytes"
	"time"

	"example.com/jlq/internal/filter"
	"example.com/jlq/internal/jsonl"
)

// Type is what a value is. An integer is a number without point and exponent.
type Type int

// The types of values.
const (
	Null Type = iota
	Boolean
	Integer
	Number
	String
	Object
	Array
	types
)

// String is the name of the type.
func (t Type) String() string {
	return [types]string{"null", "boolean", "integer", "number", "string", "object", "array"}[t]
}

const (
	// commonValues is how many different values are counted one by one.
	commonValues = 12
	// shownBytes is how much is kept of a string.
	shownBytes = 64
	// shownDigits is how much is kept of a number: all of any sane one.
	shownDigits = 1 << 10
)

// node is one path: what was seen of it.
type node struct {
	key      []byte // without escapes
	records  uint64
	last     uint64 // the record it was seen in last
	values   uint64
	types    [types]uint64
	children []*node // in the order in which they were seen first
	named    map[string]*node
	elements *node // of arrays

	common []counted // values, as long as they are few
	many   bool      // they are not
	sketch sketch    // of the values, once they are many

	least, most       extreme // of numbers
	first, final      extreme // of strings
	shortest, longest uint64  // arrays
	arrays            bool    // there was one
	early, late       moment  // strings, as long as all are times
	untimed           bool    // there was one that is none
}

// counted is a value and how often it came.
type counted struct {
	raw   []byte
	count uint64
}

// extreme is the smallest or the largest value; nil raw where there is none.
type extreme struct {
	raw []byte // a number as it is spelt, a string without quotes and escapes
	cut bool   // raw is only the beginning
}

// moment is the first or the last time; nil raw where there is none.
type moment struct {
	raw []byte // as it is spelt, without quotes
	at  time.Time
}

// reset makes it a path that was not seen.
func (n *node) reset() {
	if n.values == 0 {
		return
	}
	for _, c := range n.children {
		c.reset()
	}
	if n.elements != nil {
		n.elements.reset()
	}
	n.sketch.reset()
	*n = node{key: n.key, children: n.children, named: n.named, elements: n.elements, common: n.common[:0], sketch: n.sketch}
}

// total is how many values it and those below it have.
func (n *node) total() uint64 {
	sum := n.values
	for _, c := range n.children {
		sum += c.total()
	}
	if n.elements != nil {
		sum += n.elements.total()
	}
	return sum
}

// child returns the path of a member; nil where there are too many paths. Records
// mostly have their members in the same order, so that is looked at first.
func (n *node) child(p *Profile, key []byte, turn int) *node {
	if turn < len(n.children) && bytes.Equal(n.children[turn].key, key) {
		return n.children[turn].ifRoom(p)
	}
	key = p.plainKey(key)
	if c := n.named[string(key)]; c != nil {
		return c.ifRoom(p)
	}
	if !p.room() {
		return nil
	}
	c := &node{key: bytes.Clone(key)}
	if n.named == nil {
		n.named = map[string]*node{}
	}
	n.named[string(key)] = c
	n.children = append(n.children, c)
	p.kept++
	return c
}

// each returns the path of the elements; nil where there are too many paths.
func (n *node) each(p *Profile) *node {
	if n.elements == nil {
		if !p.room() {
			return nil
		}
		n.elements = &node{}
		p.kept++
	}
	return n.elements.ifRoom(p)
}

// ifRoom is the path, unless it would be one more than the most.
func (n *node) ifRoom(p *Profile) *node {
	if n.values == 0 && !p.room() {
		return nil
	}
	return n
}

// scalar takes a value that is neither object nor array.
func (n *node) scalar(p *Profile, raw []byte) {
	t := typeOf(raw)
	n.types[t]++
	for i := range n.common {
		if bytes.Equal(n.common[i].raw, raw) {
			n.common[i].count++
			return
		}
	}
	switch t {
	case Null:
		return
	case Integer, Number:
		n.number(raw)
	case String:
		p.text = plainText(p.text, raw)
		n.text(p.text, raw)
	}
	n.count(raw, 1)
}

// typeOf tells what a value is by its bytes.
func typeOf(raw []byte) Type {
	switch raw[0] {
	case '"':
		return String
	case 't', 'f':
		return Boolean
	case 'n':
		return Null
	}
	if bytes.ContainsAny(raw, ".eE") {
		return Number
	}
	return Integer
}

// plainText is a string without quotes and escapes.
func plainText(dst, raw []byte) []byte {
	raw = raw[1:max(len(raw)-1, 1)]
	if bytes.IndexByte(raw, '\\') < 0 {
		return append(dst[:0], raw...)
	}
	return jsonl.AppendUnescaped(dst[:0], raw)
}

// count takes a value that came so often, which is not counted one by one yet.
func (n *node) count(raw []byte, times uint64) {
	if !n.many && len(n.common) < commonValues && len(raw) <= shownBytes+2 {
		n.common = append(n.common, counted{bytes.Clone(raw), times})
		return
	}
	if !n.many {
		n.many = true
		for _, c := range n.common {
			n.sketch.add(hash(c.raw))
		}
	}
	n.sketch.add(hash(raw))
}

func (n *node) number(raw []byte) {
	if len(raw) > shownDigits {
		return // it is counted, and its size is nobody's
	}
	if n.least.raw == nil || filter.CompareNumbers(raw, n.least.raw) < 0 {
		n.least.raw = append(n.least.raw[:0], raw...)
	}
	if n.most.raw == nil || filter.CompareNumbers(raw, n.most.raw) > 0 {
		n.most.raw = append(n.most.raw[:0], raw...)
	}
}

// text takes a string; raw is its spelling.
func (n *node) text(text, raw []byte) {
	n.between(text, false)
	if n.untimed {
		return
	}
	// Digits alone are many things.
	if at, timed := jsonl.ValueTime(raw); timed && bytes.ContainsAny(text, "-:/") {
		n.moment(text, at)
	} else {
		n.untimed = true
	}
}

// moment widens the bounds of times to at.
func (n *node) moment(raw []byte, at time.Time) {
	if n.early.raw == nil || at.Before(n.early.at) {
		n.early = moment{append(n.early.raw[:0], raw...), at}
	}
	if n.late.raw == nil || at.After(n.late.at) {
		n.late = moment{append(n.late.raw[:0], raw...), at}
	}
}

// between widens the bounds of strings to text, which may be cut.
func (n *node) between(text []byte, cut bool) {
	if n.first.raw == nil || bytes.Compare(text, n.first.raw) < 0 {
		n.first.set(text, cut)
	}
	if n.final.raw == nil || bytes.Compare(text, n.final.raw) > 0 {
		n.final.set(text, cut)
	}
}

func (e *extreme) set(text []byte, cut bool) {
	short := prefix(text)
	e.raw, e.cut = append(e.raw[:0], short...), cut || len(short) < len(text)
	if e.raw == nil {
		e.raw = []byte{}
	}
}

// prefix is at most shownBytes of text, not cut within a letter.
func prefix(text []byte) []byte {
	if len(text) <= shownBytes {
		return text
	}
	end := shownBytes
	for end > shownBytes-4 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end]
}

// length takes an array of so many elements.
func (n *node) length(count uint64) {
	if !n.arrays {
		n.arrays, n.shortest = true, count
	}
	n.shortest, n.longest = min(n.shortest, count), max(n.longest, count)
}
