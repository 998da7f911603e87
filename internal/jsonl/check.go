package jsonl

import (
	"bytes"
	"fmt"
)

const (
	// MaxDepth is how deep arrays and objects may be nested in a record.
	MaxDepth = 1000

	// DefaultMaxBytes is the size limit of a record where none is given.
	DefaultMaxBytes = 16 << 20
)

// CheckStrict returns nil when rec is exactly one JSON value: valid by RFC
// 8259, in valid UTF-8, nested at most [MaxDepth] deep, at most maxBytes long
// and without a newline. White space around the value is fine. maxBytes 0
// stands for [DefaultMaxBytes]; a negative one is no limit. What CheckFrame
// refuses is refused with the same error here.
func CheckStrict(rec []byte, maxBytes int) error {
	if err := checkSize(rec, maxBytes); err != nil {
		return err
	}
	pos, reason := scan(rec, false)
	if reason == "" {
		return nil
	}
	// A broken frame is the more useful answer, even behind bad syntax.
	if err := checkFrame(rec); err != nil {
		return err
	}
	return syntaxError(rec, pos, reason)
}

// CheckFrame returns nil when rec can stand on a line of its own: it has no
// newline and no NUL, is not empty and at most maxBytes long, which counts as
// for [CheckStrict].
func CheckFrame(rec []byte, maxBytes int) error {
	if err := checkSize(rec, maxBytes); err != nil {
		return err
	}
	return checkFrame(rec)
}

func checkSize(rec []byte, maxBytes int) error {
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	if maxBytes > 0 && len(rec) > maxBytes {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(rec), maxBytes)
	}
	return nil
}

func checkFrame(rec []byte) error {
	if len(rec) == 0 {
		return &SyntaxError{0, "no value", ErrEmpty}
	}
	if i := bytes.IndexByte(rec, '\n'); i >= 0 {
		return &SyntaxError{i, "newline", ErrNewline}
	}
	if i := bytes.IndexByte(rec, 0); i >= 0 {
		return &SyntaxError{i, nulReason(rec), ErrNUL}
	}
	return nil
}

// Complete reports whether rec is one complete JSON object or array, of any
// size: whether a last line without its newline can be taken for whole. A
// number or a word cannot, since more of it might have been meant to follow.
func Complete(rec []byte) bool {
	rec = skipBOM(rec)
	i := skipSpace(rec, 0)
	if i == len(rec) || rec[i] != '{' && rec[i] != '[' {
		return false
	}
	_, reason := scan(rec, false)
	return reason == ""
}
