package main

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// excerptColumns is how much of a bad line is shown.
const excerptColumns = 64

// spot is a place in text of one or more lines.
type spot struct {
	line   int // newlines before it
	column int // characters before it in its line, plus 1
	text   []byte
	at     int // byte within text, its line
}

func spotAt(raw []byte, pos int) spot {
	pos = max(0, min(pos, len(raw)))
	begin := bytes.LastIndexByte(raw[:pos], '\n') + 1
	end := len(raw)
	if i := bytes.IndexByte(raw[pos:], '\n'); i >= 0 {
		end = pos + i
	}
	return spot{
		line:   bytes.Count(raw[:pos], newline),
		column: utf8.RuneCount(raw[begin:pos]) + 1,
		text:   raw[begin:end],
		at:     pos - begin,
	}
}

// excerpt shows the line cut to excerptColumns around the spot, escaped, and
// below it a caret under the spot.
func (s spot) excerpt() string {
	from, cut := s.window()
	line, caret := make([]byte, 0, excerptColumns), -1
	if cut {
		line = append(line, "..."...)
	}
	width := len(line)
	rest := s.text[from:]
	for pos := from; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		if pos >= s.at && caret < 0 {
			caret = width
		}
		cell := appendVisible(nil, rest[:size])
		if width+utf8.RuneCount(cell) > excerptColumns {
			line = append(line, "..."...)
			break
		}
		line = append(line, cell...)
		width += utf8.RuneCount(cell)
		rest, pos = rest[size:], pos+size
	}
	if caret < 0 {
		caret = width
	}
	return "    " + string(line) + "\n    " + strings.Repeat(" ", caret) + "^"
}

// window chooses where the excerpt begins: at the beginning of the line, or
// so that the spot is about in the middle.
func (s spot) window() (from int, cut bool) {
	const before = excerptColumns / 2
	from = s.at
	for width := 0; from > 0; {
		_, size := utf8.DecodeLastRune(s.text[:from])
		width += utf8.RuneCount(appendVisible(nil, s.text[from-size:from]))
		if width > before {
			break
		}
		from -= size
	}
	// Without the cut the whole beginning must fit before the spot.
	return from, from > 0
}
