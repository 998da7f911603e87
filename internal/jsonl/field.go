package jsonl

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Field returns the bytes of a field of rec as they stand there: of the member
// named path[0] of the object, of the member named path[1] of that, and so on;
// without a path, of the whole value. Names are compared by value, so that
// "a" finds "\u0061" too. Where a name is there twice, the last one counts,
// as in encoding/json. ok is false when a name is missing, when there is no
// object to look in, and when rec is so broken that its end is not found;
// otherwise rec is not checked. raw shares memory with rec.
func Field(rec []byte, path ...string) (raw []byte, ok bool) {
	raw, ok = soleValue(skipBOM(rec))
	for _, name := range path {
		if !ok {
			break
		}
		raw, ok = member(raw, name)
	}
	return raw, ok
}

// soleValue returns d without the white space around its value.
func soleValue(d []byte) (raw []byte, ok bool) {
	start := skipSpace(d, 0)
	end := len(d)
	for end > start && isSpace(d[end-1]) {
		end--
	}
	return d[start:end:end], start < end
}

// member returns the value of the last member of obj that is called name.
func member(obj []byte, name string) (raw []byte, ok bool) {
	whole := members(obj, func(key, value []byte) {
		if keyIs(key, name) {
			raw = value
		}
	})
	return raw, whole && raw != nil
}

// members calls visit with the spelling of each key, without quotes, and with
// each value of the object obj. It reports whether obj is an object to its
// end.
func members(obj []byte, visit func(key, value []byte)) bool {
	if len(obj) < 2 || obj[0] != '{' {
		return false
	}
	i := skipSpace(obj, 1)
	if i < len(obj) && obj[i] == '}' {
		return i == len(obj)-1
	}
	for {
		key, value, next := nextMember(obj, i)
		if value == nil {
			return false
		}
		visit(key, value)
		switch {
		case obj[next] == ',':
			i = skipSpace(obj, next+1)
		default:
			return obj[next] == '}' && next == len(obj)-1
		}
	}
}

// nextMember returns the member of obj that begins at i and the place of the
// next token behind it, which is inside obj. value is nil when there is none.
func nextMember(obj []byte, i int) (key, value []byte, next int) {
	if i >= len(obj) || obj[i] != '"' {
		return nil, nil, 0
	}
	end := skipString(obj, i)
	colon := skipSpace(obj, end)
	if colon >= len(obj) || obj[colon] != ':' {
		return nil, nil, 0
	}
	start := skipSpace(obj, colon+1)
	if start >= len(obj) || allows[obj[start]]&wantValue == 0 {
		return nil, nil, 0
	}
	stop := skipValue(obj, start)
	if next = skipSpace(obj, stop); next >= len(obj) {
		return nil, nil, 0
	}
	return obj[i+1 : end-1], obj[start:stop:stop], next
}

// keyIs reports whether the spelling raw of a key stands for name.
func keyIs(raw []byte, name string) bool {
	if len(raw) <= len(name) {
		// An escape is longer than what it stands for, so there is none here.
		return string(raw) == name && !strings.Contains(name, `\`)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	var buf [64]byte
	return string(appendUnescaped(buf[:0], raw)) == name
}

// appendUnescaped appends what the spelling raw of a string stands for. A lone
// surrogate becomes U+FFFD, as in encoding/json.
func appendUnescaped(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 == len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		if raw[i+1] == 'u' {
			r, n := unescapeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			raw = raw[i+n:]
			continue
		}
		dst = append(dst, unescapeByte(raw[i+1]))
		raw = raw[i+2:]
	}
}

// unescapeByte is what a backslash and c stand for.
func unescapeByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unescapeRune returns the character that raw, which begins with \u, stands
// for and the length of its spelling: 12 for a pair of surrogates, else 6.
func unescapeRune(raw []byte) (rune, int) {
	r := hex4(raw)
	if !utf16.IsSurrogate(r) {
		return r, min(6, len(raw))
	}
	if low := raw[min(6, len(raw)):]; len(low) > 1 && low[0] == '\\' && low[1] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(low)); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, min(6, len(raw))
}

// hex4 is the number in the four digits of an escape such as \u00e9.
func hex4(esc []byte) (r rune) {
	for i := 2; i < 6; i++ {
		if i >= len(esc) || !isHex(esc[i]) {
			return utf8.RuneError
		}
		digit := rune(esc[i] & 0x0f)
		if esc[i] > '9' {
			digit += 9
		}
		r = r<<4 | digit
	}
	return r
}
