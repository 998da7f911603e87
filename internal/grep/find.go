package grep

import "unicode/utf8"

// Find calls each with the matches in a line, without its newline, as long as it
// returns true: leftmost ones that do not overlap, of which alternatives that
// stand first win. Empty ones are left out.
func (m *Matcher) Find(line []byte, each func(start, end int) bool) {
	if m.never {
		return
	}
	if m.word {
		m.findWords(line, each)
		return
	}
	for _, at := range m.re.FindAllIndex(line, -1) {
		if at[0] < at[1] && !each(at[0], at[1]) {
			return
		}
	}
}

// findWords is Find for whole words. The expression takes what stands before and
// behind, so that the next match is looked for from the last character of the
// one before on.
func (m *Matcher) findWords(line []byte, each func(start, end int) bool) {
	from := 0
	for at := m.re.FindSubmatchIndex(line); at != nil; at = m.rest.FindSubmatchIndex(line[from:]) {
		start, end := from+at[2], from+at[3]
		from = end
		if start == end {
			continue
		}
		if !each(start, end) {
			return
		}
		_, size := utf8.DecodeLastRune(line[start:end])
		from -= size
	}
}
