package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/jlq/internal/jsonl"
)

// batchBytes is how much input is gathered, where it comes without a pause,
// before it is stored.
const batchBytes = 1 << 20

// item is one record of an input, as it stood there.
type item struct {
	data []byte // the record
	raw  []byte // what stood in the input, with the newline
	line int    // where raw begins
	err  error  // it is no record, found before the check
	more bool   // raw is too large to be held: it goes on in the next item
	rest bool   // the continuation of such an item
}

// input cuts one source into items. Its memory is bounded by a batch and one
// record, whatever the input holds.
type input struct {
	name    string
	feed    *feed
	split   splitter
	compact bool
	patient bool // a file: waits for a whole batch, there are no pauses
	max     int  // most bytes of raw that are held

	buf   []byte
	at    int // of buf, consumed
	line  int // at buf[at]
	arena []byte
	items []item
	end   error // why there is no more
	begun bool  // the beginning was looked at
	mark  bool  // it was a byte order mark
	huge  bool  // within a record that is too large
	over  bool  // the last item was given
}

func newInput(ctx context.Context, name string, r io.Reader, compact bool, max int) *input {
	in := &input{name: name, feed: startFeed(ctx, r), split: &lineSplitter{}, compact: compact, max: max, line: 1}
	if compact {
		// White space does not count, but it cannot be unlimited.
		in.split, in.max = &valueSplitter{}, 4*max
	}
	return in
}

// next returns what there is: at least one item, at most about a batch. The
// items are valid until the next call. The error is io.EOF at the end, else
// what broke the input off; then bytes without a newline are no record.
func (in *input) next(ctx context.Context) ([]item, error) {
	in.items, in.arena = in.items[:0], in.arena[:0]
	for {
		if in.begin() {
			in.cut()
		}
		if len(in.items) > 0 {
			return in.items, nil
		}
		if in.end != nil {
			return in.final()
		}
		in.fill(ctx)
	}
}

// begin leaves out a byte order mark. ok is false while there is too little
// to tell.
func (in *input) begin() (ok bool) {
	if in.begun {
		return true
	}
	if in.end == nil && len(in.buf) < len(jsonl.BOM) && strings.HasPrefix(jsonl.BOM, string(in.buf)) {
		return false
	}
	in.begun = true
	in.mark = bytes.HasPrefix(in.buf, []byte(jsonl.BOM))
	if in.mark {
		in.at = len(jsonl.BOM)
	}
	return true
}

// takeMark reports, once, that a byte order mark was left out.
func (in *input) takeMark() bool {
	found := in.mark
	in.mark = false
	return found
}

// fill waits for one block and takes what more is there.
func (in *input) fill(ctx context.Context) {
	if in.at > 0 {
		in.buf = append(in.buf[:0], in.buf[in.at:]...)
		in.at = 0
	}
	for wait := true; ; wait = in.patient {
		var ok bool
		in.buf, ok, in.end = in.feed.take(ctx, in.buf, wait)
		if !ok || in.end != nil || len(in.buf) >= batchBytes {
			return
		}
	}
}

// cut moves the whole records of the buffer to items.
func (in *input) cut() {
	for {
		data := in.buf[in.at:]
		skip, size, ok := in.split.next(data)
		if !ok {
			in.cutHuge(data)
			return
		}
		in.add(data[skip:size], in.line+bytes.Count(data[:skip], newline), nil)
		in.consume(size)
	}
}

var newline = []byte{'\n'}

// add makes an item of raw.
func (in *input) add(raw []byte, line int, err error) {
	it := item{data: bytes.TrimSuffix(raw, newline), raw: raw, line: line, err: err, rest: in.huge}
	in.huge = false
	if in.compact && err == nil && !it.rest {
		it.data, it.err = in.join(raw)
	}
	in.items = append(in.items, it)
}

// join brings a value to one line.
func (in *input) join(raw []byte) ([]byte, error) {
	from := len(in.arena)
	out, err := jsonl.Compact(in.arena, raw)
	if err != nil {
		return raw, err
	}
	// Where the arena grew, earlier items keep the old one.
	in.arena = out
	return out[from:len(out):len(out)], nil
}

// cutHuge takes away what must not be gathered in memory: white space before a
// value, and the beginning, or the next piece, of a record that is too large.
func (in *input) cutHuge(data []byte) {
	skip, ok := in.split.last(data)
	if !ok {
		in.consume(len(data)) // white space between values
		return
	}
	held := len(data) - skip
	if in.end != nil || held == 0 || (!in.huge && held <= in.max) {
		return
	}
	var err error
	if !in.huge {
		err = fmt.Errorf("%w: longer than %d bytes", jsonl.ErrTooLarge, in.max)
	}
	in.items = append(in.items, item{
		data: data[skip:], raw: data[skip:], line: in.line + bytes.Count(data[:skip], newline),
		err: err, more: true, rest: in.huge,
	})
	in.huge = true
	in.consume(len(data))
}

func (in *input) consume(n int) {
	in.line += bytes.Count(in.buf[in.at:in.at+n], newline)
	in.at += n
	in.split.consumed(n)
}

// final returns the record that the end of the input ends.
func (in *input) final() ([]item, error) {
	data := in.buf[in.at:]
	skip, ok := in.split.last(data)
	if in.end != io.EOF || in.over || !(ok || in.huge) {
		return nil, in.end
	}
	in.over = true
	in.add(data[skip:], in.line+bytes.Count(data[:skip], newline), nil)
	in.consume(len(data))
	return in.items, nil
}

// unfinished counts the bytes behind the last whole record of an input that
// broke off.
func (in *input) unfinished() int {
	if in.end == nil || errors.Is(in.end, io.EOF) {
		return 0
	}
	skip, ok := in.split.last(in.buf[in.at:])
	if !ok {
		return 0
	}
	return len(in.buf) - in.at - skip
}
