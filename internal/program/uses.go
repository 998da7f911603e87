package program

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// uses is what a look at a program finds out about it.
type uses struct {
	variables []string   // of those that it is given
	shapes    [][]string // the names of each object that it makes, where they are known
	names     []string   // all names of members, in the order of the text
	speaks    bool       // it calls debug or stderr
	patterns  bool       // it makes regular expressions of values

	called  map[string]bool // functions and variables, also those of its own
	defined map[string]bool
	formats []string
	imports string // the word that asks for a module
}

func usesOf(query *gojq.Query) uses {
	u := uses{called: map[string]bool{}, defined: map[string]bool{}}
	visit(reflect.ValueOf(query), u.look)
	u.names = unique(u.names)
	for _, name := range variables {
		if u.called[name] && !u.defined[name] {
			u.variables = append(u.variables, name)
		}
	}
	u.speaks = u.called["debug"] || u.called["stderr"]
	return u
}

// visit calls look for everything in a query, in the order of the text.
func visit(v reflect.Value, look func(any)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			look(v.Interface())
			visit(v.Elem(), look)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), look)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), look)
		}
	}
}

func (u *uses) look(node any) {
	switch n := node.(type) {
	case *gojq.Import:
		u.imports = "import"
		if n.IncludePath != "" {
			u.imports = "include"
		}
	case *gojq.FuncDef:
		u.defined[n.Name] = true
		for _, arg := range n.Args {
			u.defined[arg] = true
		}
	case *gojq.Pattern:
		u.defined[n.Name] = true
	case *gojq.Index:
		u.name(cmp.Or(n.Name, plainString(n.Str)))
	case *gojq.Object:
		u.object(n)
	case *gojq.Term:
		if n.Format != "" {
			u.formats = append(u.formats, n.Format)
		}
	case *gojq.Func:
		u.called[n.Name] = true
		u.patterns = u.patterns || matching[n.Name] && !constant(n.Args)
	}
}

func (u *uses) name(name string) {
	if name != "" {
		u.names = append(u.names, name)
	}
}

// object takes the names of an object that the program makes.
func (u *uses) object(o *gojq.Object) {
	var shape []string
	for _, kv := range o.KeyVals {
		name := cmp.Or(kv.Key, plainString(kv.KeyString))
		if kv.KeyQuery == nil && name != "" {
			shape = append(shape, strings.TrimPrefix(name, "$"))
		}
	}
	if shape = unique(shape); len(shape) > 0 {
		u.shapes = append(u.shapes, shape)
		u.names = append(u.names, shape...)
	}
}

// plainString is what a string says in which nothing is put in.
func plainString(s *gojq.String) string {
	if s == nil || s.Queries != nil {
		return ""
	}
	return s.Str
}

// matching are the functions that compile regular expressions, which gojq keeps
// for as long as the code lives.
var matching = map[string]bool{
	"test": true, "match": true, "capture": true, "scan": true, "split": true, "splits": true, "sub": true, "gsub": true,
}

// constant reports whether the first argument is the same for every record.
func constant(args []*gojq.Query) bool {
	return len(args) > 0 && args[0].Term != nil && args[0].Term.Type == gojq.TermTypeString &&
		args[0].Term.Str.Queries == nil && len(args[0].Term.SuffixList) == 0
}

func unique(names []string) (once []string) {
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// withheld are what jq has and a program here does not, and why.
var withheld = []struct{ name, reason string }{
	{"env", "programs see no environment"},
	{"$ENV", "programs see no environment"},
	{"input", "a program sees one record, no further input"},
	{"inputs", "a program sees one record, no further input"},
	{"input_filename", "a program sees one record, not its file; $id and $offset say which it is"},
	{"input_line_number", "a program sees one record; $offset is its number"},
	{"get_search_list", "programs load no modules"},
}

// refused returns an [*Error] about what a program may not do.
func (u *uses) refused(text string) error {
	if u.imports != "" {
		return &Error{Text: text, Position: wordAt(text, u.imports), Reason: u.imports + ": programs load no modules"}
	}
	for _, format := range u.formats {
		if err := unknownFormat(format); err != nil {
			return compileError(text, err)
		}
	}
	for _, w := range withheld {
		if u.called[w.name] && !u.defined[w.name] {
			return &Error{Text: text, Position: wordAt(text, w.name), Reason: w.name + ": " + w.reason}
		}
	}
	return nil
}

// unknownFormat says that there is no such format as @text is one, which gojq
// finds out only when it is used.
func unknownFormat(name string) error {
	query, err := gojq.Parse(`"" | try ` + name + ` catch .`)
	if err != nil {
		return err
	}
	if v, _ := query.Run(nil).Next(); v == "format not defined: "+name {
		return errors.New("format not defined: " + name)
	}
	return nil
}

// wordAt is the first place of a name outside of strings and comments, else the
// first at all, else 0.
func wordAt(text, name string) int {
	if name == "" {
		return 0
	}
	first := -1
	for at := 0; at < len(text); at++ {
		i := strings.Index(text[at:], name)
		if i < 0 {
			break
		}
		at += i
		// Behind . it is a field, behind $ a variable.
		if at > 0 && (inWord(text, at-1) || strings.IndexByte(".$", text[at-1]) >= 0) || inWord(text, at+len(name)) {
			continue
		}
		if !quoted(text[:at]) {
			return at
		}
		if first < 0 {
			first = at
		}
	}
	return max(first, 0)
}

// inWord reports whether text[i] is a letter of a name.
func inWord(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// quoted reports whether what stands behind text is in a string or a comment.
func quoted(text string) bool {
	in := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case in == '"' && c == '\\':
			i++
		case in == 0 && (c == '"' || c == '#'):
			in = c
		case in == '"' && c == '"' || in == '#' && c == '\n':
			in = 0
		}
	}
	return in != 0
}
