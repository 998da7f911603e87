package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"example.com/jlq/partition"
)

// store puts the items of inputs into a log.
type store struct {
	app     *app
	p       *partition.Partition   // nil of a topic
	topic   *topicSink             // nil of anything else
	logs    []*partition.Partition // all that is appended to
	path    string
	bad     badLines
	check   partition.Validate
	compact bool
	ack     bool
	max     int

	conditional bool // the next record must get offset expect
	expect      uint64

	shared bool // others append as well

	first, stored uint64 // what is stored: so many records from the first on
	next          uint64 // the offset behind the last of them: others may lie in between
	batch         [][]byte
}

// all takes in every file, closes the log and tells what is stored.
func (s *store) all(ctx context.Context, c *appendCommand, files []string) error {
	err := s.begin(c)
	for _, name := range files {
		if err != nil {
			break
		}
		err = s.file(ctx, name)
	}
	closed, bad := s.close(), s.bad.close()
	for _, late := range []error{closed, bad} {
		switch {
		case err == nil:
			err = late
		case late != nil && !errors.Is(err, partition.ErrPoisoned):
			// What could not be made durable outranks what ended the input.
			s.app.complain(err)
			err = late
		}
	}
	s.app.complain(err)
	s.tell()
	if err != nil {
		return silent(exitCode(err))
	}
	return nil
}

func (s *store) begin(c *appendCommand) (err error) {
	s.bad = badLines{app: s.app, policy: c.onBad}
	if s.expect, s.conditional, err = c.expected(); err != nil {
		return err
	}
	if f, ok := s.app.out.raw.(*os.File); ok {
		if err := s.refuseOwn("stdout", f); err != nil {
			return err
		}
	}
	return s.bad.open(s)
}

// tell says what is stored, and what was not.
func (s *store) tell() {
	s.bad.tell()
	for _, p := range s.logs {
		defer s.tellDropped(p)
	}
	if s.topic != nil {
		s.topic.tell(s)
		return
	}
	switch s.stored {
	case 0:
		s.app.report("%s: 0 records stored", s.path)
	case 1:
		s.app.report("%s: 1 record stored, offset %d", s.path, s.first)
	case s.next - s.first:
		s.app.report("%s: %d records stored, offsets %d to %d", s.path, s.stored, s.first, s.next-1)
	default:
		s.app.report("%s: %d records stored, at offsets between %d and %d, among others", s.path, s.stored, s.first, s.next-1)
	}
}

// tellDropped says what --keep-records and the like dropped.
func (s *store) tellDropped(p *partition.Partition) {
	if r := p.Stats().Retention; r.Segments > 0 {
		s.app.report("%s: dropped %s with %s (%s), as the limits say", p.Path(), countText(r.Segments, "segment"), recordsText(r.Records), bytesText(r.Bytes))
	}
	s.tellHeld(p)
}

// tellHeld says what the limits would have dropped, and who lost records.
func (s *store) tellHeld(p *partition.Partition) {
	r := p.Stats().Retention
	for _, h := range r.Held {
		s.app.report("%s: segments stay beyond the limits: %s needs offset %d", p.Path(), h.Name, h.Offset)
	}
	if r.Lost > 0 {
		s.app.report("%s: %s of what was dropped were still needed by a group", p.Path(), recordsText(r.Lost))
	}
	if r.Error != "" {
		s.app.report("%s: segments stay beyond the limits: %s", p.Path(), r.Error)
	}
}

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

// items stores a batch, and does with bad records what --on-bad says.
func (s *store) items(in *input, items []item) error {
	for len(items) > 0 {
		good := 0
		for good < len(items) && items[good].err == nil && !items[good].rest {
			good++
		}
		n, err := s.append(items[:good])
		items = items[n:]
		if err != nil && !refused(err) {
			return err
		}
		if err != nil {
			if !s.mark(items[:good-n]) {
				return err
			}
			continue
		}
		if len(items) > 0 {
			if err := s.bad.take(in, items[0]); err != nil {
				return err
			}
			items = items[1:]
		}
	}
	return nil
}

// mark finds the bad ones among items that the log refused as a batch.
func (s *store) mark(items []item) (found bool) {
	for i := range items {
		items[i].err = s.check.Check(items[i].data, s.max)
		found = found || items[i].err != nil
	}
	return found
}

// append stores records that are good as far as is known, and returns how
// many of them are stored.
func (s *store) append(items []item) (int, error) {
	if len(items) == 0 {
		return 0, nil
	}
	if s.topic != nil {
		n, err := s.topic.append(s, items)
		s.stored += uint64(n)
		return n, err
	}
	s.batch = s.batch[:0]
	for _, it := range items {
		s.batch = append(s.batch, it.data)
	}
	first, n, err := s.appendBatch()
	if n > 0 {
		if s.stored == 0 {
			s.first = first
		}
		s.stored += uint64(n)
		s.next = first + uint64(n)
		s.expect = s.next
		s.conditional = s.conditional && !s.shared // the next may be another's
		if ackErr := s.acknowledge(first, n); err == nil {
			err = ackErr
		}
	}
	return n, err
}

func (s *store) appendBatch() (first uint64, n int, err error) {
	if s.conditional {
		first = s.expect
		err = s.p.AppendAt(s.expect, s.batch...)
	} else {
		first, err = s.p.AppendBatch(s.batch)
	}
	if err == nil {
		return first, len(s.batch), nil
	}
	part, ok := errors.AsType[*partition.BatchError](err)
	if !ok {
		return first, 0, err
	}
	if part.Unknown {
		return part.First, part.Stored, fmt.Errorf("%w; whether more is stored will be known when the log is opened again", part.Err)
	}
	return part.First, part.Stored, part.Err
}

// acknowledge prints offsets, and at once: whoever waits for them has to
// wait no longer.
func (s *store) acknowledge(first uint64, n int) error {
	if !s.ack {
		return nil
	}
	var line []byte
	for offset := first; offset < first+uint64(n); offset++ {
		line = strconv.AppendUint(line[:0], offset, 10)
		if err := s.app.out.WriteLine(line, "\n"); err != nil {
			return err
		}
	}
	return s.app.out.Flush()
}
