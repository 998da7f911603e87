package grep

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Options say how patterns are read and what of a line they must match.
type Options struct {
	Fixed      bool // patterns are texts, not regular expressions
	IgnoreCase bool
	SmartCase  bool // IgnoreCase unless a pattern has a letter in upper case
	Word       bool // a match must be whole words
	Line       bool // a match must be the whole line
	Invert     bool // the lines that do not match are selected
}

// Error says what is wrong with a pattern.
type Error struct {
	Pattern string
	Err     error
	at      int // byte of the pattern, or -1
}

func (e *Error) Error() string { return fmt.Sprintf("pattern %q: %v", e.Pattern, e.Err) }

// Unwrap returns what is wrong, without the pattern.
func (e *Error) Unwrap() error { return e.Err }

// String shows what is wrong under the pattern, with the place where that is
// known.
func (e *Error) String() string {
	if e.at < 0 {
		return e.Error()
	}
	return fmt.Sprintf("%v\n  %s\n  %s^", e.Err, e.Pattern, strings.Repeat(" ", utf8.RuneCountInString(e.Pattern[:e.at])))
}

// Matcher finds the lines that any of some patterns matches.
type Matcher struct {
	invert bool
	needs  [][]text // one of each set is in each match; none where nothing is known
	whole  bool     // and is a match by itself
	re     *regexp.Regexp
	rest   *regexp.Regexp // with Word: finds matches behind the first, see [Matcher.Find]
	word   bool
	table  *machine // nil: re is asked about each line
	never  bool     // there are no patterns
	idle   sync.Pool
}

// notWord is what may stand beside a word.
const notWord = `[^\pL\pM\pN_]`

// Compile makes a Matcher of patterns; each line of one is a pattern of its own.
// None at all match nothing, an empty one matches every line. The error is an
// [*Error].
func Compile(patterns []string, opts *Options) (*Matcher, error) {
	if opts == nil {
		opts = &Options{}
	}
	var all []string
	for _, p := range patterns {
		all = append(all, strings.Split(p, "\n")...)
	}
	all = unique(all)
	m := &Matcher{invert: opts.Invert, never: len(all) == 0, word: opts.Word && !opts.Line}
	expr, err := join(all, opts)
	if err != nil {
		return nil, err
	}
	first, rest := expr, ""
	switch {
	case opts.Line:
		first = `^(?:` + expr + `)$`
	case opts.Word:
		behind := `(` + expr + `)(?:$|` + notWord + `)`
		first, rest = `(?:^|`+notWord+`)`+behind, notWord+behind
	}
	if m.re, err = regexp.Compile(first); err != nil {
		return nil, wrong(strings.Join(all, "|"), err)
	}
	if rest != "" {
		if m.rest, err = regexp.Compile(rest); err != nil {
			return nil, wrong(strings.Join(all, "|"), err)
		}
	}
	return m, m.plan(first)
}

// plan finds the fastest way to search for expr.
func (m *Matcher) plan(expr string) error {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return wrong(expr, err)
	}
	m.needs, m.whole = needs(tree.Simplify())
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return wrong(expr, err)
	}
	m.table = newMachine(prog)
	m.idle.New = func() any { return m.newSearch() }
	return nil
}

// join makes one expression of patterns, each of which is checked by itself.
func join(patterns []string, opts *Options) (string, error) {
	before := "(?:"
	if opts.IgnoreCase || opts.SmartCase && !slices.ContainsFunc(patterns, func(p string) bool { return hasUpper(p, opts.Fixed) }) {
		before = "(?i:"
	}
	var out []string
	for _, p := range patterns {
		if !utf8.ValidString(p) {
			return "", &Error{Pattern: p, Err: errors.New("not UTF-8, in which records are looked at"), at: -1}
		}
		if opts.Fixed {
			p = regexp.QuoteMeta(p)
		} else if err := check(p); err != nil {
			return "", err
		}
		out = append(out, before+p+")")
	}
	return strings.Join(out, "|"), nil
}

func check(pattern string) error {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return wrong(pattern, err)
	}
	if namesNewline(tree) {
		return &Error{Pattern: pattern, Err: errors.New(`\n is in no record: each is one line`), at: max(-1, strings.Index(pattern, `\n`))}
	}
	return nil
}

// namesNewline reports whether a newline stands in an expression as a character
// of its own, so that nothing matches it.
func namesNewline(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') {
		return true
	}
	return slices.ContainsFunc(re.Sub, namesNewline)
}

// wrong makes an [*Error] of one of package syntax, which shows the part of the
// pattern that it is about.
func wrong(pattern string, err error) error {
	out := &Error{Pattern: pattern, Err: err, at: -1}
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		out.Err = fmt.Errorf("%s: %s", e.Code, e.Expr)
		if e.Expr == pattern {
			out.Err = errors.New(e.Code.String())
		}
		out.at = strings.LastIndex(pattern, e.Expr)
	}
	return out
}

// hasUpper reports whether a pattern has a letter in upper case that stands for
// itself.
func hasUpper(pattern string, fixed bool) bool {
	for i := 0; i < len(pattern); {
		r, size := utf8.DecodeRuneInString(pattern[i:])
		if r == '\\' && !fixed {
			i += escapeLength(pattern[i:])
			continue
		}
		if unicode.IsUpper(r) {
			return true
		}
		i += size
	}
	return false
}

// escapeLength is the length of the escape that p begins with, its class with it:
// \S, \pL, \p{Greek}.
func escapeLength(p string) int {
	if len(p) < 2 {
		return len(p)
	}
	_, size := utf8.DecodeRuneInString(p[1:])
	n := 1 + size
	if (p[1] != 'p' && p[1] != 'P' && p[1] != 'x') || len(p) == 2 {
		return n
	}
	if end := strings.IndexByte(p, '}'); p[2] == '{' && end > 0 {
		return end + 1
	}
	_, size = utf8.DecodeRuneInString(p[2:])
	return n + size
}

// unique drops patterns that are there already, and keeps the order.
func unique(patterns []string) (out []string) {
	seen := map[string]bool{}
	for _, p := range patterns {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
