package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// places are what get is asked for, one after the other.
type places struct {
	given []offsets      // those that are there
	lines <-chan askLine // where more come from; nil for none
	now   func() time.Time
	line  int
}

// askLine is a line of stdin, or the error that it ended with.
type askLine struct {
	text string
	err  error
}

// placesOf are those of arguments.
func placesOf(args []string, now time.Time) (*places, error) {
	p := &places{}
	for _, arg := range args {
		o, err := parseLocation(arg, now)
		if err != nil {
			return nil, &usageError{err: err}
		}
		p.given = append(p.given, o)
	}
	return p, nil
}

// placesFrom are those of lines, as they come. They are read by a goroutine, which
// ends with them, or with ctx once a read that is under way returns.
func placesFrom(ctx context.Context, r io.Reader, now func() time.Time) *places {
	lines := make(chan askLine, 1024)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(r)
		for in.Scan() {
			select {
			case lines <- askLine{text: in.Text()}:
			case <-ctx.Done():
				return
			}
		}
		if in.Err() != nil {
			lines <- askLine{err: in.Err()}
		}
	}()
	return &places{lines: lines, now: now}
}

// peek is the next place.
func (p *places) peek(ctx context.Context) (o offsets, more bool, err error) {
	for len(p.given) == 0 && p.lines != nil {
		select {
		case line, more := <-p.lines:
			if !more {
				p.lines = nil
				continue
			}
			if err := p.parse(line); err != nil {
				return offsets{}, false, err
			}
		case <-ctx.Done():
			return offsets{}, false, context.Cause(ctx)
		}
	}
	if len(p.given) == 0 {
		return offsets{}, false, nil
	}
	return p.given[0], true, nil
}

// take goes on behind the next place.
func (p *places) take() { p.given = p.given[1:] }

// parse takes a line, unless it is blank.
func (p *places) parse(line askLine) error {
	p.line++
	if errors.Is(line.err, bufio.ErrTooLong) {
		return usagef("stdin:%d: is no offset: longer than %d bytes", p.line, bufio.MaxScanTokenSize)
	}
	if line.err != nil {
		return fmt.Errorf("stdin: %w", line.err)
	}
	text, _, _ := strings.Cut(line.text, "\t")
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	o, err := parseLocation(text, p.now())
	if err != nil {
		return &usageError{err: fmt.Errorf("stdin:%d: %w", p.line, err)}
	}
	p.given = append(p.given[:0], o)
	return nil
}

// sameLog reports whether two places lie in the same log.
func (o offsets) sameLog(other offsets) bool {
	if o.in == nil || other.in == nil {
		return o.in == other.in
	}
	return *o.in == *other.in
}
