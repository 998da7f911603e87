package writer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"example.com/jlq/internal/jsonl"
)

const (
	// streamBytes is the size of each of the two buffers of a stream. With
	// a quarter of it, handing over takes as long as the rest.
	streamBytes = 1 << 20
	// streamRead is the least room that a stream is read into.
	streamRead = 64 << 10
	// emptyReads is how many reads in a row may give nothing.
	emptyReads = 100
	// shownBytes is how much of a line that is too large is told.
	shownBytes = 1 << 10
)

// LineError says which line of a stream was refused.
type LineError struct {
	Line uint64 // from 1
	Data []byte // a copy of the line, without its newline; of one that is too large, the beginning
	Err  error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns why.
func (e *LineError) Unwrap() error { return e.Err }

// ReadFrom implements [io.ReaderFrom]: it stores each line of r as a record
// until r ends, and returns how many bytes it read. A last line without newline
// counts; a byte order mark at the beginning is left out; a carriage return
// before the newline is kept.
//
// The next lines are read and checked while the last ones are stored, all that
// have come meanwhile as one batch; when r pauses, what it gave so far is stored.
// Memory is bounded by 2 MiB, or a few times the largest record, and by what it
// takes to point at the lines in them. What others append meanwhile may lie in
// between.
//
// An error is a [*BatchError]: First is the offset of the first line, and Stored
// how many of them are stored. A line that is no record is a [*LineError] within
// it; then every line before it is stored and none behind it. When r fails, its
// error is within, and what came behind the last newline is not stored. What
// cannot be stored is noticed when the read that is under way returns.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	if err := w.Err(); err != nil {
		return 0, &BatchError{Err: err}
	}
	s := &stream{w: w, r: r, line: 1}
	s.moved = sync.NewCond(&s.mu)
	err := s.run()
	if s.failure != nil {
		err = s.failure // of lines before those of err
	}
	if err == nil {
		return s.read, nil
	}
	out := &BatchError{First: s.first, Stored: s.stored, Err: err}
	if batch, ok := errors.AsType[*BatchError](err); ok {
		out.Unknown, out.Err = batch.Unknown, batch.Err
	}
	return s.read, out
}

// stream is one call of ReadFrom. Its caller reads and checks; one goroutine,
// which ends with the call, stores whatever is ready. So neither waits for the
// other to hand something over, and a stream that pauses keeps nothing back.
type stream struct {
	w     *Writer
	r     io.Reader
	read  int64  // bytes
	line  uint64 // the number of the line that comes next
	begun bool   // a byte order mark was looked for

	buf   []byte   // lines that were handed over, then what was read behind them
	at    int      // where the line begins that is not whole
	seen  int      // up to where there is no newline behind at
	fresh [][]byte // lines that are being handed over
	other []byte   // the buffer before this one, used in turn
	left  int      // how many lines had been handed over when it was left

	mu      sync.Mutex
	moved   *sync.Cond // something below has changed
	ready   [][]byte   // good lines, to be stored
	handed  int        // how many ever were
	done    int        // of these, how many need their memory no more
	ended   bool       // no more will come
	first   uint64
	stored  int
	failure error
}

// run returns when the goroutine that stores has ended, also when r panics.
func (s *stream) run() error {
	var storer sync.WaitGroup
	storer.Go(s.storeAll)
	defer func() {
		s.mu.Lock()
		s.ended = true
		s.moved.Broadcast()
		s.mu.Unlock()
		storer.Wait()
	}()
	return s.readAll()
}

// storeAll stores what is ready: all of it at once, so that under SyncAlways
// what comes during an fsync shares the next.
func (s *stream) storeAll() {
	var batch [][]byte
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.ready) == 0 && !s.ended {
			s.moved.Wait()
		}
		if len(s.ready) == 0 {
			return
		}
		batch, s.ready = s.ready, batch[:0]
		if s.failure == nil {
			s.mu.Unlock()
			first, err := s.w.put(batch, nil)
			s.mu.Lock()
			s.outcome(len(batch), first, err)
		}
		s.done += len(batch)
		s.moved.Broadcast()
	}
}

// outcome notes what became of n lines. The caller holds mu.
func (s *stream) outcome(n int, first uint64, err error) {
	if s.failure = err; err != nil {
		n = 0
		if batch, ok := errors.AsType[*BatchError](err); ok {
			n = batch.Stored
		}
	}
	if s.stored == 0 {
		s.first = first
	}
	s.stored += n
}

// readAll reads, cuts and checks until r ends or something cannot be stored.
func (s *stream) readAll() error {
	for empty := 0; ; {
		if !s.makeRoom() {
			return nil // the failure says more
		}
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		s.read += int64(n)
		if n > 0 {
			empty = 0
		} else if empty++; err == nil && empty == emptyReads {
			err = io.ErrNoProgress
		}
		err = s.cut(err)
		s.handOver()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// makeRoom sees to it that there is room to read into, and reports whether to
// go on. A full buffer is left to the goroutine that stores, which needs the
// other one no more by then.
func (s *stream) makeRoom() (goOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(s.buf)-len(s.buf) >= streamRead {
		return s.failure == nil
	}
	for s.done < s.left {
		s.moved.Wait()
	}
	rest := s.buf[s.at:]
	if cap(s.other)-len(rest) < streamRead {
		s.other = make([]byte, 0, max(streamBytes, 2*len(rest)))
	}
	s.buf, s.other = append(s.other[:0], rest...), s.buf
	s.at, s.seen, s.left = 0, s.seen-s.at, s.handed
	return s.failure == nil
}

// handOver gives the fresh lines to the goroutine that stores.
func (s *stream) handOver() {
	if len(s.fresh) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = append(s.ready, s.fresh...)
	s.handed += len(s.fresh)
	s.fresh = s.fresh[:0]
	s.moved.Broadcast()
}

// cut makes fresh lines of the whole ones that were read, as far as they are
// good. end is why there is no more, and is returned where nothing is wrong
// with a line.
func (s *stream) cut(end error) error {
	if !s.begin(end != nil) {
		return end
	}
	s.seen = max(s.seen, s.at)
	for n := bytes.IndexByte(s.buf[s.seen:], '\n'); n >= 0; n = bytes.IndexByte(s.buf[s.seen:], '\n') {
		s.fresh = append(s.fresh, s.buf[s.at:s.seen+n])
		s.at, s.seen = s.seen+n+1, s.seen+n+1
	}
	s.seen = len(s.buf)
	if end == io.EOF && s.at < len(s.buf) {
		s.fresh = append(s.fresh, s.buf[s.at:])
		s.at = len(s.buf)
	}
	good, err := s.w.check(s.fresh)
	s.line += uint64(good)
	if err != nil {
		err = s.refuse(s.fresh[good], err)
		s.fresh = s.fresh[:good]
		return err
	}
	if limit := s.w.opts.maxRecord(); len(s.buf)-s.at > limit {
		return s.refuse(s.buf[s.at:], fmt.Errorf("%w: longer than %d bytes", jsonl.ErrTooLarge, limit))
	}
	return end
}

func (s *stream) refuse(line []byte, err error) error {
	if errors.Is(err, jsonl.ErrTooLarge) {
		line = line[:min(len(line), shownBytes)]
	}
	return &LineError{Line: s.line, Data: bytes.Clone(line), Err: err}
}

// begin leaves out a byte order mark. ok is false while there is too little
// to tell.
func (s *stream) begin(last bool) (ok bool) {
	if s.begun {
		return true
	}
	if !last && len(s.buf) < len(jsonl.BOM) && strings.HasPrefix(jsonl.BOM, string(s.buf)) {
		return false
	}
	s.begun = true
	if bytes.HasPrefix(s.buf, []byte(jsonl.BOM)) {
		s.at = len(jsonl.BOM)
	}
	return true
}
