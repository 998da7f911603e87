package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// file takes in one input.
func (s *store) file(ctx context.Context, name string) error {
	f, label, err := s.open(name)
	if err != nil {
		return err
	}
	if c, ok := f.(io.Closer); ok && name != "-" {
		defer c.Close() // it was only read
	}
	bar := s.app.startProgress("append " + label)
	defer bar.finish()
	counted := &countingReader{r: f}
	in := newInput(ctx, label, &unpacker{raw: counted}, s.compact, s.max)
	size, isFile := regularSize(f)
	in.patient = isFile
	return s.input(ctx, in, func() { bar.set(counted.n.Load(), size) })
}

// open opens an input; label is its name in messages.
func (s *store) open(name string) (r io.Reader, label string, err error) {
	r, label = s.app.stdin, "stdin"
	if name != "-" {
		label = name
		if r, err = os.Open(name); err != nil {
			return nil, "", err
		}
	}
	if f, ok := r.(*os.File); ok {
		if isTerminal(f) {
			s.app.report("reading records from the terminal; end with Ctrl-D")
		}
		if err := s.refuseOwn(label, f); err != nil {
			return nil, "", err
		}
	}
	return r, label, nil
}

// regularSize is the size of a regular file. What is read from one never
// pauses.
func regularSize(r io.Reader) (size int64, ok bool) {
	f, ok := r.(*os.File)
	if !ok {
		return -1, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1, false
	}
	return info.Size(), true
}

// countingReader counts what was read, for the progress bar.
type countingReader struct {
	r io.Reader
	n atomic.Int64
}

// Read implements [io.Reader].
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// input stores what one input holds.
func (s *store) input(ctx context.Context, in *input, progress func()) error {
	for {
		items, err := in.next(ctx)
		if in.takeMark() {
			s.app.report("%s: the byte order mark at its beginning was left out", in.name)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.brokenOff(in, err)
		}
		if err := s.items(in, items); err != nil {
			return err
		}
		progress()
	}
}

// brokenOff tells what an interruption, or an archive that is cut short,
// leaves behind.
func (s *store) brokenOff(in *input, err error) error {
	if n := in.unfinished(); n > 0 {
		s.app.report("%s:%d: the last %d bytes were read without a newline and not stored", in.name, in.line, n)
	}
	if _, ok := errors.AsType[signalError](err); ok {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the archive is cut short (%w)", err)
	}
	return fmt.Errorf("%s:%d: %w", in.name, in.line, err)
}
