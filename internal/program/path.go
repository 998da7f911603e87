package program

import (
	"bytes"

	"github.com/itchyny/gojq"

	"example.com/jlq/internal/jsonl"
)

// pathOf is the path of a program that is nothing else, such as .user.id; nil
// for others.
func pathOf(q *gojq.Query) (path []string) {
	t := q.Term
	if t == nil || len(q.FuncDefs) > 0 || len(q.Imports) > 0 || t.Type != gojq.TermTypeIndex || t.Index.Name == "" {
		return nil
	}
	path = append(path, t.Index.Name)
	for _, s := range t.SuffixList {
		if s.Index == nil || s.Index.Name == "" {
			return nil
		}
		path = append(path, s.Index.Name)
	}
	return path
}

// field is the result of such a program where every step of the path is there;
// the rest is for gojq. The line passed the strict check.
func (r *Runner) field(line []byte) bool {
	raw, ok := jsonl.Field(line, r.program.path...)
	if !ok {
		return false
	}
	r.result = r.result[:0]
	switch {
	case raw[0] == '{' || raw[0] == '[':
		var err error
		r.result, err = jsonl.Compact(r.result, raw)
		return err == nil
	case raw[0] == '"' && r.Raw:
		if raw = raw[1 : len(raw)-1]; bytes.IndexByte(raw, '\\') >= 0 {
			r.result = jsonl.AppendUnescaped(r.result, raw)
			return true
		}
	}
	r.result = append(r.result, raw...)
	return true
}
