package jsonl

import "time"

// What follows is for callers who look for many fields at once and so walk over
// a record themselves. As everything in skip.go, it does not check, and does
// not leave the bytes.

// SkipSpace returns the first place from i on without white space.
func SkipSpace(d []byte, i int) int { return skipSpace(d, i) }

// SkipString returns the place behind the string whose opening quote is d[i].
func SkipString(d []byte, i int) int { return skipString(d, i) }

// SkipValue returns the place behind the value that begins at i < len(d), or
// len(d) where its end is missing.
func SkipValue(d []byte, i int) int { return skipValue(d, i) }

// SkipBOM returns d without the byte order mark that it may begin with.
func SkipBOM(d []byte) []byte { return skipBOM(d) }

// Members calls visit with the spelling of each key, without quotes, and with
// each value of the object obj, which has no white space around it. It reports
// whether obj is an object to its end.
func Members(obj []byte, visit func(key, value []byte)) bool { return members(obj, visit) }

// NextMember returns the spelling of the key, without quotes, and the value of the
// member that comes next in the object obj, and the place to go on from; the first
// place is 1. At the end, or where obj is broken, value is nil.
func NextMember(obj []byte, i int) (key, value []byte, next int) {
	if len(obj) == 0 || obj[0] != '{' {
		return nil, nil, i
	}
	key, value, next = nextMember(obj, skipSpace(obj, i))
	if value != nil && obj[next] == ',' {
		next++
	}
	return key, value, next
}

// BeginsValue reports whether a value can begin with c.
func BeginsValue(c byte) bool { return allows[c]&wantValue != 0 }

// StringIs reports whether raw, the spelling of a string without its quotes,
// stands for text. A lone surrogate stands for U+FFFD.
func StringIs(raw []byte, text string) bool { return keyIs(raw, text) }

// AppendUnescaped appends what raw, the spelling of a string without its
// quotes, stands for. A lone surrogate becomes U+FFFD.
func AppendUnescaped(dst, raw []byte) []byte { return appendUnescaped(dst, raw) }

// ValueTime returns the time that the value raw holds, as Time reads it.
func ValueTime(raw []byte) (time.Time, bool) { return parseTime(raw) }
