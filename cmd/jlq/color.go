package main

import (
	"bytes"
	"os"
	"runtime"
)

// class is what kind of token stands in JSON.
type class uint8

const (
	plainText class = iota // white space and punctuation
	keyText
	stringText
	numberText
	wordText // true, false, null
	colorOff
)

// palette holds the control sequence that begins each class; an empty one
// colours nothing.
type palette [colorOff + 1]string

// colors are readable on black and on white.
var colors = palette{
	keyText:    "\x1b[34m",
	stringText: "\x1b[32m",
	numberText: "\x1b[36m",
	wordText:   "\x1b[35m",
	colorOff:   "\x1b[0m",
}

// terminalPalette is the one for a terminal, as the user wants it.
func terminalPalette() palette {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" {
		return palette{}
	}
	return colors
}

// appendColored appends valid JSON of one or more lines as a terminal may
// have it: with these colours, and everything else that would act on the
// terminal escaped.
func appendColored(dst, src []byte, p palette) []byte {
	for len(src) > 0 {
		n, class := token(src)
		if class == plainText {
			dst = append(dst, src[:n]...)
		} else {
			dst = append(dst, p[class]...)
			dst = appendVisible(dst, src[:n])
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
		if i > 0 && (endsScalar(c) || c == ':') {
			return i
		}
	}
	return len(src)
}
