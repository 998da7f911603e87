package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// faults decide which operations fail.
type faults struct {
	mu     sync.Mutex
	rules  []*rule
	failed int
}

// rule lets operations of one kind fail.
type rule struct {
	op   string
	left int // how many more; negative is all
	text []byte
}

// hit reports whether an operation on data fails, and counts it.
func (f *faults) hit(op string, data []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.rules {
		if r.op != op || r.left == 0 || !bytes.Contains(data, r.text) {
			continue
		}
		r.left--
		f.failed++
		return true
	}
	return false
}

// command obeys one line.
func (f *faults) command(line string) (answer string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	words := strings.SplitN(line, " ", 4)
	switch words[0] {
	case "heal":
		f.rules = nil
	case "failed":
		return fmt.Sprintf("ok %d", f.failed), nil
	case "fail":
		r, err := parseRule(words[1:])
		if err != nil {
			return "", err
		}
		f.rules = append(f.rules, r)
	default:
		return "", fmt.Errorf("%q: no such command", line)
	}
	return "ok", nil
}

// parseRule reads OP N [TEXT]; TEXT is a quoted Go string.
func parseRule(words []string) (*rule, error) {
	if len(words) < 2 {
		return nil, errors.New("fail needs an operation and a number")
	}
	r := &rule{op: words[0]}
	if r.op != "read" && r.op != "write" && r.op != "sync" {
		return nil, fmt.Errorf("%q: no such operation", r.op)
	}
	var err error
	if r.left, err = strconv.Atoi(words[1]); err != nil {
		return nil, err
	}
	if len(words) < 3 {
		return r, nil
	}
	text, err := strconv.Unquote(words[2])
	r.text = []byte(text)
	return r, err
}

// endIsFine is err, but for the end of the image.
func endIsFine(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
