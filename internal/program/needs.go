package program

import (
	"cmp"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// needs is what a program looks at in a record. Most name a few members of it;
// then the others are not decoded.
type needs struct {
	all   bool
	names []string
}

// needsOf finds out what a program looks at. The record itself may be a result
// too: it is known by its place, whatever is decoded of it.
func needsOf(query *gojq.Query) *needs {
	n := &needs{}
	n.query(query, true)
	n.names = unique(n.names)
	return n
}

func (n *needs) has(name string) bool { return n.all || slices.Contains(n.names, name) }

// query looks at a query that is asked of the record. result says that what comes
// of it is only printed.
func (n *needs) query(q *gojq.Query, result bool) {
	switch {
	case q == nil:
	case len(q.FuncDefs) > 0 || len(q.Imports) > 0:
		n.all = true
	case q.Term != nil:
		n.term(q.Term, result)
	case q.Right == nil:
		n.all = true
	default:
		n.operator(q, result)
	}
}

func (n *needs) operator(q *gojq.Query, result bool) {
	switch q.Op {
	case gojq.OpPipe:
		n.pipe(q, result)
	case gojq.OpComma, gojq.OpAlt:
		n.query(q.Left, result)
		n.query(q.Right, result)
	case gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod, gojq.OpAnd, gojq.OpOr,
		gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
		n.query(q.Left, false)
		n.query(q.Right, false)
	default: // assignments
		n.all = true
	}
}

// pipe looks at left | right, and at left as $x | right.
func (n *needs) pipe(q *gojq.Query, result bool) {
	if f := selection(q.Left); f != nil && len(q.Patterns) == 0 {
		n.query(f, false)
		n.query(q.Right, result)
		return
	}
	n.query(q.Left, false)
	if len(q.Patterns) > 0 {
		n.query(q.Right, result)
	}
}

// selection is the condition of select(f); nil where q is something else.
func selection(q *gojq.Query) *gojq.Query {
	if q.Term == nil || len(q.FuncDefs) > 0 || q.Term.Func == nil || q.Term.Func.Name != "select" || len(q.Term.Func.Args) != 1 || len(q.Term.SuffixList) > 0 {
		return nil
	}
	return q.Term.Func.Args[0]
}

func (n *needs) term(t *gojq.Term, result bool) {
	if len(t.SuffixList) > 0 {
		result = false
	}
	for _, s := range t.SuffixList {
		if s.Index != nil {
			n.suffix(s.Index)
		}
	}
	switch t.Type {
	case gojq.TermTypeIdentity:
		n.identity(t, result)
	case gojq.TermTypeIndex:
		n.index(t.Index)
	case gojq.TermTypeFunc:
		n.call(t.Func, result)
	case gojq.TermTypeObject:
		for _, kv := range t.Object.KeyVals {
			n.member(kv)
		}
	case gojq.TermTypeArray:
		n.query(t.Array.Query, false)
	case gojq.TermTypeUnary:
		n.term(t.Unary.Term, false)
	case gojq.TermTypeQuery:
		n.query(t.Query, result)
	case gojq.TermTypeIf:
		n.branches(t.If, result)
	case gojq.TermTypeString, gojq.TermTypeFormat:
		n.text(t.Str)
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
	default: // .. reduce foreach try label break
		n.all = true
	}
}

// identity looks at a dot, alone or with an index behind it, as in ."a".
func (n *needs) identity(t *gojq.Term, result bool) {
	if len(t.SuffixList) > 0 && t.SuffixList[0].Index != nil {
		n.index(t.SuffixList[0].Index)
		return
	}
	n.all = n.all || !result
}

// index looks at an index into the record.
func (n *needs) index(i *gojq.Index) {
	name := cmp.Or(i.Name, plainString(i.Str))
	if name == "" {
		n.all = true
		return
	}
	n.names = append(n.names, name)
}

// suffix looks at an index into something else; what is in its brackets is
// asked of the record.
func (n *needs) suffix(i *gojq.Index) {
	n.query(i.Start, false)
	n.query(i.End, false)
	if i.Str != nil {
		n.text(i.Str)
	}
}

// text looks at what is put into a string.
func (n *needs) text(s *gojq.String) {
	if s == nil {
		n.all = true // @text and the like alone
		return
	}
	for _, q := range s.Queries {
		n.query(q, false)
	}
}

func (n *needs) call(f *gojq.Func, result bool) {
	switch {
	case strings.HasPrefix(f.Name, "$") && len(f.Args) == 0, f.Name == "empty" && len(f.Args) == 0:
	case f.Name == "select" && len(f.Args) == 1 && result:
		n.query(f.Args[0], false)
	default:
		n.all = true
	}
}

func (n *needs) member(kv *gojq.ObjectKeyVal) {
	n.query(kv.KeyQuery, false)
	n.query(kv.Val, false)
	if kv.KeyString != nil {
		n.text(kv.KeyString)
	}
	if name := cmp.Or(kv.Key, plainString(kv.KeyString)); kv.Val == nil && name != "" {
		n.names = append(n.names, name)
	} else if kv.Val == nil {
		n.all = true
	}
}

func (n *needs) branches(i *gojq.If, result bool) {
	n.query(i.Cond, false)
	n.query(i.Then, result)
	for _, e := range i.Elif {
		n.query(e.Cond, false)
		n.query(e.Then, result)
	}
	if n.query(i.Else, result); i.Else == nil {
		n.all = n.all || !result
	}
}
