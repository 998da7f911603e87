package filter

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"example.com/jlq/internal/jsonl"
)

// doc is what a filter has seen of one record.
type doc struct {
	slots  [][]byte // the value of each path as it is spelt; nil where it is missing
	plain  bool     // there is no backslash in the line, so that each quote begins or ends a string
	broken bool     // a value that was looked at is not JSON
}

// read finds the values of all paths in line. It reports whether what it met on
// its way was JSON.
func (d *doc) read(root *node, line []byte) bool {
	i := space(line, 0)
	if i == len(line) || !jsonl.BeginsValue(line[i]) {
		return false
	}
	if d.plain && root.soleKey() && line[i] == '{' {
		return d.first(root, line, i)
	}
	end := d.value(root, line, i)
	return end > 0 && space(line, end) == len(line)
}

// soleKey reports whether all that is wanted lies in one member of the record.
func (n *node) soleKey() bool { return !n.wanted && len(n.keys) == 1 && n.keys[0].quoted.text != "" }

// first is read for one member of a line without escapes: where its key comes
// once more behind it, or may, the walk goes on, since the last one counts.
func (d *doc) first(root *node, line []byte, i int) bool {
	key := &root.keys[0].quoted
	for {
		value, end := d.member(root, line, i+1)
		switch {
		case end < 0:
			return false
		case value && key.index(line, end) == len(line):
			return true
		case line[end] == '}':
			return space(line, end+1) == len(line)
		}
		i = end
	}
}

// value takes the value at line[i] for n and returns the place behind it, or -1
// where it has no end.
func (d *doc) value(n *node, line []byte, i int) (end int) {
	switch {
	case line[i] == '{' && len(n.keys) > 0:
		end = d.object(n, line, i)
	case line[i] == '[' && len(n.indexes) > 0:
		end = d.array(n, line, i)
	default:
		end = d.skipValue(line, i)
	}
	if n.wanted && end > 0 {
		d.slots[n.slot] = line[i:end:end]
	}
	return end
}

// forget makes the values of n and of all below it missing: another member of
// the same name counts instead.
func (d *doc) forget(n *node) {
	if n.wanted {
		d.slots[n.slot] = nil
	}
	for _, c := range n.keys {
		d.forget(c.node)
	}
	for _, c := range n.indexes {
		d.forget(c.node)
	}
}

// object walks over the members of the object at line[i] and returns the place
// behind it, or -1 where it has no end.
func (d *doc) object(n *node, line []byte, i int) int {
	for {
		if _, i = d.member(n, line, i+1); i < 0 {
			return -1
		}
		if line[i] == '}' {
			return i + 1
		}
	}
}

// member takes the member that comes next from i on and returns the place of
// the comma or brace behind it, or -1 where there is none. wanted says that a
// path leads through it.
func (d *doc) member(n *node, line []byte, i int) (wanted bool, end int) {
	begin := i
	if i = space(line, i); i == len(line) || line[i] != '"' {
		return false, closes(line, begin, i)
	}
	stop := d.skipString(line, i)
	c := n.named(line[i+1 : max(stop-1, i+1)])
	if i = space(line, stop); i == len(line) || line[i] != ':' {
		return false, -1
	}
	if i = space(line, i+1); i == len(line) || !jsonl.BeginsValue(line[i]) {
		return false, -1
	}
	if c == nil {
		i = d.skipValue(line, i)
	} else {
		d.forget(c)
		if i = d.value(c, line, i); i < 0 {
			return false, -1
		}
	}
	if i = space(line, i); i == len(line) || line[i] != ',' && line[i] != '}' {
		return false, -1
	}
	return c != nil, i
}

// closes returns i where an object ends there that began just before begin, and
// so has no members.
func closes(line []byte, begin, i int) int {
	if i < len(line) && line[i] == '}' && line[begin-1] == '{' {
		return i
	}
	return -1
}

// array walks over the elements of the array at line[i].
func (d *doc) array(n *node, line []byte, i int) int {
	count := 0
	if n.negates {
		count = elements(line, i)
	}
	if i = space(line, i+1); i < len(line) && line[i] == ']' {
		return i + 1
	}
	for at := 0; i < len(line) && jsonl.BeginsValue(line[i]); at++ {
		end := d.element(n, line, i, at, count)
		if end < 0 {
			return -1
		}
		if i = space(line, end); i == len(line) {
			return -1
		}
		if line[i] == ']' {
			return i + 1
		}
		if line[i] != ',' {
			return -1
		}
		i = space(line, i+1)
	}
	return -1
}

// element takes element number at of count, which begins at line[i].
func (d *doc) element(n *node, line []byte, i, at, count int) int {
	end := 0
	for _, c := range n.indexes {
		if c.index == at || c.index < 0 && c.index+count == at {
			if end = d.value(c.node, line, i); end < 0 {
				return -1
			}
		}
	}
	if end == 0 {
		end = d.skipValue(line, i)
	}
	return end
}

// elements counts the elements of the array at line[i], up to where it is
// broken.
func elements(line []byte, i int) (count int) {
	i = space(line, i+1)
	for i < len(line) && jsonl.BeginsValue(line[i]) {
		count++
		i = space(line, jsonl.SkipValue(line, i))
		if i == len(line) || line[i] != ',' {
			return count
		}
		i = space(line, i+1)
	}
	return count
}

// space is [jsonl.SkipSpace], whose call costs more than most lines have white
// space.
func space(line []byte, i int) int {
	if i < len(line) && line[i] > ' ' {
		return i
	}
	return jsonl.SkipSpace(line, i)
}

// skipString returns the place behind the string whose opening quote is
// line[i], or the end of the line where it has no end.
func (d *doc) skipString(line []byte, i int) int {
	if d.plain {
		return quote(line, i+1)
	}
	return jsonl.SkipString(line, i)
}

// quote returns the place behind the next quote from i on, or the end. Most
// strings are short, so it looks at two words before it calls for help.
func quote(line []byte, i int) int {
	const lo, hi = 0x0101010101010101, 0x8080808080808080
	if i+16 <= len(line) {
		x := binary.LittleEndian.Uint64(line[i:]) ^ lo*'"'
		if m := (x - lo) &^ x & hi; m != 0 {
			return i + bits.TrailingZeros64(m)/8 + 1
		}
		x = binary.LittleEndian.Uint64(line[i+8:]) ^ lo*'"'
		if m := (x - lo) &^ x & hi; m != 0 {
			return i + 8 + bits.TrailingZeros64(m)/8 + 1
		}
		i += 16
	}
	if i > len(line) {
		return len(line)
	}
	if j := bytes.IndexByte(line[i:], '"'); j >= 0 {
		return i + j + 1
	}
	return len(line)
}

// skipValue returns the place behind the value that begins at line[i].
func (d *doc) skipValue(line []byte, i int) int {
	switch c := line[i]; {
	case c == '"':
		return d.skipString(line, i)
	case c != '{' && c != '[':
		for i++; i < len(line) && scalar[line[i]]; {
			i++
		}
		return i
	case !d.plain:
		return jsonl.SkipValue(line, i)
	}
	return nested(line, i)
}

// scalar are the bytes that numbers and words are made of.
var scalar = func() (is [256]bool) {
	for _, c := range []byte("0123456789+-.eEtrufalsn") {
		is[c] = true
	}
	return is
}()

// nested returns the place behind the array or object at line[i], in a line
// without escapes.
func nested(line []byte, i int) int {
	for depth := 0; i < len(line); {
		switch line[i] {
		case '"':
			i = quote(line, i+1)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(line)
}
