package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// What a record is refused for, where the kind matters to callers. All but
// [ErrTooLarge] come inside a [*SyntaxError].
var (
	ErrNewline  = errors.New("newline in a record")       // by both checks
	ErrNUL      = errors.New("NUL byte in a record")      // by both checks
	ErrEmpty    = errors.New("empty record")              // no bytes; in the strict check also only white space
	ErrTooLarge = errors.New("record too large")          // by both checks, before they look at a byte
	ErrDepth    = errors.New("record nested too deep")    // beyond MaxDepth
	ErrUTF8     = errors.New("invalid UTF-8 in a record") // anywhere, not only in strings
)

// SyntaxError says where bytes stop being a record, and why.
type SyntaxError struct {
	// Position is the first byte, from 0, with which no record can go on. It
	// is the length of the record where that ends too early.
	Position int
	// Reason is one line for people, without control characters.
	Reason string
	// Err is the sentinel for the kind, or nil for plain bad syntax.
	Err error
}

// Error names the place and the reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid record at byte %d: %s", e.Position, e.Reason)
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

// BOM is the byte order mark of UTF-8. A record has none; a file may begin with
// one, which is then tolerated and reported.
const BOM = "\xef\xbb\xbf"

// syntaxError makes an error of what scan returned for d.
func syntaxError(d []byte, pos int, reason string) *SyntaxError {
	switch {
	case reason == tooDeep:
		reason = fmt.Sprintf("nested deeper than %d levels", MaxDepth)
		return &SyntaxError{pos, reason, ErrDepth}
	case bytes.HasPrefix(d, []byte(BOM)):
		return &SyntaxError{pos, "byte order mark", nil}
	case len(bytes.Trim(d, " \t\r\n")) == 0:
		return &SyntaxError{pos, "no value", ErrEmpty}
	case pos == len(d):
		return &SyntaxError{pos, "unexpected end " + reason, nil}
	}
	return found(d, pos, reason)
}

// found makes an error that names the byte or character at pos < len(d).
func found(d []byte, pos int, reason string) *SyntaxError {
	c := d[pos]
	if c < ' ' {
		return &SyntaxError{pos, fmt.Sprintf("raw control byte 0x%02x %s", c, reason), nil}
	}
	r, n := utf8.DecodeRune(d[pos:])
	if r == utf8.RuneError && n == 1 {
		return &SyntaxError{pos, fmt.Sprintf("invalid UTF-8 (byte 0x%02x) %s", c, reason), ErrUTF8}
	}
	return &SyntaxError{pos, strconv.QuoteRune(r) + " " + reason, nil}
}

// nulReason is the reason for refusing d, which holds a NUL byte. Text in
// UTF-16 is the usual way to come by one.
func nulReason(d []byte) string {
	utf16 := bytes.HasPrefix(d, []byte("\xff\xfe")) || bytes.HasPrefix(d, []byte("\xfe\xff")) ||
		len(d) > 1 && (d[0] == 0) != (d[1] == 0)
	if utf16 {
		return "NUL byte (the text looks like UTF-16)"
	}
	return "NUL byte"
}
