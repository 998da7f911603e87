package program

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says where a program does not compile, and why.
type Error struct {
	Text     string
	Position int    // the byte of Text that is wrong; its length where more is wanted
	Reason   string // one line
}

// Error is one line with the place, in lines and characters from 1.
func (e *Error) Error() string {
	line, number, at := e.line()
	where := fmt.Sprintf("column %d", utf8.RuneCountInString(line[:at])+1)
	if strings.Contains(e.Text, "\n") {
		where = fmt.Sprintf("line %d, %s", number, where)
	}
	return fmt.Sprintf("jq: %s, %s", e.Reason, where)
}

// String is the error, the line of the program, and a caret under the spot.
func (e *Error) String() string {
	line, _, at := e.line()
	line = strings.ReplaceAll(line, "\t", " ")
	return fmt.Sprintf("%s\n    %s\n    %s^", e.Error(), line, strings.Repeat(" ", utf8.RuneCountInString(line[:at])))
}

// line is the line of the program that is wrong, its number, and the place in it.
func (e *Error) line() (text string, number, at int) {
	at = min(e.Position, len(e.Text))
	start := strings.LastIndexByte(e.Text[:at], '\n') + 1
	text, _, _ = strings.Cut(e.Text[start:], "\n")
	return text, strings.Count(e.Text[:start], "\n") + 1, at - start
}

// Failure says that a program failed on a record.
type Failure struct{ Reason string }

// Error is the reason.
func (f *Failure) Error() string { return f.Reason }

// Halt says that a program ended everything, with halt or halt_error.
type Halt struct {
	Code int    // the exit code that it asked for; 5 where halt_error named none
	Text string // what halt_error had to say; "" for halt
}

// Error is what it had to say.
func (h *Halt) Error() string {
	if h.Text == "" {
		return "halted"
	}
	return h.Text
}
