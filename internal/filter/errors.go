package filter

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says where an expression does not compile, and why.
type Error struct {
	Expr     string
	Position int    // the byte of Expr that is wrong; its length where more is wanted
	Reason   string // one line
	What     string // what Expr is; "": a filter
}

// Error is one line with the column, in characters from 1.
func (e *Error) Error() string {
	line, at := e.line()
	return fmt.Sprintf("%s: %s, column %d", cmp.Or(e.What, "filter"), e.Reason, utf8.RuneCountInString(line[:at])+1)
}

// String is the error, the expression, and a caret under the spot.
func (e *Error) String() string {
	line, at := e.line()
	line = strings.ReplaceAll(line, "\t", " ")
	return fmt.Sprintf("%s\n    %s\n    %s^", e.Error(), line, strings.Repeat(" ", utf8.RuneCountInString(line[:at])))
}

// line is the line of the expression that is wrong, and the place in it.
func (e *Error) line() (text string, at int) {
	text, at = e.Expr, e.Position
	if i := strings.LastIndexByte(text[:at], '\n'); i >= 0 {
		text, at = text[i+1:], at-i-1
	}
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		text = text[:at+i]
	}
	return text, at
}
