package format

import "bytes"

// class is what kind of token stands in JSON.
type class uint8

const (
	plainText class = iota // white space and punctuation
	keyText
	stringText
	numberText
	wordText // true, false, null
	metaText // offsets, ids, names of loggers
	timeText
	messageText
	infoText
	warnText
	errorText
	colorOff
)

// Palette holds the control sequence that begins each class; an empty one
// colours nothing.
type Palette [colorOff + 1]string

// Colors are readable on black and on white.
var Colors = Palette{
	keyText:     "\x1b[34m",
	stringText:  "\x1b[32m",
	numberText:  "\x1b[36m",
	wordText:    "\x1b[35m",
	metaText:    "\x1b[90m",
	timeText:    "\x1b[90m",
	messageText: "\x1b[1m",
	infoText:    "\x1b[32m",
	warnText:    "\x1b[33m",
	errorText:   "\x1b[1;31m",
	colorOff:    "\x1b[0m",
}

// off is what ends a class, where something began it.
func (p *Palette) off(c class) string {
	if p[c] == "" {
		return ""
	}
	return p[colorOff]
}

// AppendColored appends valid JSON of one or more lines as a terminal may
// have it: with these colours, and everything else that would act on the
// terminal escaped.
func AppendColored(dst, src []byte, p Palette) []byte {
	for len(src) > 0 {
		n, class := token(src)
		if class == plainText {
			dst = append(dst, src[:n]...)
		} else {
			dst = append(dst, p[class]...)
			dst = AppendVisible(dst, src[:n])
			dst = append(dst, p[colorOff]...)
		}
		src = src[n:]
	}
	return dst
}

// token measures and classifies what src begins with.
func token(src []byte) (int, class) {
	switch c := src[0]; {
	case c == '"':
		n := stringEnd(src)
		if bytes.HasPrefix(bytes.TrimLeft(src[n:], " \n"), []byte{':'}) {
			return n, keyText
		}
		return n, stringText
	case c == ' ' || c == '\n' || bytes.IndexByte([]byte("{}[]:,"), c) >= 0:
		return 1, plainText
	case c == '-' || c >= '0' && c <= '9':
		return wordEnd(src), numberText
	}
	return wordEnd(src), wordText
}

// stringEnd is the length of the string that src begins with.
func stringEnd(src []byte) int {
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// wordEnd is the length of the number or word that src begins with.
func wordEnd(src []byte) int {
	for i, c := range src {
		if i > 0 && bytes.IndexByte([]byte(" \t\r\n,:{}[]\""), c) >= 0 {
			return i
		}
	}
	return len(src)
}
