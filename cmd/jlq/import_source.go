package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// importSource is what is imported: the lines that the file has now.
type importSource struct {
	c    *importCommand
	path string
	file vfs.File
	size int64
}

// check looks at every record before one is stored.
func (s *importSource) check(ctx context.Context) error {
	check := jsonl.CheckStrict
	if s.c.kind() == partition.Frame {
		check = jsonl.CheckFrame
	}
	bar := s.c.startProgress("check " + s.path)
	defer bar.finish()
	var n, bad uint64
	var first error
	end := int64(0)
	err := s.each(ctx, func(record []byte, at int64) error {
		end = at
		bar.set(at, s.size)
		if err := check(record, int(s.c.max)); err != nil {
			if bad++; bad == 1 {
				first = fmt.Errorf("%s: record %d: %w", s.path, n, err)
			}
		}
		n++
		return nil
	})
	if err != nil {
		return err
	}
	if bad > 0 {
		return s.refuse(first, bad, n)
	}
	if end < s.size {
		s.c.report("%s: left out: %d bytes without a newline at the end, which a writer that died leaves", s.path, s.size-end)
	}
	return nil
}

func (s *importSource) refuse(first error, bad, n uint64) error {
	s.c.report("%v", first)
	s.c.report("nothing is imported: %d of %s cannot be stored like that", bad, recordsText(n))
	if !s.c.wrap {
		s.c.hint("--wrap stores each record as a JSON string; --validate frame stores lines as they are, unless they are empty or hold NUL bytes")
	}
	return silent(exitInvalid)
}

// each yields the whole lines as they are stored, and where each ends.
func (s *importSource) each(ctx context.Context, do func(record []byte, end int64) error) error {
	lines := bufio.NewScanner(io.NewSectionReader(s.file, 0, s.size))
	lines.Buffer(nil, int(s.c.max)+2)
	lines.Split(wholeLines)
	end := int64(0)
	for n := uint64(0); lines.Scan(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		end += int64(len(lines.Bytes())) + 1
		record, err := s.stored(lines.Bytes())
		if err != nil {
			return fmt.Errorf("%s: record %d: %w", s.path, n, err)
		}
		if err := do(record, end); err != nil {
			return err
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("%w: the line is longer than %d bytes; --max-record sets the limit", jsonl.ErrTooLarge, int(s.c.max))
	}
	if err != nil {
		return fmt.Errorf("%s: at byte %d: %w", s.path, end, err)
	}
	return nil
}

// stored is a line as the log gets it.
func (s *importSource) stored(line []byte) ([]byte, error) {
	if !s.c.wrap {
		return line, nil
	}
	if !utf8.Valid(line) {
		return nil, errors.New("is not UTF-8, so no JSON string holds it; --validate frame stores it as it is")
	}
	return jsonl.Marshal(string(line))
}

// wholeLines splits at newlines and keeps all before them, a CR too. What has
// none is not a line.
func wholeLines(data []byte, _ bool) (advance int, line []byte, err error) {
	i := bytes.IndexByte(data, '\n')
	if i < 0 {
		return 0, nil, nil
	}
	return i + 1, data[:i], nil
}
