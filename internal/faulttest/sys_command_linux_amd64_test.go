package faulttest

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// command is one that changes the segments of a log and appends nothing.
type command struct {
	name    string
	args    []string // the log is p
	keep    int      // records that have to stay
	prepare func(dir string) (*account, error)
	done    func(a *account, segments int) bool // whether it did what it is for
}

func (c *command) String() string { return c.name }

func (*command) faults(calls []call) []fault { return (&workload{}).faults(calls) }

func (c *command) attempt(jlq, dir string, f *fault) (*traced, error) {
	a, err := c.prepare(dir)
	if err != nil {
		return nil, err
	}
	a.keep = c.keep
	run, err := traceRun(dir, f, append([]string{jlq}, c.args...), func(p *process) error {
		_, err := io.Copy(io.Discard, p.stdout)
		return err
	})
	if err != nil {
		return run, err
	}
	path := filepath.Join(dir, "p")
	if err := errors.Join(run.wantTold(f), a.check(path)); err != nil {
		return run, err
	}
	pairs, err := pairsOf(path)
	if run.status.Exited() && run.status.ExitStatus() == 0 && !c.done(a, len(pairs)) {
		err = errors.Join(err, fmt.Errorf("it says that it is done: %s", run.stderr))
	}
	return run, err
}

// wantTold: it is done, or an error is told, as one of input and output, with
// the text of the system.
func (r *traced) wantTold(f *fault) error {
	switch {
	case strings.Contains(r.stderr, "goroutine "):
		return fmt.Errorf("a panic: %s", r.stderr)
	case f != nil && f.errno == 0 && r.struck:
		return nil // killed
	case !r.status.Exited():
		return fmt.Errorf("status %#x", uint32(r.status))
	case f == nil || !r.struck:
		return r.wantCode(0)
	case strings.Contains(r.stderr, "corrupt"):
		return fmt.Errorf("it calls this damage: %s", r.stderr)
	case r.status.ExitStatus() == 0 && !f.at.changes():
		return nil // nothing depended on it
	case !strings.Contains(r.stderr, f.errno.Error()):
		return fmt.Errorf("exit code %d, and the system's text is not in it: %s", r.status.ExitStatus(), r.stderr)
	case r.status.ExitStatus() == 0:
		return nil
	}
	return r.wantCode(2)
}

func (r *traced) wantCode(code int) error {
	if r.status.ExitStatus() != code {
		return fmt.Errorf("exit code %d, not %d: %s", r.status.ExitStatus(), code, r.stderr)
	}
	return nil
}

// changes reports whether a call changes what is on the disk, but for
// temporary files that a failure leaves.
func (c call) changes() bool {
	return slices.Contains([]string{"write", "fsync", "fdatasync", "renameat", "unlinkat"}, c.name) && !strings.Contains(c.file, ".tmp")
}

func rolledOne(_ *account, segments int) bool { return segments == 4 }

// TestRollCommandFaults fails and kills jlq roll at every system call.
func TestRollCommandFaults(t *testing.T) {
	args := []string{"roll", "p"}
	runMatrix(t, []*command{{"roll", args, 0, leftRolled(unspoilt), rolledOne}}, 60)
}

func droppedTwo(a *account, segments int) bool {
	return segments == 1 && count(a.prior, isDropped) == 6
}

// TestTrimFaults fails and kills jlq trim at every system call, of a log that
// another trim was killed at, too: what has to stay stays, what is left of files
// is removed by the next writer, and an error never passes for damage.
func TestTrimFaults(t *testing.T) {
	args := []string{"trim", "--before", "7", "--execute", "p"}
	runMatrix(t, []*command{{"trim", args, 3, leftRolled(unspoilt), droppedTwo}}, 100)
}

// TestRetentionFaults fails and kills an append that rolls and drops segments
// in the background. What could not be dropped is told, and appends go on.
func TestRetentionFaults(t *testing.T) {
	var all []*workload
	for _, mode := range []string{"always", "os"} {
		all = append(all, &workload{
			name: "drops", mode: mode, log: "p", batches: []int{2, 2, 2, 2}, pause: 30 * time.Millisecond,
			prepare: func(string) (*account, error) { return &account{keep: 3}, nil },
			flags:   []string{"--segment-records", "2", "--keep-records", "3"},
		})
	}
	runMatrix(t, all, 100)
}
