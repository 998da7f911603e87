package grep

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNeeds bounds how many texts are looked for in a block at a time.
const maxNeeds = 4

// text is what a match holds.
type text struct {
	text string // with fold: in lower case, as far as it is ASCII
	fold bool   // in any case
	odd  bool   // with fold: it may also be spelt with bytes that are not ASCII, or is not ASCII
	at   int    // the byte that is looked for, or -1 for all of them at once
}

// needs returns sets of texts: one of each set is in everything that re matches.
// There is none where nothing is known. whole says that there is one set, and that
// each text of it is a match.
func needs(re *syntax.Regexp) (sets [][]text, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if t, ok := literal(re); ok {
			return [][]text{{t}}, true
		}
	case syntax.OpCapture:
		return needs(re.Sub[0])
	case syntax.OpPlus:
		sets, _ = needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			sets, _ = needs(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			some, _ := needs(sub)
			sets = append(sets, some...)
		}
	case syntax.OpAlternate:
		return either(re.Sub)
	}
	return sets[:min(len(sets), maxSets)], false
}

// maxSets bounds how many sets there are to choose from.
const maxSets = 8

// either returns the needs of alternatives: the longest texts of each.
func either(subs []*syntax.Regexp) (sets [][]text, whole bool) {
	var all []text
	whole = true
	for _, sub := range subs {
		some, is := needs(sub)
		if len(some) == 0 {
			return nil, false
		}
		longest := slices.MaxFunc(some, func(a, b []text) int { return cmp.Compare(shortest(a), shortest(b)) })
		if all, whole = append(all, longest...), whole && is; len(all) > maxNeeds {
			return nil, false
		}
	}
	return [][]text{all}, whole
}

func shortest(texts []text) int {
	least := len(texts[0].text)
	for _, t := range texts {
		least = min(least, len(t.text))
	}
	return least
}

// literal is a text that stands in an expression. Invalid UTF-8 matches U+FFFD,
// so that this is no text; and some byte of it must be the same in any spelling.
func literal(re *syntax.Regexp) (t text, ok bool) {
	t = text{text: string(re.Rune), fold: re.Flags&syntax.FoldCase != 0}
	if strings.ContainsRune(t.text, utf8.RuneError) {
		return t, false
	}
	if t.fold {
		t.text = strings.Map(lowerASCII, t.text)
	}
	for i := range len(t.text) {
		if t.anchors(i) {
			ok = true
		} else {
			t.odd = true
		}
	}
	return t, ok
}

// anchors reports whether byte i is in every spelling of the text, but for its
// case: U+212A and U+017F are a k and an s in any case.
func (t *text) anchors(i int) bool {
	c := t.text[i]
	return !t.fold || c < utf8.RuneSelf && c != 'k' && c != 's'
}

func lowerASCII(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	return r
}
