package program

import (
	"errors"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// Program is a compiled program. It is immutable.
type Program struct {
	text  string
	query *gojq.Query
	code  *gojq.Code
	uses  uses
	needs *needs
	path  []string // of a program that is a path only
}

// variables are those that a program is given, in the order of their values.
var variables = []string{"$offset", "$partition", "$id"}

// Compile compiles a program. What does not compile is an [*Error].
func Compile(text string) (*Program, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &Error{Text: text, Position: len(text), Reason: "want a program; . is the whole record"}
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, parseError(text, err)
	}
	p := &Program{text: text, query: query, uses: usesOf(query), needs: needsOf(query), path: pathOf(query)}
	if err := p.uses.refused(text); err != nil {
		return nil, err
	}
	if p.code, err = p.compile(func(string, any) {}); err != nil {
		return nil, compileError(text, err)
	}
	return p, nil
}

// String is the program.
func (p *Program) String() string { return p.text }

// Speaks reports whether the program calls debug or stderr.
func (p *Program) Speaks() bool { return p.uses.speaks }

// Numbered reports whether the program asks which record it sees.
func (p *Program) Numbered() bool {
	return slices.Contains(p.uses.variables, "$offset") || slices.Contains(p.uses.variables, "$id")
}

// compile makes code whose debug and stderr tell note.
func (p *Program) compile(note func(kind string, v any)) (*gojq.Code, error) {
	speak := func(kind string) gojq.CompilerOption {
		return gojq.WithFunction(kind, 0, 0, func(v any, _ []any) any {
			note(kind, v)
			return v
		})
	}
	return gojq.Compile(p.query, gojq.WithVariables(p.uses.variables), speak("debug"), speak("stderr"))
}

// parseError finds the place of an error in the program's form.
func parseError(text string, err error) error {
	wrong := &Error{Text: text, Position: len(text), Reason: err.Error()}
	parse, ok := errors.AsType[*gojq.ParseError](err)
	if !ok {
		return wrong
	}
	wrong.Position = min(parse.Offset, len(text))
	if start := wrong.Position - len(parse.Token); start >= 0 && text[start:wrong.Position] == parse.Token {
		wrong.Position = start
	}
	if parse.Token == "" {
		wrong.Reason = strings.Replace(wrong.Reason, "unexpected EOF", "the program ends too early", 1)
	}
	return wrong
}

// compileError finds the place of an error that names what is wrong.
func compileError(text string, err error) error {
	reason := err.Error()
	_, name, _ := strings.Cut(reason, ": ")
	name, _, _ = strings.Cut(name, "/")
	return &Error{Text: text, Position: wordAt(text, name), Reason: reason}
}
