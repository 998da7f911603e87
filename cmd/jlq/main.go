package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: it executes args and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	a := newApp(stdin, stdout, stderr)
	a.args = args
	root := a.root()
	root.SetArgs(guardNegatives(root, args))
	err := root.ExecuteContext(ctx)
	if closed := a.out.Close(); closed != nil && !errors.Is(err, closed) {
		// What could not be written outranks what else went wrong: the
		// reader of stdout does not have all of it.
		a.complain(err)
		err = closed
	}
	a.complain(err)
	a.blameEnvironment(err)
	a.mu.Lock()
	_, _ = stderr.Write(a.later) // there is no one left to tell where that fails
	a.mu.Unlock()
	if a.out.paged() && brokenPipe(err) {
		return exitOK // the pager was left
	}
	return exitCode(err)
}

// app is one run of the program.
type app struct {
	stdin   io.Reader
	out     *output                  // stdout, buffered
	stderr  io.Writer                // written to by report and by the progress bar only
	bar     atomic.Pointer[progress] // the one on stderr, or nil
	reading *reading                 // how far a log is read, where that is shown
	told    error                    // the last one that was reported
	skip    *skipper                 // of --on-bad skip; nil without
	warned  sync.Map                 // the messages that warner passed on

	mu      sync.Mutex
	later   []byte   // reports that wait for the pager to be left
	args    []string // the command line
	fromEnv []string // the variables that flags were taken from
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{stdin: stdin, out: newOutput(stdout), stderr: stderr}
}
