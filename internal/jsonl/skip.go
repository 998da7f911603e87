package jsonl

import "bytes"

// The functions here walk over JSON that has been checked. On bytes that are
// not JSON they return some place inside the bytes or their length, so that a
// caller who has not checked can still not leave them.

// skipBOM returns d without the byte order mark that it may begin with.
func skipBOM(d []byte) []byte { return bytes.TrimPrefix(d, []byte(BOM)) }

// isSpace reports whether c is white space between tokens.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// skipSpace returns the first place from i on without white space.
func skipSpace(d []byte, i int) int {
	for i < len(d) && isSpace(d[i]) {
		i++
	}
	return i
}

// skipString returns the place behind the string whose opening quote is d[i].
func skipString(d []byte, i int) int {
	for i++; ; {
		i = plain(d, i)
		if i >= len(d) {
			return len(d)
		}
		switch d[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		i++
	}
}

// skipToken returns the place behind the token at i < len(d): a string, a
// number, a word or one byte of punctuation.
func skipToken(d []byte, i int) int {
	switch d[i] {
	case '"':
		return skipString(d, i)
	case '{', '}', '[', ']', ',', ':':
		return i + 1
	}
	for i++; i < len(d) && !isDelimiter(d[i]); {
		i++
	}
	return i
}

// isDelimiter reports whether c ends a number or a word.
func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ':', '{', '}', '[', ']', '"':
		return true
	}
	return false
}

// skipValue returns the place behind the value that begins at i < len(d).
func skipValue(d []byte, i int) int {
	if d[i] != '{' && d[i] != '[' {
		return skipToken(d, i)
	}
	for depth := 0; i < len(d); {
		switch d[i] {
		case '"':
			i = skipString(d, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(d)
}
