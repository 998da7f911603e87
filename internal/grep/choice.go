package grep

import "example.com/jlq/internal/rare"

// Which texts are worth looking for, and by which byte, depends on the lines: in
// one log each line has "level" in it, in another a q is in none. So a search
// looks at the beginning of the first block, and again now and then.

const (
	sampleBytes  = 32 << 10
	choiceHolds  = 32 << 20 // bytes
	perByte      = 1        // what it costs to look at one byte among many for another
	perPlace     = 800      // to stop at one
	perLine      = 3000     // to look at a line with the table
	perWalked    = 25       // to take one byte through the table
	perByteIndex = 10       // to look at one byte for a whole text
)

// choose chooses among sets of texts by a sample of lines. It may choose none,
// unless the text is all there is to look for.
func (s *search) choose(block []byte) {
	sample := block[:min(len(block), sampleBytes)]
	var seen [256]int
	for _, c := range sample {
		seen[c]++
	}
	best := perWalked * len(sample)
	s.texts = s.texts[:0]
	for i, set := range s.m.needs {
		texts := append([]text(nil), set...)
		cost := 0
		for j := range texts {
			cost += texts[j].anchor(&seen, len(sample))
		}
		if !s.m.whole {
			cost += perLine * s.linesWith(texts, sample)
		}
		if cost < best || s.m.whole && i == 0 {
			best, s.texts = cost, texts
		}
	}
	s.chosen = true
	s.common = rare.Tally{}
}

// anchor chooses the byte of the text that is rarest in a sample of so many bytes,
// of which each was seen so often, and returns the cost of looking for it.
func (t *text) anchor(seen *[256]int, size int) (cost int) {
	best := -1
	for i := range len(t.text) {
		c := t.text[i]
		n := 16*seen[c] + 15 - rare.Rank(c)/4 // what was not seen differs, too
		if t.fold && c >= 'a' && c <= 'z' {
			n += 16 * seen[c-'a'+'A']
		}
		if t.anchors(i) && (best < 0 || n < best) {
			best, t.at = n, i
		}
	}
	cost = perByte*size + perPlace*best/16
	if !t.fold && cost > perByteIndex*size {
		cost, t.at = perByteIndex*size, -1
	}
	return cost
}

// linesWith counts the lines of a sample in which one of texts may be.
func (s *search) linesWith(texts []text, sample []byte) (n int) {
	s.hunt.begin(texts, sample)
	for at := 0; at < len(sample); n++ {
		hit, _ := s.hunt.from(at)
		if hit >= len(sample) {
			return n
		}
		at = lineEnd(sample, hit)
	}
	return n
}
