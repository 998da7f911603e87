package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// commandGrace is how long what a command left behind in the background may
// keep its streams open before they are closed.
const commandGrace = time.Second

// runner runs a command of --exec. It is safe for concurrent use.
type runner struct {
	text   string
	stdout io.Writer
	stderr io.Writer
}

func (a *app) newRunner(text string) *runner {
	return &runner{text: text, stdout: a.out.raw, stderr: &lockedWriter{w: a.stderr}}
}

// cannotRunError says that the command itself is wrong, or what it needs is
// not there: that is no record's fault.
type cannotRunError struct{ err error }

func (e *cannotRunError) Error() string { return e.err.Error() }
func (e *cannotRunError) Unwrap() error { return e.err }

// run runs the command with input and env, to its end: a signal that ends jlq
// does not end it, so that what is in hand is finished. nil is exit code 0. The
// error says the code, and the last that the command said on stderr.
func (r *runner) run(input []byte, env ...string) error {
	cmd := shellCommand(r.text)
	cmd.WaitDelay = commandGrace
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = bytes.NewReader(input)
	said := &lastLine{w: r.stderr}
	cmd.Stdout, cmd.Stderr = r.stdout, said
	err := cmd.Run()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	exited, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return &cannotRunError{fmt.Errorf("%s: %w", r.text, err)}
	}
	if text := said.text(); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	if code := exited.ExitCode(); code == 126 || code == 127 {
		return &cannotRunError{fmt.Errorf("%s: %w", r.text, err)}
	}
	return err
}

// lastLine passes on what is written and remembers the last line of it.
type lastLine struct {
	w    io.Writer
	tail []byte
}

// lastLineMax bounds what is remembered.
const lastLineMax = 512

// Write implements [io.Writer].
func (l *lastLine) Write(p []byte) (int, error) {
	l.tail = append(l.tail, p...)
	if cut := len(l.tail) - lastLineMax; cut > 0 {
		l.tail = append(l.tail[:0], l.tail[cut:]...)
	}
	return l.w.Write(p)
}

func (l *lastLine) text() string {
	text := strings.TrimRight(string(l.tail), "\r\n")
	return strings.ToValidUTF8(text[strings.LastIndexByte(text, '\n')+1:], "�")
}

// lockedWriter lets several commands write to one stream.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
