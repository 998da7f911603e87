// Package profile tells what fields the records of a log have: how many records
// hold each, of which types its values are, the smallest and the largest, how
// many different ones there are, and the most common where they are few. It takes
// one pass, and bounded memory however many fields and values there are.
//
// A path names a field as filters do: .user.id, ."odd key"; .tags[] is all
// elements of the array .tags, and . the record itself.
package profile

import (
	"bytes"

	"example.com/jlq/internal/jsonl"
)

// MaxPaths is how many paths a profile tells of unless it is told otherwise.
const MaxPaths = 10_000

// Profile is what was seen of records. Profiles of parts of a log make one of the
// whole: the result of [Profile.Merge], in the order of the parts, is the same as
// of one pass, but for the estimate of how many different values there are, which
// does not depend on order either.
type Profile struct {
	records  uint64
	most     int // paths
	used     int // paths that were seen since Reset
	kept     int // nodes, seen or not
	unpathed uint64
	root     *node
	key      []byte
	text     []byte
}

// New makes a profile of no records that tells of at most maxPaths paths.
func New(maxPaths int) *Profile {
	return &Profile{most: maxPaths, root: &node{}, kept: 1}
}

// Records is how many records were added.
func (p *Profile) Records() uint64 { return p.records }

// Unpathed is how many values were not looked at because they, or what they lie
// in, have a path beyond the most.
func (p *Profile) Unpathed() uint64 { return p.unpathed }

// Reset makes it a profile of no records. It keeps its memory.
func (p *Profile) Reset() {
	p.records, p.used, p.unpathed = 0, 0, 0
	if p.kept > p.most {
		p.root, p.kept = &node{}, 1
		return
	}
	p.root.reset()
}

// Add takes a record, which has been checked to be JSON.
func (p *Profile) Add(record []byte) {
	record = jsonl.SkipBOM(record)
	p.records++
	if i := jsonl.SkipSpace(record, 0); i < len(record) {
		p.value(p.root, record, i)
	}
}

// value takes the value at d[i] and returns the place behind it.
func (p *Profile) value(n *node, d []byte, i int) (end int) {
	if n.values == 0 {
		p.used++
	}
	n.values++
	if n.last != p.records {
		n.last = p.records
		n.records++
	}
	switch d[i] {
	case '{':
		n.types[Object]++
		return p.object(n, d, i)
	case '[':
		n.types[Array]++
		return p.array(n, d, i)
	}
	end = jsonl.SkipValue(d, i)
	n.scalar(p, d[i:end])
	return end
}

// object takes the members of the object at d[i].
func (p *Profile) object(n *node, d []byte, i int) int {
	i = jsonl.SkipSpace(d, i+1)
	for turn := 0; i < len(d) && d[i] == '"'; turn++ {
		stop := jsonl.SkipString(d, i)
		key := d[i+1 : max(stop-1, i+1)]
		if i = jsonl.SkipSpace(d, stop); i < len(d) {
			i = jsonl.SkipSpace(d, i+1) // the colon
		}
		if i >= len(d) {
			return len(d)
		}
		i = jsonl.SkipSpace(d, p.member(n, key, turn, d, i))
		if i < len(d) && d[i] == ',' {
			i = jsonl.SkipSpace(d, i+1)
		}
	}
	return min(i+1, len(d))
}

// member takes a member of that key, which stands in its object at place turn.
func (p *Profile) member(n *node, key []byte, turn int, d []byte, i int) int {
	c := n.child(p, key, turn)
	if c == nil {
		p.unpathed++
		return jsonl.SkipValue(d, i)
	}
	return p.value(c, d, i)
}

// array takes the elements of the array at d[i].
func (p *Profile) array(n *node, d []byte, i int) int {
	count := uint64(0)
	i = jsonl.SkipSpace(d, i+1)
	for i < len(d) && d[i] != ']' {
		begin := i
		if c := n.each(p); c != nil {
			i = p.value(c, d, i)
		} else {
			p.unpathed++
			i = jsonl.SkipValue(d, i)
		}
		count++
		if i = jsonl.SkipSpace(d, i); i < len(d) && d[i] == ',' {
			i = jsonl.SkipSpace(d, i+1)
		}
		if i == begin {
			return len(d) // not JSON, after all
		}
	}
	n.length(count)
	return min(i+1, len(d))
}

// Merge adds what q has seen of records that come behind those of p. q stays as
// it is.
func (p *Profile) Merge(q *Profile) {
	p.merge(p.root, q.root)
	p.records += q.records
	p.unpathed += q.unpathed
}

func (p *Profile) merge(n, m *node) {
	if m.values == 0 {
		return
	}
	if n.values == 0 {
		p.used++
	}
	n.merge(m)
	if m.elements != nil && m.elements.values > 0 {
		if c := n.each(p); c != nil {
			p.merge(c, m.elements)
		} else {
			p.unpathed += m.elements.total()
		}
	}
	for turn, from := range m.children {
		if from.values == 0 {
			continue
		}
		if c := n.child(p, from.key, turn); c != nil {
			p.merge(c, from)
		} else {
			p.unpathed += from.total()
		}
	}
}

// room reports whether there may be one more path.
func (p *Profile) room() bool { return p.used < p.most }

// plainKey is a key without its escapes, so that each has one spelling.
func (p *Profile) plainKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	p.key = jsonl.AppendUnescaped(p.key[:0], key)
	return p.key
}
