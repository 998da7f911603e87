package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	outputBuffer = 256 << 10
	// flushDelay is how long a record may stay in the buffer while following.
	flushDelay = 2 * time.Millisecond
)

// outputError is a failure of stdout: fatal, and silent when its reader went
// away.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// output is stdout, buffered. Its first error is sticky. It is safe for
// concurrent use, because the timer of a live output flushes too.
type output struct {
	raw io.Writer
	tty bool // a terminal: what is printed must not drive it

	mu     sync.Mutex
	buf    *bufio.Writer
	err    error
	live   bool
	timer  *time.Timer
	failed func(error)
	first  func() // called before the first byte is written; nil
	pager  *pager // what the buffer goes to on a terminal; nil without one
}

func newOutput(w io.Writer) *output {
	return &output{raw: w, tty: isTerminal(w), buf: bufio.NewWriterSize(w, outputBuffer)}
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(p, "")
}

// WriteLine writes p and then end, which is a newline or nothing.
func (o *output) WriteLine(p []byte, end string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.write(p, end)
	return err
}

// WriteJSON writes a value as JSON, on a line.
func (o *output) WriteJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return o.WriteLine(line, "\n")
}

// WriteText writes lines of text in which names may be anything, as it may be
// shown on a terminal.
func (o *output) WriteText(text string) error {
	for line := range strings.Lines(text) {
		if err := o.WriteLine(appendVisible(nil, []byte(strings.TrimSuffix(line, "\n"))), "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (o *output) write(p []byte, end string) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if o.first != nil && len(p) > 0 {
		o.first()
		o.first = nil
	}
	idle := o.buf.Buffered() == 0
	n, err := o.buf.Write(p)
	if err == nil {
		_, err = o.buf.WriteString(end)
	}
	if o.live && idle {
		o.timer.Reset(flushDelay)
	}
	return n, o.setErr(err)
}

// Flush writes what is buffered.
func (o *output) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flush()
}

func (o *output) flush() error {
	if o.err != nil {
		return o.err
	}
	return o.setErr(o.buf.Flush())
}

// setErr makes the first error sticky and tells whoever follows.
func (o *output) setErr(err error) error {
	if err != nil && o.err == nil {
		o.err = &outputError{err}
		if o.failed != nil {
			o.failed(o.err)
		}
	}
	return o.err
}

// follow makes the output live: nothing stays in the buffer for longer than
// flushDelay, and failed is told at once when stdout fails.
func (o *output) follow(failed func(error)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.live, o.failed = true, failed
	if o.pager != nil && !o.pager.started() && o.flush() == nil {
		_ = o.setErr(o.pager.release()) // who follows does not wait for a full screen
	}
	// Errors are sticky and reach failed.
	o.timer = time.AfterFunc(flushDelay, func() { _ = o.Flush() })
}

// begins lets do be called before the next byte is written.
func (o *output) begins(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.first = do
}

// isLive reports whether the output follows a log.
func (o *output) isLive() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.live
}

// through lets what is written go through p, which stdout is behind.
func (o *output) through(p *pager) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pager == nil && !o.live && o.flush() == nil {
		o.pager = p
		o.buf.Reset(p)
	}
}

// paged reports whether a pager has the terminal.
func (o *output) paged() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pager.started()
}

// Show is Flush, and shows what a pager would hold back.
func (o *output) Show() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.flush()
	if err == nil && o.pager != nil && !o.pager.started() && len(o.pager.held) > 0 {
		err = o.setErr(o.pager.release())
	}
	return err
}

// Close flushes and closes stdout: some file systems tell only then that the
// data could not be stored.
func (o *output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.live {
		o.timer.Stop()
	}
	err := o.flush()
	if o.pager != nil {
		if closed := o.pager.close(); err == nil && closed != nil {
			err = o.setErr(closed)
		}
	}
	if f, ok := o.raw.(*os.File); ok {
		if closed := f.Close(); closed != nil && !errors.Is(closed, os.ErrClosed) {
			err = o.setErr(closed)
		}
	}
	return err
}
