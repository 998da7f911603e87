package jsonl

import (
	"fmt"
	"slices"
)

// Compact appends src, one JSON value that may span lines, to dst without the
// white space between its tokens, so that it fits on one line. Numbers,
// strings and keys keep their spelling and order byte for byte. What it
// appends passes [CheckStrict], but for size. On an error dst is returned as
// it was. dst must not overlap src.
func Compact(dst, src []byte) ([]byte, error) {
	if err := checkText(src); err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, len(src))
	for i := skipSpace(src, 0); i < len(src); i = skipSpace(src, i) {
		end := skipToken(src, i)
		dst = append(dst, src[i:end]...)
		i = end
	}
	return dst, nil
}

// maxIndented is how long the pretty form of a short record may get.
const maxIndented = 8 * DefaultMaxBytes

// Indent appends src, one JSON value that may span lines, to dst with each
// member and element on a line of its own behind one indent for each level.
// Tokens are kept as [Compact] keeps them; the last line has no newline. On an
// error dst is returned as it was; [ErrTooLarge] says that a deeply nested src
// would grow beyond measure. dst must not overlap src.
func Indent(dst, src []byte, indent string) ([]byte, error) {
	if err := checkText(src); err != nil {
		return dst, err
	}
	return appendIndented(dst, src, indent, max(maxIndented, 8*len(src)))
}

// appendIndented is Indent for a src that has been checked. It gives up
// after the line with which it has appended more than limit bytes.
func appendIndented(dst, src []byte, indent string, limit int) ([]byte, error) {
	p := printer{dst: dst, indent: indent}
	for i := skipSpace(src, 0); i < len(src); i = skipSpace(src, i) {
		end := skipToken(src, i)
		if next := skipSpace(src, end); isEmpty(src, i, next) {
			p.dst = append(p.dst, src[i], src[next])
			end = next + 1
		} else {
			p.token(src[i:end])
		}
		if len(p.dst)-len(dst) > limit {
			return dst, fmt.Errorf("%w: more than %d bytes when indented", ErrTooLarge, limit)
		}
		i = end
	}
	return p.dst, nil
}

// isEmpty reports whether the tokens at i and next are an empty container.
func isEmpty(src []byte, i, next int) bool {
	return next < len(src) && (src[i] == '{' && src[next] == '}' || src[i] == '[' && src[next] == ']')
}

// printer lays out tokens.
type printer struct {
	dst    []byte
	indent string
	depth  int
}

func (p *printer) token(tok []byte) {
	switch tok[0] {
	case '{', '[':
		p.depth++
		p.dst = append(p.dst, tok[0])
		p.newline()
	case '}', ']':
		p.depth--
		p.newline()
		p.dst = append(p.dst, tok[0])
	case ',':
		p.dst = append(p.dst, ',')
		p.newline()
	case ':':
		p.dst = append(p.dst, ": "...)
	default:
		p.dst = append(p.dst, tok...)
	}
}

func (p *printer) newline() {
	p.dst = append(p.dst, '\n')
	for range p.depth {
		p.dst = append(p.dst, p.indent...)
	}
}

// checkText is CheckStrict without its limits on size and newlines.
func checkText(src []byte) error {
	if pos, reason := scan(src, true); reason != "" {
		return syntaxError(src, pos, reason)
	}
	return nil
}
