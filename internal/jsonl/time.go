package jsonl

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// timeFields are the fields that hold the time of a record, the likeliest
// first.
var timeFields = [...]string{"ts", "time", "timestamp", "@timestamp"}

// Time returns the time in a field of rec, in UTC. field names a member of the
// object; where there is none of that name, its dots lead to nested ones.
// Without a field it is the first of ts, time, timestamp and @timestamp that
// holds a time.
//
// A time is a string in the format of RFC 3339, or like it: with a space or a
// small t in place of the T, without seconds, without a zone (which is UTC),
// with a zone like +0100, +01 or UTC, or a date alone, which may be written with
// slashes or as Apache (02/Jan/2026:15:04:05 -0700) and HTTP (Fri, 02 Jan 2026
// 15:04:05 GMT) do. Or it is a number, also
// in a string, of seconds, milliseconds, microseconds or nanoseconds since
// 1970: below 10^11 it counts seconds, below 10^14 milliseconds, below 10^17
// microseconds. Fractions are exact to the nanosecond.
func Time(rec []byte, field string) (time.Time, bool) {
	if field == "" {
		return firstTime(rec)
	}
	raw, ok := Field(rec, field)
	if !ok && strings.Contains(field, ".") {
		raw, ok = Field(rec, strings.Split(field, ".")...)
	}
	if !ok {
		return time.Time{}, false
	}
	return parseTime(raw)
}

// firstTime returns the first time in timeFields.
func firstTime(rec []byte) (time.Time, bool) {
	obj, _ := soleValue(skipBOM(rec))
	var raws [len(timeFields)][]byte
	whole := members(obj, func(key, value []byte) {
		if i := timeField(key); i >= 0 {
			raws[i] = value
		}
	})
	for _, raw := range raws {
		if t, ok := parseTime(raw); ok && whole {
			return t, true
		}
	}
	return time.Time{}, false
}

// timeField is the place in timeFields of the key that is spelled so, or −1.
// Merging a topic asks it of every key of every record; nearly none has an
// escape.
func timeField(key []byte) int {
	if bytes.IndexByte(key, '\\') < 0 {
		for i, name := range timeFields {
			if string(key) == name {
				return i
			}
		}
		return -1
	}
	return slices.IndexFunc(timeFields[:], func(name string) bool { return keyIs(key, name) })
}

// parseTime reads the time in a raw JSON value.
func parseTime(raw []byte) (time.Time, bool) {
	var buf [64]byte
	text := raw
	if len(raw) > 1 && raw[0] == '"' {
		if raw = raw[1 : len(raw)-1]; len(raw) > 6*len(buf) {
			return time.Time{}, false
		}
		text = bytes.TrimSpace(appendUnescaped(buf[:0], raw))
	}
	if t, ok := parseUnix(text); ok {
		return t, true
	}
	return parseClock(text)
}

// A decimal is a number in decimal digits: 0.d[0]d[1]…d[n-1] × 10^point. Times
// are read through it because a float64 cannot hold nanoseconds.
type decimal struct {
	negative bool
	n        int
	point    int
	digits   [40]byte
}

// at is the digit at place i, which may lie outside the digits.
func (d *decimal) at(i int) int64 {
	if i < 0 || i >= d.n {
		return 0
	}
	return int64(d.digits[i] - '0')
}

// number is the n digits from place i on.
func (d *decimal) number(i, n int) (v int64) {
	for ; n > 0; n-- {
		v = v*10 + d.at(i)
		i++
	}
	return v
}

// add takes one more digit. Digits that no nanosecond depends on are dropped.
func (d *decimal) add(c byte) {
	if d.n == 0 && c == '0' {
		d.point--
		return
	}
	if d.n < len(d.digits) {
		d.digits[d.n] = c
		d.n++
	}
}

// parseDecimal reads a number as JSON spells it. Leading zeros are tolerated,
// as strings have them.
func parseDecimal(s []byte) (d decimal, ok bool) {
	d.negative = len(s) > 0 && s[0] == '-'
	if d.negative {
		s = s[1:]
	}
	end := digits(s, 0)
	if end == 0 {
		return d, false
	}
	d.point = end
	for _, c := range s[:end] {
		d.add(c)
	}
	if s = s[end:]; len(s) > 0 && s[0] == '.' {
		if end = digits(s, 1); end == 1 {
			return d, false
		}
		for _, c := range s[1:end] {
			d.add(c)
		}
		s = s[end:]
	}
	exp, ok := parseExponent(s)
	d.point += exp
	return d, ok
}

// parseExponent reads the exponent of a number, up to 99 either way.
func parseExponent(s []byte) (int, bool) {
	if len(s) == 0 {
		return 0, true
	}
	if s[0]|0x20 != 'e' {
		return 0, false
	}
	s = s[1:]
	negative := len(s) > 0 && s[0] == '-'
	if negative || len(s) > 0 && s[0] == '+' {
		s = s[1:]
	}
	for len(s) > 2 && s[0] == '0' {
		s = s[1:]
	}
	exp, ok := atoi(s)
	if negative {
		exp = -exp
	}
	return exp, ok && len(s) <= 2
}

// parseUnix reads a number of seconds or smaller units since 1970.
func parseUnix(s []byte) (time.Time, bool) {
	d, ok := parseDecimal(s)
	if !ok || d.point > 19 {
		return time.Time{}, false
	}
	seconds := d.point // how many digits count whole seconds
	switch {
	case d.point > 17:
		seconds -= 9
	case d.point > 14:
		seconds -= 6
	case d.point > 11:
		seconds -= 3
	}
	sec, nsec := d.number(0, seconds), d.number(seconds, 9)
	if d.negative {
		sec, nsec = -sec, -nsec
	}
	return time.Unix(sec, nsec).UTC(), true
}

// atoi reads a number of decimal digits and nothing else. What it is given is
// either short enough not to overflow or refused for its length.
func atoi(s []byte) (n int, ok bool) {
	for _, c := range s {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(s) > 0
}
