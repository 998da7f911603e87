package program

import (
	"cmp"
	"slices"
	"strings"
)

// order puts the names of objects that a program made into an order that a
// reader expects. The names of nested objects lie behind one another in names.
type order struct {
	names []string
	rank  map[string]int // of the names of the record and of the program
}

// reset forgets the names of the record.
func (o *order) reset() {
	clear(o.names)
	o.names, o.rank = o.names[:0], nil
}

// of returns the names of the members of m, in order.
func (o *order) of(m map[string]any, e *encoder) []string {
	if names := shapeOf(m, e.uses.shapes); names != nil {
		return names
	}
	base := len(o.names)
	for name := range m {
		o.names = append(o.names, name)
	}
	names := o.names[base:len(o.names):len(o.names)]
	if len(names) > 1 {
		o.sort(names, e)
	}
	return names
}

// shapeOf returns the names of the object in the program that has just the
// members of m, or nil.
func shapeOf(m map[string]any, shapes [][]string) []string {
next:
	for _, shape := range shapes {
		if len(shape) != len(m) {
			continue
		}
		for _, name := range shape {
			if _, ok := m[name]; !ok {
				continue next
			}
		}
		return shape
	}
	return nil
}

func (o *order) sort(names []string, e *encoder) {
	if o.rank == nil {
		o.rank = make(map[string]int, len(e.doc.names)+len(e.uses.names))
		for _, name := range e.doc.names {
			o.add(name)
		}
		for _, name := range e.uses.names {
			o.add(name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(o.of1(a), o.of1(b)), strings.Compare(a, b))
	})
}

func (o *order) add(name string) {
	if _, known := o.rank[name]; !known {
		o.rank[name] = len(o.rank)
	}
}

// of1 is the rank of a name; those that nothing is known of come last.
func (o *order) of1(name string) int {
	if rank, known := o.rank[name]; known {
		return rank
	}
	return len(o.rank)
}
