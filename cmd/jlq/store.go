package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

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
