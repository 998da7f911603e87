package filter

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/jlq/internal/jsonl"
)

// operand reads a path, a JSON value or a time.
func (p *parser) operand() (operand, error) {
	rest := p.rest()
	if rest == "" {
		return operand{}, p.fail(p.pos, "the filter ends where a path or a value should be")
	}
	switch c := rest[0]; {
	case c == '.':
		return p.path()
	case c == '@':
		return p.time()
	case c == '"' || c == '[' || c == '{' || c == '-' || '0' <= c && c <= '9':
		return p.json()
	}
	switch word := p.peekWord(); word {
	case "true", "false", "null":
		return p.json()
	case "":
	case "not":
		return operand{}, p.fail(p.pos, "not is written !")
	default:
		return operand{}, p.fail(p.pos, "%s where a path or a value should be; a field is .%s, a string \"%s\"", quoted(rest), word, word)
	}
	if rest[0] == '\'' {
		return operand{}, p.fail(p.pos, "strings are in double quotes")
	}
	return operand{}, p.fail(p.pos, "%s where a path or a value should be", quoted(rest))
}

// quoted names what comes next: a word, or a character.
func quoted(rest string) string {
	if n := wordEnd(rest); n > 0 {
		return strconv.Quote(rest[:n])
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return strconv.QuoteRune(r)
}

// wordEnd returns the length of the word that s begins with: letters, digits
// and underscores, no digit first.
func wordEnd(s string) int {
	for i, r := range s {
		if r != '_' && !(unicode.IsLetter(r) && r != utf8.RuneError) && !(i > 0 && unicode.IsDigit(r)) {
			return i
		}
	}
	return len(s)
}

// path reads a path, which begins with a dot.
func (p *parser) path() (operand, error) {
	var path []step
	for first := true; ; first = false {
		s, ok, err := p.step(first)
		if err != nil {
			return operand{}, err
		}
		if !ok {
			break
		}
		path = append(path, s)
		if len(path) > maxNesting {
			return operand{}, p.fail(p.pos, "a path of more than %d steps", maxNesting)
		}
		if p.pos < len(p.src) && p.src[p.pos] == '?' {
			p.pos++ // as in jq; what is not there is no error here anyhow
		}
	}
	return operand{isPath: true, slot: p.intern(path), path: path}, nil
}

// step reads one step of a path; ok is false at its end. Only the first may be
// nothing but a dot, which is the record itself.
func (p *parser) step(first bool) (s step, ok bool, err error) {
	rest := p.src[p.pos:]
	switch {
	case strings.HasPrefix(rest, "["):
		return p.bracket()
	case !strings.HasPrefix(rest, "."):
		return s, false, nil
	}
	p.pos++
	rest = rest[1:]
	switch n := wordEnd(rest); {
	case n > 0:
		p.pos += n
		if err := p.oddKey(n); err != nil {
			return s, false, err
		}
		return step{key: rest[:n]}, true, nil
	case strings.HasPrefix(rest, `"`):
		key, err := p.text()
		return step{key: key}, err == nil, err
	case strings.HasPrefix(rest, "["):
		return p.bracket()
	case first && (rest == "" || rest[0] != '.' && !('0' <= rest[0] && rest[0] <= '9') && strings.IndexByte("@$#%&*-+/", rest[0]) < 0):
		return s, false, nil
	case rest != "" && '0' <= rest[0] && rest[0] <= '9' && first:
		return s, false, p.fail(p.pos-1, "a number has a digit before its point: 0%s; an element is .[%c]", p.src[p.pos-1:], rest[0])
	}
	return s, false, p.fail(p.pos, `want a key; one with other characters than letters, digits and _ is in quotes: ."odd key"`)
}

// oddKey refuses a key of n bytes that goes on in a way that jq would take for
// arithmetic, such as .user-id.
func (p *parser) oddKey(n int) error {
	rest := p.src[p.pos:]
	if len(rest) > 1 && strings.IndexByte("-@$/+*", rest[0]) >= 0 {
		return p.fail(p.pos, `a key with %c in it is in quotes: ."%s%c..."`, rest[0], p.src[p.pos-n:p.pos], rest[0])
	}
	return nil
}

// bracket reads [0] or ["key"].
func (p *parser) bracket() (step, bool, error) {
	p.pos++
	if strings.HasPrefix(p.rest(), `"`) {
		key, err := p.text()
		if err == nil && !p.take("]") {
			err = p.fail(p.pos, "want ] behind the key")
		}
		return step{key: key}, err == nil, err
	}
	rest := p.rest()
	n := strings.IndexByte(rest, ']')
	digits := strings.TrimSpace(rest[:max(n, 0)])
	index, err := strconv.ParseInt(digits, 10, 32)
	if n == 0 {
		return step{}, false, p.fail(p.pos, "[] is each element, which takes --jq 'select(any(.a[]; . == 1))'; [0] is the first")
	}
	if n < 0 || err != nil || digits[0] == '+' {
		return step{}, false, p.fail(p.pos, `want a number or a "key" and ]`)
	}
	p.pos += n + 1
	return step{element: true, index: int(index)}, true, nil
}

// json reads a literal.
func (p *parser) json() (operand, error) {
	raw := []byte(p.rest())
	end := jsonl.SkipValue(raw, 0)
	if strings.IndexByte("\"[{", raw[0]) < 0 {
		end = scalarEnd(raw)
	}
	raw = raw[:end:end]
	compact, err := jsonl.Compact(nil, raw)
	if err != nil {
		return operand{}, p.badLiteral(err)
	}
	p.pos += end
	o := operand{raw: compact, kind: kindOf(compact)}
	switch o.kind {
	case kindString:
		o.text = string(jsonl.AppendUnescaped(nil, inside(compact)))
	case kindNumber:
		o.number, o.small = parseNumber(compact)
	}
	return o, nil
}

// scalarEnd is the length of the number or word that raw begins with.
func scalarEnd(raw []byte) int {
	for i, c := range raw {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("+-._", c) >= 0) {
			return i
		}
	}
	return len(raw)
}

// badLiteral says what is wrong with the value at p.pos.
func (p *parser) badLiteral(err error) error {
	at, reason := p.pos, err.Error()
	if e, ok := errors.AsType[*jsonl.SyntaxError](err); ok {
		at, reason = p.pos+e.Position, e.Reason
	}
	if strings.HasSuffix(reason, "in an escape of a string") {
		reason += `; a backslash is written \\`
	}
	return p.fail(min(at, len(p.src)), "%s", reason)
}

// text reads a string literal.
func (p *parser) text() (string, error) {
	if !strings.HasPrefix(p.rest(), `"`) {
		return "", p.fail(p.pos, `want a string in double quotes`)
	}
	o, err := p.json()
	return o.text, err
}

// regexp reads a pattern.
func (p *parser) regexp() (*regexp.Regexp, error) {
	p.space()
	start := p.pos
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(text)
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, p.fail(start, "%s in the regular expression: %s", e.Code, strconv.Quote(e.Expr))
	}
	if err != nil {
		return nil, p.fail(start, "%v", err)
	}
	return re, nil
}

// time reads @TIME or @"TIME".
func (p *parser) time() (operand, error) {
	start := p.pos
	p.pos++
	var text string
	if strings.HasPrefix(p.src[p.pos:], `"`) {
		var err error
		if text, err = p.text(); err != nil {
			return operand{}, err
		}
	} else {
		n := strings.IndexAny(p.src[p.pos:], " \t\r\n()[]{},&|!=<>\"")
		if n < 0 {
			n = len(p.src) - p.pos
		}
		text = p.src[p.pos : p.pos+n]
		p.pos += n
	}
	t, err := jsonl.ParseMoment(text, p.now)
	if err != nil {
		return operand{}, p.fail(start, "%v", err)
	}
	return operand{isTime: true, time: t}, nil
}
