package filter

import (
	"bytes"
	"errors"
	"time"

	"example.com/jlq/internal/jsonl"
)

// Filter is a compiled expression. It is immutable.
type Filter struct {
	text  string
	root  *expr
	tree  node // of all paths
	slots int
	needs []need // one of them is met by every line that matches, unless that has escapes; nil: any line may match
}

// Compile compiles an expression. Durations such as @-3h count back from now.
// What does not compile is an [*Error].
func Compile(expr string) (*Filter, error) { return CompileAt(expr, time.Now().UTC()) }

// CompileAt is Compile at another time. What states no zone is in that of now.
func CompileAt(text string, now time.Time) (*Filter, error) {
	p := &parser{src: text, now: now}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	f := &Filter{text: text, root: root, slots: len(p.paths), needs: root.needs()}
	for slot, path := range p.paths {
		f.tree.add(path, slot)
	}
	return f, nil
}

// String is the expression.
func (f *Filter) String() string { return f.text }

// Match reports whether the filter is true of line, which is without its
// newline and not modified. A line that is not one JSON value is an error,
// most often a [*jsonl.SyntaxError].
func (f *Filter) Match(line []byte) (bool, error) {
	line = jsonl.SkipBOM(line)
	if err := jsonl.CheckStrict(line, -1); err != nil {
		return false, err
	}
	return f.MatchChecked(line)
}

// MatchChecked is Match for a line that was checked before, as those of a
// partition are whose writer checks them. What is not looked at to decide may
// be broken; what is, is an error.
func (f *Filter) MatchChecked(line []byte) (bool, error) {
	if !f.May(line) {
		return false, nil
	}
	return f.decide(jsonl.SkipBOM(line), bytes.IndexByte(line, '\\') < 0)
}

// errBroken is for what the walk over a line stumbled over and the strict check
// did not: it is the walk that would be wrong.
var errBroken = errors.New("record cannot be read")

// inlineSlots is how many paths a filter may have before matching allocates.
const inlineSlots = 8

// decide reads line, in which there is no backslash where plain says so.
func (f *Filter) decide(line []byte, plain bool) (bool, error) {
	var inline [inlineSlots][]byte
	slots := inline[:]
	if f.slots > inlineSlots {
		slots = make([][]byte, f.slots)
	}
	d := doc{slots: slots, plain: plain}
	if f.slots > 0 && !d.read(&f.tree, line) {
		return false, broken(line)
	}
	ok := f.root.eval(&d)
	if d.broken {
		return false, broken(line)
	}
	return ok, nil
}

// broken says what is wrong with a line that could not be read.
func broken(line []byte) error {
	if err := jsonl.CheckStrict(line, -1); err != nil {
		return err
	}
	return errBroken
}
