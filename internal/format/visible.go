package format

import (
	"fmt"
	"unicode/utf8"
)

// AppendVisible appends src as it may be shown on a terminal: what could
// move the cursor, set colours or reorder text is escaped, as \u001b, and
// bytes that are not UTF-8 as \xff.
func AppendVisible(dst, src []byte) []byte {
	for len(src) > 0 {
		n := plainPrefix(src)
		dst = append(dst, src[:n]...)
		src = src[n:]
		if len(src) == 0 {
			break
		}
		r, size := utf8.DecodeRune(src)
		dst = appendVisibleRune(dst, src[:size], r)
		src = src[size:]
	}
	return dst
}

// plainPrefix counts the leading bytes that are printable ASCII.
func plainPrefix(src []byte) int {
	for i, c := range src {
		if c < 0x20 || c >= 0x7f {
			return i
		}
	}
	return len(src)
}

func appendVisibleRune(dst, raw []byte, r rune) []byte {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Appendf(dst, `\x%02x`, raw[0])
	case hidden(r):
		return fmt.Appendf(dst, `\u%04x`, r)
	}
	return append(dst, raw...)
}

// hidden reports whether a character acts on the terminal or on the order of
// the text around it instead of being seen.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0: // C0, DEL, C1
	case r == 0x061c, r == 0x200e, r == 0x200f: // marks of direction
	case r >= 0x202a && r <= 0x202e: // embeddings and overrides
	case r >= 0x2066 && r <= 0x2069: // isolates
	case r == 0x2028, r == 0x2029: // line and paragraph separator
	case r == 0xfeff: // byte order mark
	default:
		return false
	}
	return true
}
