package filter

import (
	"bytes"
	"cmp"
	"slices"

	"example.com/jlq/internal/jsonl"
)

// kind is the type of a value. Values of different kinds are ordered by it, as
// in jq.
type kind uint8

const (
	kindNull kind = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

// kindOf returns the kind of a value by its first byte. One that is missing is
// null.
func kindOf(raw []byte) kind {
	if len(raw) == 0 {
		return kindNull
	}
	switch raw[0] {
	case 'n':
		return kindNull
	case 'f':
		return kindFalse
	case 't':
		return kindTrue
	case '"':
		return kindString
	case '[':
		return kindArray
	case '{':
		return kindObject
	}
	return kindNumber
}

// inside is the spelling of a string without its quotes.
func inside(raw []byte) []byte { return raw[1:max(len(raw)-1, 1)] }

// compareValues compares two JSON values, which were checked. Nesting is bounded
// by that check.
func compareValues(a, b []byte) int {
	k := kindOf(a)
	if c := cmp.Compare(k, kindOf(b)); c != 0 {
		return c
	}
	switch k {
	case kindNumber:
		return compareNumbers(a, b)
	case kindString:
		return compareStrings(inside(a), inside(b))
	case kindArray:
		return compareArrays(a, b)
	case kindObject:
		return compareObjects(a, b)
	}
	return 0
}

// compareStrings compares by what the spellings stand for. The order of UTF-8
// is that of code points.
func compareStrings(a, b []byte) int {
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return bytes.Compare(a, b)
	}
	var x, y [128]byte
	return bytes.Compare(jsonl.AppendUnescaped(x[:0], a), jsonl.AppendUnescaped(y[:0], b))
}

func compareArrays(a, b []byte) int {
	return slices.CompareFunc(elementsOf(a), elementsOf(b), compareValues)
}

// compareObjects compares the sorted keys first, and then the values in the
// order of the keys.
func compareObjects(a, b []byte) int {
	x, y := membersOf(a), membersOf(b)
	byKey := func(m, n member) int { return cmp.Compare(m.key, n.key) }
	if c := slices.CompareFunc(x, y, byKey); c != 0 {
		return c
	}
	return slices.CompareFunc(x, y, func(m, n member) int { return compareValues(m.value, n.value) })
}

// elementsOf returns the elements of an array.
func elementsOf(raw []byte) (out [][]byte) {
	for i := jsonl.SkipSpace(raw, 1); i < len(raw) && jsonl.BeginsValue(raw[i]); {
		end := jsonl.SkipValue(raw, i)
		out = append(out, raw[i:end:end])
		if i = jsonl.SkipSpace(raw, end); i < len(raw) {
			i = jsonl.SkipSpace(raw, i+1) // the comma
		}
	}
	return out
}

type member struct {
	key   string
	value []byte
	place int
}

// membersOf returns the members of an object sorted by key. Of those with the
// same key, the last one counts.
func membersOf(raw []byte) []member {
	var all []member
	for i := jsonl.SkipSpace(raw, 1); i < len(raw) && raw[i] == '"'; {
		stop := jsonl.SkipString(raw, i)
		key := string(jsonl.AppendUnescaped(nil, inside(raw[i:stop])))
		start := jsonl.SkipSpace(raw, stop)
		if start = jsonl.SkipSpace(raw, min(start+1, len(raw))); start == len(raw) {
			break
		}
		end := jsonl.SkipValue(raw, start)
		all = append(all, member{key, raw[start:end:end], len(all)})
		if i = jsonl.SkipSpace(raw, end); i < len(raw) {
			i = jsonl.SkipSpace(raw, i+1)
		}
	}
	slices.SortFunc(all, func(m, n member) int {
		return cmp.Or(cmp.Compare(m.key, n.key), cmp.Compare(n.place, m.place))
	})
	return slices.CompactFunc(all, func(m, n member) bool { return m.key == n.key })
}
