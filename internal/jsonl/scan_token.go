package jsonl

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const inString = "in a string"

// scanString checks the string whose opening quote is just before i and
// returns the place behind its closing quote, or where and why it is none.
func scanString(d []byte, i int) (int, string) {
	for {
		if i = plain(d, i); i >= len(d) {
			return len(d), inString
		}
		switch c := d[i]; {
		case c == '"':
			return i + 1, ""
		case c == '\\':
			n, ok := scanEscape(d, i)
			if !ok {
				return n, "in an escape of a string"
			}
			i = n
		case c < ' ':
			return i, inString
		case c >= utf8.RuneSelf:
			if i = scanRunes(d, i); i < len(d) && d[i] >= utf8.RuneSelf {
				return i, inString
			}
		default:
			i++
		}
	}
}

// scanRunes returns the first place from i on that is ASCII or not UTF-8.
func scanRunes(d []byte, i int) int {
	for i < len(d) && d[i] >= utf8.RuneSelf {
		r, n := utf8.DecodeRune(d[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return i
}

// plain moves over whole words of bytes that need no look in a string: it
// returns the first byte that does, or a place less than 8 from the end.
func plain(d []byte, i int) int {
	for i+8 <= len(d) {
		if m := special(binary.LittleEndian.Uint64(d[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
	return i
}

// special marks the high bit of each byte of w that is a control byte, a
// quote, a backslash or not ASCII. The lowest mark is exact; a borrow may set
// marks above it that are not.
func special(w uint64) uint64 {
	const lo, hi = 0x0101010101010101, 0x8080808080808080
	control := w - lo*' '
	quote := (w ^ lo*'"') - lo
	backslash := (w ^ lo*'\\') - lo
	return (w | control | quote | backslash) & hi
}

// scanEscape checks the escape that begins with the backslash d[i] and returns
// the place behind it, or the first byte that is wrong.
func scanEscape(d []byte, i int) (int, bool) {
	i++
	if i == len(d) {
		return i, false
	}
	switch d[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, true
	case 'u':
		return scanHex(d, i+1)
	}
	return i, false
}

// scanHex checks the four digits behind \u, which begin at i.
func scanHex(d []byte, i int) (int, bool) {
	for end := i + 4; i < end; i++ {
		if i == len(d) || !isHex(d[i]) {
			return i, false
		}
	}
	return i, true
}

// scanScalar checks the number or word that begins at i.
func scanScalar(d []byte, i int) (int, string) {
	switch d[i] {
	case 't':
		return scanWord(d, i, "true")
	case 'f':
		return scanWord(d, i, "false")
	case 'n':
		return scanWord(d, i, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return scanNumber(d, i)
	}
	return i, wantValue.where(false)
}

// scanWord checks that word stands at i. Its first byte has been seen.
func scanWord(d []byte, i int, word string) (int, string) {
	for j := range len(word) {
		if i+j == len(d) || d[i+j] != word[j] {
			return i + j, "in the word " + word
		}
	}
	return i + len(word), ""
}

// scanNumber checks the number that begins at i. Its end is for the caller to
// judge: what may follow depends on the place.
func scanNumber(d []byte, i int) (int, string) {
	const inNumber = "in a number"
	if d[i] == '-' {
		i++
	}
	j := digits(d, i)
	if j == i {
		return j, inNumber
	}
	if d[i] == '0' && j > i+1 {
		return i + 1, "after a leading zero"
	}
	if i = j; i < len(d) && d[i] == '.' {
		if j = digits(d, i+1); j == i+1 {
			return j, inNumber
		}
		i = j
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		if i++; i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		if j = digits(d, i); j == i {
			return j, inNumber
		}
		i = j
	}
	return i, ""
}

// digits returns the first place from i on that holds no digit.
func digits(d []byte, i int) int {
	for i < len(d) && isDigit(d[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}
