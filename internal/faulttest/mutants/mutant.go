// Package mutants holds the list of lines that keep the log's promises, each
// as a mutant: the source with that line taken out or turned round. A mutant
// must be killed by the test that it names; one that survives shows a promise
// that no test keeps. `go run ./internal/faulttest/cmd/mutants` tries them.
//
// # Files
//
// Each mutant is a file NAME.patch in this directory:
//
//	file: internal/segment/active.go
//	why: what the line is there for, in one sentence
//	kills: ./writer -run ^TestShortWrite$
//
//	--- old
//	whole lines as they stand in the file, exactly once
//	+++ new
//	what stands there instead, or nothing
//
// There may be several lines `kills:`, and then each of the tests must fail;
// and several pairs of old and new, which all change the same file. The text is
// found by what it says and not by line numbers, so that it outlives changes
// around it; when it is gone, the mutant must follow the code.
package mutants

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Mutant is one change that takes a promise away.
type Mutant struct {
	Name  string
	File  string // that it changes, by slashes from the root of the module
	Why   string // what the lines are there for
	Kills []Test // which of them must fail: all
	Edits []Edit
}

// Test is a package and a pattern of test names, as `go test` takes them.
type Test struct {
	Pkg string
	Run string
}

// String returns what is to be written behind `go test`.
func (t Test) String() string { return t.Pkg + " -run " + t.Run }

// Edit replaces whole lines.
type Edit struct {
	Old string
	New string
}

const (
	oldMark = "--- old"
	newMark = "+++ new"
)

// Parse reads the text of a mutant.
func Parse(name, text string) (Mutant, error) {
	m := Mutant{Name: name}
	head, body, found := strings.Cut(text, "\n"+oldMark+"\n")
	if !found {
		return m, fmt.Errorf("mutant %s: no line %q", name, oldMark)
	}
	if err := m.parseHead(head); err != nil {
		return m, fmt.Errorf("mutant %s: %w", name, err)
	}
	if err := m.parseEdits(body); err != nil {
		return m, fmt.Errorf("mutant %s: %w", name, err)
	}
	return m, nil
}

func (m *Mutant) parseHead(head string) error {
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "":
		case "file":
			m.File = value
		case "why":
			m.Why = value
		case "kills":
			pkg, run, ok := strings.Cut(value, " -run ")
			if !ok {
				return fmt.Errorf("kills: %q: want ./package -run ^TestName$", value)
			}
			m.Kills = append(m.Kills, Test{pkg, run})
		default:
			return fmt.Errorf("unknown line %q", strings.TrimSpace(line))
		}
	}
	if m.File == "" || m.Why == "" || len(m.Kills) == 0 {
		return errors.New("file, why or kills is missing")
	}
	return nil
}

func (m *Mutant) parseEdits(body string) error {
	for part := range strings.SplitSeq(body, "\n"+oldMark+"\n") {
		if !strings.HasSuffix(part, "\n") {
			part += "\n"
		}
		// A mark stands at the beginning of a line, also of the first.
		before, after, found := strings.Cut("\n"+part, "\n"+newMark+"\n")
		e := Edit{Old: strings.TrimPrefix(before, "\n") + "\n", New: after}
		if !found || strings.TrimSpace(e.Old) == "" {
			return fmt.Errorf("no old text, or no line %q behind it", newMark)
		}
		if e.Old == e.New {
			return errors.New("the new text is the old one")
		}
		m.Edits = append(m.Edits, e)
	}
	return nil
}

// ErrGone is matched by the error of [Mutant.Apply] where the old text is not
// in the file, or is there more than once: the code has moved on.
var ErrGone = errors.New("the old text is not there exactly once")

// Apply returns the file with the change made.
func (m *Mutant) Apply(src []byte) ([]byte, error) {
	text := append([]byte{'\n'}, src...)
	for _, e := range m.Edits {
		old := []byte("\n" + e.Old)
		if n := occurrences(text, old); n != 1 {
			return nil, fmt.Errorf("mutant %s: %s: %w but %d times: %q", m.Name, m.File, ErrGone, n, e.Old)
		}
		text = bytes.Replace(text, old, []byte("\n"+e.New), 1)
	}
	return text[1:], nil
}

// occurrences counts those that share a newline as well.
func occurrences(text, old []byte) (n int) {
	for {
		i := bytes.Index(text, old)
		if i < 0 {
			return n
		}
		n++
		text = text[i+1:]
	}
}
