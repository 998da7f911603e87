package program

import "unicode/utf8"

// shortEscapes are those with a letter.
var shortEscapes = [0x60]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendQuoted appends a string in quotes: only what must be is escaped, and
// DEL, as jq does. Invalid UTF-8 becomes U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		size := 1
		switch {
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[done:i]...), "\uFFFD"...)
				done = i + 1
			}
		case c < ' ' || c == '"' || c == '\\' || c == 0x7f:
			dst = append(dst, s[done:i]...)
			done = i + 1
			if c < 0x60 && shortEscapes[c] != 0 {
				dst = append(dst, '\\', shortEscapes[c])
			} else {
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
		}
		i += size
	}
	return append(append(dst, s[done:]...), '"')
}
