package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errNoTerminal is where there is none to be had.
var errNoTerminal = errors.New("no terminal can be had here")

// style is how letters look.
type style struct {
	bold, dim bool
	color     string // a class of the picture, "" for the usual one
}

// run is letters of one style that stand beside each other.
type run struct {
	style
	column int
	text   string
}

// screenLine is a line of the terminal.
type screenLine []run

// reader makes lines of what is sent to a terminal.
type reader struct {
	lines  []screenLine
	style  style
	column int
	width  int
}

// read reads what programs sent to a terminal of a width: letters, ends of
// lines, styles. It refuses anything else, which a picture would show wrongly.
func read(sent []byte, width int) ([]screenLine, error) {
	r := &reader{width: width, lines: []screenLine{nil}}
	for len(sent) > 0 {
		switch {
		case bytes.HasPrefix(sent, []byte("\x1b[")):
			end := bytes.IndexFunc(sent[2:], func(c rune) bool { return c >= '@' })
			if end < 0 {
				return nil, fmt.Errorf("an escape sequence without end: %q", sent)
			}
			if err := r.escape(string(sent[2:2+end]), sent[2+end]); err != nil {
				return nil, err
			}
			sent = sent[3+end:]
		case sent[0] == '\n':
			r.newLine()
			sent = sent[1:]
		case sent[0] == '\r':
			sent = sent[1:] // the line discipline sends one before each newline
		case sent[0] == '\t':
			for n := 8 - r.column%8; n > 0; n-- {
				r.letter(" ")
			}
			sent = sent[1:]
		default:
			c, n := utf8.DecodeRune(sent)
			if c < ' ' || c == utf8.RuneError {
				return nil, fmt.Errorf("%q cannot be drawn", sent[:n])
			}
			r.letter(string(sent[:n]))
			sent = sent[n:]
		}
	}
	if last := len(r.lines) - 1; len(r.lines[last]) == 0 {
		r.lines = r.lines[:last]
	}
	return r.lines, nil
}

func (r *reader) newLine() {
	r.lines = append(r.lines, nil)
	r.column = 0
}

func (r *reader) letter(text string) {
	if r.column == r.width {
		r.newLine()
	}
	line := &r.lines[len(r.lines)-1]
	if n := len(*line); n > 0 && (*line)[n-1].style == r.style {
		(*line)[n-1].text += text
	} else {
		*line = append(*line, run{r.style, r.column, text})
	}
	r.column++
}

// escape takes a control sequence: its parameters and the letter that ends it.
func (r *reader) escape(parameters string, final byte) error {
	if final != 'm' {
		return fmt.Errorf("the control sequence %q%c cannot be drawn", parameters, final)
	}
	for p := range strings.SplitSeq(parameters, ";") {
		n, err := strconv.Atoi(p)
		if err != nil && p != "" {
			return fmt.Errorf("the style %q cannot be drawn", parameters)
		}
		if err := r.set(n); err != nil {
			return err
		}
	}
	return nil
}

var colors = []string{"k", "r", "g", "y", "b", "m", "c", "w"}

// set takes one parameter of a style.
func (r *reader) set(n int) error {
	switch {
	case n == 0:
		r.style = style{}
	case n == 1:
		r.style.bold = true
	case n == 2:
		r.style.dim = true
	case n == 22:
		r.style.bold, r.style.dim = false, false
	case n == 39:
		r.style.color = ""
	case n >= 30 && n < 38:
		r.style.color = colors[n-30]
	case n >= 90 && n < 98:
		r.style.color = colors[n-90]
	default:
		return fmt.Errorf("the style %d cannot be drawn", n)
	}
	return nil
}

// trim takes the blanks from the end of a line.
func (l screenLine) trim() screenLine {
	l = slices.Clone(l)
	for len(l) > 0 {
		last := &l[len(l)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		l = l[:len(l)-1]
	}
	return l
}
