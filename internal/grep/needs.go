package grep

import (
	"regexp/syntax"
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
	at   int    // the byte that is looked for: the rarest
	rank uint8  // how rare that is
	odd  bool   // with fold: it may also be spelt with bytes that are not ASCII, or is not ASCII
}

// needs returns texts one of which is in everything that re matches, or nil
// where none are known. whole says that each of them is a match.
func needs(re *syntax.Regexp) (texts []text, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCapture:
		return needs(re.Sub[0])
	case syntax.OpPlus:
		texts, _ = needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			texts, _ = needs(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			some, _ := needs(sub)
			texts = better(texts, some)
		}
	case syntax.OpAlternate:
		return either(re.Sub)
	}
	return texts, false
}

// either returns the needs of alternatives.
func either(subs []*syntax.Regexp) (texts []text, whole bool) {
	whole = true
	for _, sub := range subs {
		some, all := needs(sub)
		if some == nil || len(texts)+len(some) > maxNeeds {
			return nil, false
		}
		texts, whole = append(texts, some...), whole && all
	}
	return texts, whole
}

// literal is a text that stands in an expression. Invalid UTF-8 matches U+FFFD,
// so that this is no text.
func literal(re *syntax.Regexp) (texts []text, whole bool) {
	t := text{text: string(re.Rune), fold: re.Flags&syntax.FoldCase != 0, at: -1}
	if strings.ContainsRune(t.text, utf8.RuneError) {
		return nil, false
	}
	if t.fold {
		t.text = strings.Map(lowerASCII, t.text)
	}
	for i := range len(t.text) {
		c := t.text[i]
		if t.fold && (c >= utf8.RuneSelf || c == 'k' || c == 's') {
			t.odd = true // U+212A and U+017F are a k and an s in any case
			continue
		}
		if rank := rarity[c]; t.at < 0 || rank > t.rank {
			t.at, t.rank = i, rank
		}
	}
	if t.at < 0 {
		return nil, false
	}
	return []text{t}, true
}

func lowerASCII(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	return r
}

// better returns the one of two that fewer lines hold, as far as the texts tell.
func better(a, b []text) []text {
	if a == nil || b != nil && worth(b) > worth(a) {
		return b
	}
	return a
}

// worth is how rare texts are: the longer, the rarer, and all of them count.
func worth(texts []text) int {
	least := 1 << 20
	for _, t := range texts {
		w := 8*len(t.text) + int(t.rank)
		if t.fold {
			w /= 2
		}
		least = min(least, w)
	}
	return least / len(texts)
}

// rarity is how seldom a byte comes in logs, by and large: what every line is
// made of, then letters by how often English has them, then all the rest.
var rarity = func() (rank [256]uint8) {
	const common = `"0123456789 :,.-_{}[]etaoinsrhldcumfpgwybvkxjqz`
	for i := range rank {
		rank[i] = uint8(len(common))
	}
	for i := range len(common) {
		rank[common[i]] = uint8(i)
	}
	return rank
}()
