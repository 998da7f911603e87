package filter

import "bytes"

// anchored is a text that is looked for by its rarest byte. In JSON this is
// several times as fast as bytes.Index for a key, which begins with a quote, as
// so much else does.
type anchored struct {
	text string
	at   int // place of the rarest byte
}

func anchor(text string) anchored {
	a := anchored{text: text}
	for i := range len(text) {
		if rarity[text[i]] > rarity[text[a.at]] {
			a.at = i
		}
	}
	return a
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

// index returns the first place of the text from i on, or the end of data.
func (a *anchored) index(data []byte, i int) int {
	rare := a.text[a.at]
	for i += a.at; i < len(data); i++ {
		n := bytes.IndexByte(data[i:], rare)
		if n < 0 {
			break
		}
		i += n
		start := i - a.at
		if len(data)-start >= len(a.text) && string(data[start:start+len(a.text)]) == a.text {
			return start
		}
	}
	return len(data)
}
