package filter

import "example.com/jlq/internal/rare"

// anchored is a text that is looked for by its rarest byte.
type anchored struct {
	text string
	at   int // place of the rarest byte
}

func anchor(text string) anchored {
	a := anchored{text: text}
	for i := range len(text) {
		if rare.Rank(text[i]) > rare.Rank(text[a.at]) {
			a.at = i
		}
	}
	return a
}

// index returns the first place of the text from i on, or the end of data.
func (a *anchored) index(data []byte, i int) int { return rare.Index(data, a.text, a.at, i) }
