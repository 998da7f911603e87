package filter

import (
	"bytes"

	"example.com/jlq/internal/jsonl"
)

// A condition such as .level == "error" is true only of lines that hold
// "error" with its quotes, unless some of its characters are written as
// escapes, and these begin with a backslash. So a line that holds neither that
// text nor a backslash is decided without being read.
//
// Of .amount > 990 this can be said of "amount" with its quotes: a member of
// that name is somewhere in the line, and some such member has a value of which
// the condition is true. Where in the record it is, and whether it is the last
// one of that name, matters only where there is one.

// maxNeeds bounds how many texts are looked for in each line.
const maxNeeds = 4

// need is a text that a line must hold. With leaf it is a key between quotes,
// and the condition leaf must be true of a value behind it.
type need struct {
	text string
	leaf *expr
	key  anchored // the text, where there is a leaf
}

// May reports whether the filter can be true of line. It looks for bytes
// only, and costs a small part of reading the line.
func (f *Filter) May(line []byte) bool {
	if f.needs == nil {
		return true
	}
	for i := range f.needs {
		// To look at values here is no less work than to read the line.
		if n := &f.needs[i]; n.leaf != nil || bytes.Contains(line, []byte(n.text)) {
			return true
		}
	}
	return bytes.IndexByte(line, '\\') >= 0
}

// next returns the first place from at on where the need is met, or the end of
// the block. Lines with a backslash are read anyhow, so that it may be wrong
// about them.
func (n *need) next(block []byte, at int) int {
	if n.leaf == nil {
		return orEnd(bytes.Index(block[at:], []byte(n.text)), at, block)
	}
	for {
		at = n.key.index(block, at)
		if at == len(block) || n.met(block, at+len(n.text)) {
			return at
		}
		// What ended this key may begin the next one, or a text like it.
		at += len(n.text) - 1
	}
}

// met reports whether there may be a value behind i, where a key ends, of which
// the condition is true. What is no value is for who reads the line to tell.
func (n *need) met(block []byte, i int) bool {
	if i = space(block, i); i == len(block) || block[i] != ':' {
		return false // the text was a value itself
	}
	i = space(block, i+1)
	if i == len(block) || block[i] == '{' || block[i] == '[' || !jsonl.BeginsValue(block[i]) {
		return true
	}
	d := doc{plain: true}
	end := d.skipValue(block, i)
	var inline [inlineSlots][]byte
	d.slots = inline[:]
	d.slots[n.leaf.left.slot] = block[i:end:end]
	return n.leaf.eval(&d) || d.broken
}

// needs returns texts one of which is in every line without a backslash that
// the condition is true of, or nil where there are none.
func (e *expr) needs() []need {
	switch e.op {
	case opAnd:
		return better(e.a.needs(), e.b.needs())
	case opOr:
		return either(e.a.needs(), e.b.needs())
	case opTrue, opFalse, opNot:
		return nil
	}
	if texts := e.texts(); texts != nil {
		return texts
	}
	return e.member()
}

// texts are those that stand for a value.
func (e *expr) texts() []need {
	switch e.op {
	case opEqual:
		return e.right.needs(e.left.isPath)
	case opIn:
		return e.listNeeds()
	case opPrefix:
		return plain(`"`, string(e.text), "")
	case opSuffix:
		return plain("", string(e.text), `"`)
	case opContains:
		return plain("", string(e.text), "")
	}
	return nil
}

// member is the key that the path of a condition ends with, where a line must
// have it: where the condition is not true of what is missing.
func (e *expr) member() []need {
	path := e.left.path
	if !e.left.isPath || e.right.isPath || len(path) == 0 || path[len(path)-1].element || e.left.slot >= inlineSlots {
		return nil
	}
	nothing := doc{slots: make([][]byte, inlineSlots)}
	key := quotedKey(path[len(path)-1].key)
	if key == "" || e.eval(&nothing) {
		return nil
	}
	return []need{{text: key, leaf: e, key: anchor(key)}}
}

func (e *expr) listNeeds() (all []need) {
	for i := range e.list {
		one := e.list[i].needs(true)
		if one == nil {
			return nil
		}
		all = append(all, one...)
	}
	if len(all) > maxNeeds {
		return nil
	}
	return all
}

// needs is what a line must hold for a path to be equal to a literal.
func (o *operand) needs(path bool) []need {
	switch {
	case !path || o.isPath || o.isTime:
		return nil
	case o.kind == kindString:
		return plain(`"`, o.text, `"`)
	case o.kind == kindTrue:
		return []need{{text: "true"}}
	case o.kind == kindFalse:
		return []need{{text: "false"}}
	}
	return nil // a number has many spellings, and a field that is missing is null
}

// plain is the spelling of text as long as there are no escapes in it. Where
// there must be, or where it is too short to be rare, there is none.
func plain(before, text, behind string) []need {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			return nil
		}
	}
	// U+FFFD is also what a lone surrogate stands for, which is an escape too.
	if all := before + text + behind; len(all) > 1 {
		return []need{{text: all}}
	}
	return nil
}

// better returns the one of two that fewer lines hold, as far as the texts
// tell: both are needed, so one is enough to look for.
func better(a, b []need) []need {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	if keys, other := keysOf(a), keysOf(b); keys != other {
		if keys < other {
			return a
		}
		return b // a value is rarer than a key, which most lines hold
	}
	if len(a) < len(b) || len(a) == len(b) && lengthOf(a) >= lengthOf(b) {
		return a
	}
	return b
}

// keysOf counts the keys among the needs.
func keysOf(needs []need) (n int) {
	for i := range needs {
		if needs[i].leaf != nil {
			n++
		}
	}
	return n
}

func lengthOf(needs []need) (n int) {
	for i := range needs {
		n += len(needs[i].text)
	}
	return n
}

// either returns the texts of two, one of which is needed.
func either(a, b []need) []need {
	if a == nil || b == nil || len(a)+len(b) > maxNeeds {
		return nil
	}
	return append(append([]need(nil), a...), b...)
}
