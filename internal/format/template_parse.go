package format

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/jlq/internal/filter"
)

// Tokens tells what may stand in a template.
const Tokens = `%o offset, %p partition, %i id (orders-0@42), %t time, %b position, %S size, %v stored bytes, %{field}, %%; \n \t \r \\ \0 \e \xHH`

// newTemplate reads a template.
func newTemplate(o *Options) (*template, error) {
	p := templateParser{t: &template{opts: o}, src: o.Format}
	for p.pos < len(p.src) {
		var err error
		switch p.src[p.pos] {
		case '%':
			err = p.token()
		case '\\':
			err = p.escape()
		default:
			n := strings.IndexAny(p.src[p.pos:], `%\`)
			if n < 0 {
				n = len(p.src) - p.pos
			}
			p.literal(p.src[p.pos:p.pos+n], n)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.t, nil
}

// templateParser reads a template from left to right.
type templateParser struct {
	t   *template
	src string
	pos int
}

func (p *templateParser) fail(pos int, format string, args ...any) error {
	return &SpotError{Expr: p.src, Position: min(pos, len(p.src)), Reason: fmt.Sprintf(format, args...), What: "template"}
}

// literal adds text, for which n bytes stand.
func (p *templateParser) literal(text string, n int) {
	p.pos += n
	if last := len(p.t.parts) - 1; last >= 0 && p.t.parts[last].token == 0 {
		p.t.parts[last].text += text
		return
	}
	p.t.parts = append(p.t.parts, part{text: text})
}

func (p *templateParser) token() error {
	rest := p.src[p.pos+1:]
	switch {
	case rest == "":
		return p.fail(p.pos, "a %% alone; one that is meant is %%%%")
	case rest[0] == '%':
		p.literal("%", 2)
		return nil
	case rest[0] == '{':
		return p.field()
	case strings.IndexByte("opitbSv", rest[0]) >= 0:
		p.t.parts = append(p.t.parts, part{token: rest[0]})
		p.pos += 2
		return nil
	}
	r, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case 's':
		return p.fail(p.pos, "no token %%s; the stored bytes are %%v, their size %%S")
	case 'T':
		return p.fail(p.pos, "no token %%T; the time is %%t")
	}
	return p.fail(p.pos, "no token %%%c", r)
}

// field reads %{path}.
func (p *templateParser) field() error {
	begin := p.pos + 2
	n := unquoted(p.src[begin:], '}')
	if n < 0 {
		return p.fail(p.pos, "%%{ without its }")
	}
	text := p.src[begin : begin+n]
	number, err := p.t.fields.Add(text)
	if e, ok := err.(*filter.Error); ok {
		return p.fail(begin+e.Position, "%s", e.Reason)
	}
	p.t.looks = true
	p.t.parts = append(p.t.parts, part{token: '{', field: number})
	p.pos = begin + n + 1
	return nil
}

// escapes are what a letter behind a backslash stands for.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': `\`, '0': "\x00", 'e': "\x1b"}

func (p *templateParser) escape() error {
	rest := p.src[p.pos+1:]
	if rest == "" {
		return p.fail(p.pos, `a \ alone; one that is meant is \\`)
	}
	if text, ok := escapes[rest[0]]; ok {
		p.literal(text, 2)
		return nil
	}
	if rest[0] == 'x' && len(rest) > 2 {
		if b, err := strconv.ParseUint(rest[1:3], 16, 8); err == nil {
			p.literal(string([]byte{byte(b)}), 4)
			return nil
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	if r == 'x' {
		return p.fail(p.pos, `\x wants two hexadecimal digits`)
	}
	return p.fail(p.pos, `no escape \%c; there are \n \t \r \\ \0 \e \xHH`, r)
}
