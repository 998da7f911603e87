package grep

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"example.com/jlq/internal/rare"
)

// hunt looks through one block for texts. It remembers where each byte that it
// looks for is next, so that a rare one is not looked for again and again.
type hunt struct {
	texts []text
	block []byte
	spots [maxNeeds]spot
	odd   int // where a byte is that is not ASCII, once it was looked for from before there
}

// spot is what is known of one text in the block.
type spot struct {
	next  int // where the text is next, once it was looked for from before there
	sure  bool
	lower int // where its byte is next, in lower case or in its only one
	upper int // and in upper case
}

func (h *hunt) begin(texts []text, block []byte) {
	h.texts, h.block, h.odd = texts, block, -1
	for i := range texts {
		h.spots[i] = spot{next: -1, lower: -1, upper: -1}
	}
}

// from returns the first place from at on where one of the texts is, or may be,
// or the end of the block. It is asked in order.
func (h *hunt) from(at int) (place int, sure bool) {
	place = len(h.block)
	for i := range h.texts {
		s := &h.spots[i]
		if s.next < at {
			if h.texts[i].fold {
				h.folded(&h.texts[i], s, at)
			} else {
				h.exact(&h.texts[i], s, at)
			}
		}
		if s.next < place {
			place, sure = s.next, s.sure
		}
	}
	return place, sure
}

// exact looks for a text as it is.
func (h *hunt) exact(t *text, s *spot, from int) {
	s.sure = true
	if t.at < 0 {
		s.next = orEnd(bytes.Index(h.block[from:], []byte(t.text)), from, h.block)
		return
	}
	s.next = rare.Index(h.block, t.text, t.at, from)
}

// folded looks for a text in any case. Where it may be spelt otherwise than in
// ASCII, a place is sure only where it is not.
func (h *hunt) folded(t *text, s *spot, from int) {
	for i := from + t.at; ; i++ {
		if i = h.eitherCase(t.text[t.at], s, i); i >= len(h.block) {
			s.next = len(h.block)
			return
		}
		start := i - t.at
		if equalFold(h.block[start:], t.text) {
			s.next, s.sure = start, true
			return
		}
		if t.odd && h.nearOdd(t, i) {
			s.next, s.sure = i, false
			return
		}
	}
}

// eitherCase returns the next place of a byte in lower or upper case, from i on.
func (h *hunt) eitherCase(c byte, s *spot, i int) int {
	if i >= len(h.block) {
		return i
	}
	if s.lower < i {
		s.lower = orEnd(bytes.IndexByte(h.block[i:], c), i, h.block)
	}
	if c < 'a' || c > 'z' {
		return s.lower
	}
	if s.upper < i {
		s.upper = orEnd(bytes.IndexByte(h.block[i:], c-'a'+'A'), i, h.block)
	}
	return min(s.lower, s.upper)
}

// nearOdd reports whether there are bytes that are not ASCII so near to place i
// that they may belong to the text.
func (h *hunt) nearOdd(t *text, i int) bool {
	reach := utf8.UTFMax * len(t.text)
	if before := max(0, i-reach); h.odd < before {
		h.odd = notASCII(h.block, before)
	}
	return h.odd < i+reach && h.odd < len(h.block)
}

// notASCII returns the place of the first byte that is not ASCII from i on, or
// the end of the block.
func notASCII(block []byte, i int) int {
	for ; i+8 <= len(block); i += 8 {
		if binary.LittleEndian.Uint64(block[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(block) && block[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// equalFold reports whether data begins with text, which is in lower case, in
// any case; as far as it is ASCII.
func equalFold(data []byte, text string) bool {
	if len(data) < len(text) {
		return false
	}
	for i := range len(text) {
		c := data[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// orEnd is the place i behind at, or the end of the block where i is none.
func orEnd(i, at int, block []byte) int {
	if i < 0 {
		return len(block)
	}
	return at + i
}
