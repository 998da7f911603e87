package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signalError is the cause of a context that a signal ended.
type signalError struct{ syscall.Signal }

func (e signalError) Error() string { return e.Signal.String() }

// untilSignal returns a context that the first SIGINT, SIGTERM or SIGHUP ends,
// so that the record in hand is finished and what was read is stored, also when
// the terminal is closed. The second one kills the process as if nothing were done
// about signals.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants it to be nothing
		signal.Notify(ch, syscall.SIGHUP)
	}
	// Without this, writing to a closed stdout kills the process; with it,
	// the write fails, and files and locks are closed in order.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	go func() {
		select {
		case sig := <-ch:
			signal.Stop(ch)
			number, _ := sig.(syscall.Signal)
			cancel(signalError{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(ch)
		signal.Stop(pipe)
		cancel(nil)
	}
}
