package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"example.com/jlq/internal/jsonl"
)

// badLines does with invalid lines what --on-bad says.
type badLines struct {
	app    *app
	policy string // fail, skip or the name of a file
	file   *os.File
	count  uint64
}

// open opens the file for bad lines, before there are any: it is no time to
// find out that it cannot be written.
func (b *badLines) open(s *store) (err error) {
	if b.policy == "fail" || b.policy == "skip" {
		return nil
	}
	b.file, err = os.OpenFile(b.policy, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		err = s.refuseOwn(b.policy, b.file)
	}
	return err
}

// take deals with one bad line, or with the continuation of one.
func (b *badLines) take(in *input, it item) error {
	if !it.rest {
		b.count++
		err := badLine(in.name, it)
		if b.policy == "fail" {
			return &codeError{exitInvalid, hinted(err, it)}
		}
		if b.count <= badReports {
			b.app.complain(err)
		}
	}
	if b.file == nil {
		return nil
	}
	err := b.keep(it)
	if err != nil {
		b.count-- // it is not set aside, and the input ends here
	}
	return err
}

func (b *badLines) keep(it item) error {
	_, err := b.file.Write(it.raw)
	if err == nil && !it.more && (len(it.raw) == 0 || it.raw[len(it.raw)-1] != '\n') {
		_, err = b.file.Write(newline)
	}
	return err
}

// hinted adds to the refusal of the first line of pretty-printed JSON what was
// wanted, to that of a blank line how it is left out, and to that of text how it
// becomes JSON.
func hinted(err error, it item) error {
	syntax, ok := errors.AsType[*jsonl.SyntaxError](it.err)
	switch {
	case !ok:
		return err
	case strings.HasPrefix(syntax.Reason, "unexpected end"):
		return &usageError{err: err, hint: "--compact stores JSON of several lines"}
	case errors.Is(it.err, jsonl.ErrEmpty):
		return &usageError{err: err, hint: "--on-bad skip leaves blank lines out"}
	case looksLikeText(it.raw):
		return &usageError{err: err, hint: "a record is one JSON value on a line; jq -R . makes a JSON string of each line of text"}
	}
	return err
}

// looksLikeText reports whether a line that is no JSON does not even begin as
// an object, an array or a string would.
func looksLikeText(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && !bytes.ContainsRune([]byte("{[\""), rune(line[0]))
}

// badLine says what is wrong with a line, and shows where.
func badLine(name string, it item) error {
	pos, reason := 0, it.err.Error()
	syntax, ok := errors.AsType[*jsonl.SyntaxError](it.err)
	if ok {
		pos, reason = syntax.Position, syntax.Reason
	}
	s := spotAt(it.raw, pos)
	if errors.Is(it.err, jsonl.ErrEmpty) {
		return fmt.Errorf("%s:%d: blank line", name, it.line)
	}
	if !ok {
		return fmt.Errorf("%s:%d: %s\n%s", name, it.line+s.line, reason, s.excerpt())
	}
	return fmt.Errorf("%s:%d: %s, column %d\n%s", name, it.line+s.line, reason, s.column, s.excerpt())
}

func (b *badLines) tell() {
	switch {
	case b.count == 0 || b.policy == "fail":
	case b.file == nil:
		b.app.report("%s skipped", countText(b.count, "invalid line"))
	default:
		b.app.report("%s set aside in %s", countText(b.count, "invalid line"), b.policy)
	}
}

// close makes the bad lines as durable as the good ones.
func (b *badLines) close() error {
	if b.file == nil {
		return nil
	}
	var synced error
	if info, err := b.file.Stat(); err == nil && info.Mode().IsRegular() {
		synced = b.file.Sync()
	}
	if err := b.file.Close(); synced == nil {
		return err
	}
	return synced
}
