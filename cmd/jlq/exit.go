package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// Exit codes; the package comment says what each means.
const (
	exitOK       = 0
	exitMissing  = 1
	exitUsage    = 2 // and I/O
	exitFilter   = 3
	exitInvalid  = 4
	exitIndex    = 5
	exitLocked   = 6
	exitSignal   = 128 // plus the signal's number
	exitPipe     = exitSignal + int(syscall.SIGPIPE)
	exitCanceled = exitSignal + int(syscall.SIGINT)
)

// codeError is an error that carries its exit code. Without Err it is silent:
// what there is to say was reported before.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *codeError) Unwrap() error { return e.err }

// silent ends the program with code when everything was said already.
func silent(code int) error { return &codeError{code: code} }

func missing(format string, args ...any) error {
	return &codeError{exitMissing, fmt.Errorf(format, args...)}
}

// usageError is a wrong command line; its hint says what would be right.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// exitCode finds the exit code of err: the one it carries, else the one of
// its kind.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if coded, ok := errors.AsType[*codeError](err); ok {
		return coded.code
	}
	if sig, ok := errors.AsType[signalError](err); ok {
		return exitSignal + int(sig.Signal)
	}
	switch {
	case brokenPipe(err):
		return exitPipe
	case errors.Is(err, context.Canceled):
		return exitCanceled
	}
	return kindCode(err)
}

func kindCode(err error) int {
	if errors.Is(err, segment.ErrIndexMismatch) {
		return exitIndex
	}
	if _, ok := errors.AsType[*segment.RangeError](err); ok {
		return exitMissing
	}
	if _, ok := errors.AsType[*partition.ConflictError](err); ok || errors.Is(err, reader.ErrNoTime) {
		return exitMissing
	}
	if _, ok := errors.AsType[*topic.PartitionError](err); ok {
		return exitMissing
	}
	if _, ok := errors.AsType[*segment.CorruptError](err); ok || refused(err) {
		return exitInvalid
	}
	if errors.Is(err, vfs.ErrLocked) || errors.Is(err, os.ErrDeadlineExceeded) {
		return exitLocked
	}
	return exitUsage
}

// refused reports whether err says that a record is not one.
func refused(err error) bool {
	if _, ok := errors.AsType[*jsonl.SyntaxError](err); ok {
		return true
	}
	for _, kind := range []error{jsonl.ErrNewline, jsonl.ErrNUL, jsonl.ErrEmpty, jsonl.ErrTooLarge, jsonl.ErrDepth} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// brokenPipe reports whether err says that the reader of stdout is gone.
func brokenPipe(err error) bool {
	w, ok := errors.AsType[*outputError](err)
	return ok && errors.Is(w.err, syscall.EPIPE)
}
