package filter

import (
	"bytes"
	"strings"
	"time"

	"example.com/jlq/internal/jsonl"
)

// Fields finds the values of several fields of a record in one walk over it. It
// is for one goroutine.
type Fields struct {
	paths [][]step
	tree  node
	doc   doc
	takes []take
	found [][]byte
	texts []string
	met   []bool // by field: a record had it
	unmet int    // how many none had
}

// take says which of the values that the walk found is that of a field: the
// first that is there.
type take struct{ literal, path int }

// Add adds the field that text names and returns its number, from 0. A text with
// a dot in front is a path as in a filter: .user.id, ."odd key", .a[0]. Without
// one it is the name of a member, or, where there is none of that name, such a
// path (user.id), in which any character but the dot may be part of a name
// (user-id). What is no path is an [*Error].
func (f *Fields) Add(text string) (int, error) {
	t := take{literal: -1, path: -1}
	path, err := ParsePath(text)
	switch {
	case strings.HasPrefix(text, "."):
		if err != nil {
			return 0, err
		}
		t.path = f.slot(path)
	case text == "":
		return 0, &Error{Expr: text, Reason: "want the name of a field"}
	default:
		t.literal = f.slot([]step{{key: text}})
		if path := loosePath(text); len(path) > 1 {
			t.path = f.slot(path)
		}
	}
	f.takes, f.texts, f.met = append(f.takes, t), append(f.texts, text), append(f.met, false)
	f.unmet++
	f.found = make([][]byte, len(f.takes))
	f.doc.slots = make([][]byte, len(f.paths))
	return len(f.takes) - 1, nil
}

func (f *Fields) slot(path []step) int {
	p := parser{paths: f.paths}
	slot := p.intern(path)
	f.paths = p.paths
	f.tree.add(path, slot)
	return slot
}

// Find returns the value of each field as it is spelt in the record; nil where
// it is missing. A record that is not JSON is an error; checked says that it is
// not to be checked for that again. The values are valid until the next call.
func (f *Fields) Find(rec []byte, checked bool) ([][]byte, error) {
	rec = jsonl.SkipBOM(rec)
	if !checked {
		if err := jsonl.CheckStrict(rec, -1); err != nil {
			return nil, err
		}
	}
	clear(f.doc.slots)
	f.doc.plain = bytes.IndexByte(rec, '\\') < 0
	if len(f.paths) > 0 && !f.doc.read(&f.tree, rec) {
		return nil, broken(rec)
	}
	for i, t := range f.takes {
		f.found[i] = nil
		if t.literal >= 0 {
			f.found[i] = f.doc.slots[t.literal]
		}
		if f.found[i] == nil && t.path >= 0 {
			f.found[i] = f.doc.slots[t.path]
		}
	}
	if f.unmet > 0 {
		f.note()
	}
	return f.found, nil
}

// note takes note of the fields that were found.
func (f *Fields) note() {
	for i, value := range f.found {
		if value != nil && !f.met[i] {
			f.met[i] = true
			f.unmet--
		}
	}
}

// Unmet returns the fields that no record had so far, as they were given to Add.
func (f *Fields) Unmet() (texts []string) {
	for i, met := range f.met {
		if !met {
			texts = append(texts, f.texts[i])
		}
	}
	return texts
}

// path is a path that was read on its own.
type path []step

// ParsePath checks that text is a path as filters have them, such as .a.b[0]. What
// is none is an [*Error].
func ParsePath(text string) (path, error) {
	p := &parser{src: text, now: time.Time{}}
	if !strings.HasPrefix(text, ".") {
		return nil, p.fail(0, "a path begins with a dot")
	}
	o, err := p.path()
	if err == nil && p.pos < len(text) {
		err = p.fail(p.pos, "%s does not belong to a path", quoted(text[p.pos:]))
	}
	return o.path, err
}

// loosePath reads a path that has no dot in front.
func loosePath(text string) path {
	if p, err := ParsePath("." + text); err == nil {
		return p
	}
	var p path
	for key := range strings.SplitSeq(text, ".") {
		if key == "" {
			return nil // it can only be a name
		}
		p = append(p, step{key: key})
	}
	return p
}
