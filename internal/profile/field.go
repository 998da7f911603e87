package profile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Field is what was seen of one path.
type Field struct {
	Path    string
	Records uint64        // in which it is there
	Values  uint64        // more than Records where it lies in arrays
	Types   [types]uint64 // of the values, by Type

	Distinct uint64  // different values, but for null, objects and arrays, as they are spelt
	About    bool    // Distinct is an estimate
	Common   []Value // all of them, the most frequent first; nil where they are many
	Examples []Value // some that came first, where they are many

	Least, Most       string // number, as it is spelt; "" where there is none
	First, Final      Text   // string
	Early, Late       string // time, as it is spelt, where all strings are times
	Shortest, Longest uint64 // elements of arrays
}

// Value is a value as it is spelt, and how often it came where that is known.
type Value struct {
	Raw   string
	Count uint64
}

// Text is a string, or the beginning of one.
type Text struct {
	Text string
	Cut  bool
}

// Quoted is the text as JSON spells it, with … behind its end where it was cut.
func (t Text) Quoted() string {
	if t.Cut {
		return quoted(t.Text + "…")
	}
	return quoted(t.Text)
}

// Has reports whether some value is of that type.
func (f *Field) Has(t Type) bool { return f.Types[t] > 0 }

// examples is how many are kept where there are many values.
const examples = 3

// Fields returns all paths, those below a path behind it, and the members of an
// object in the order in which they came first.
func (p *Profile) Fields() []Field { return p.root.fields(nil, "") }

func (n *node) fields(out []Field, path string) []Field {
	if n.values == 0 {
		return out
	}
	out = append(out, n.field(path))
	if n.elements != nil {
		out = n.elements.fields(out, path+"[]")
	}
	for _, c := range n.children {
		out = c.fields(out, path+step(c.key))
	}
	return out
}

// step is how a path goes on to a member.
func step(key []byte) string {
	plain := len(key) > 0
	for i, c := range key {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		plain = plain && (letter || i > 0 && '0' <= c && c <= '9')
	}
	if plain {
		return "." + string(key)
	}
	return "." + quoted(string(key))
}

// quoted is text as JSON spells it, with no more escapes than it must have.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			b.WriteString(`\u00`)
			b.WriteString(strconv.FormatInt(int64(r)+0x100, 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (n *node) field(path string) Field {
	f := Field{
		Path: cmp.Or(path, "."), Records: n.records, Values: n.values, Types: n.types,
		Least: string(n.least.raw), Most: string(n.most.raw),
		First: n.first.text(), Final: n.final.text(),
		Shortest: n.shortest, Longest: n.longest,
	}
	if !n.untimed {
		f.Early, f.Late = string(n.early.raw), string(n.late.raw)
	}
	if n.many {
		distinct, exact := n.sketch.count()
		f.Distinct, f.About = min(distinct, n.values), !exact
		for _, c := range n.common[:min(examples, len(n.common))] {
			f.Examples = append(f.Examples, Value{Raw: string(c.raw)})
		}
		return f
	}
	f.Distinct = uint64(len(n.common))
	for _, c := range n.common {
		f.Common = append(f.Common, Value{string(c.raw), c.count})
	}
	slices.SortStableFunc(f.Common, func(a, b Value) int { return cmp.Compare(b.Count, a.Count) })
	return f
}

func (e extreme) text() Text { return Text{string(e.raw), e.cut} }
