package main

import (
	"strconv"
	"strings"
)

// words takes a line apart. The first error stays.
type words struct {
	line string
	err  error
}

func (w *words) text() (word string) {
	word, w.line, _ = strings.Cut(w.line, " ")
	return word
}

func (w *words) number() uint64 {
	v, err := strconv.ParseUint(w.text(), 10, 64)
	if w.err == nil {
		w.err = err
	}
	return v
}
