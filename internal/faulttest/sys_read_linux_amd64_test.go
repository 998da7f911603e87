package faulttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/jlq/partition"
	"golang.org/x/sys/unix"
)

// reading is a command that reads a log.
type reading struct {
	args    []string // the log is their first, or follows the command
	log     string
	prepare func(dir string) (*account, error)
	whole   *string // what it prints, once an attempt without a fault has told
}

func (r *reading) String() string { return strings.Join(r.args, " ") }

// faults are those that reading meets: a broken disk, and what was readable a
// moment ago.
func (r *reading) faults(calls []call) []fault {
	var all []fault
	for _, c := range calls {
		all = append(all, fault{at: c, errno: unix.EIO})
		if c.name == "openat" {
			all = append(all, fault{at: c, errno: unix.EACCES}, fault{at: c, errno: unix.EMFILE})
		}
	}
	return all
}

func (r *reading) attempt(jlq, dir string, f *fault) (*traced, error) {
	if _, err := r.prepare(dir); err != nil {
		return nil, err
	}
	if err := fixTimes(dir); err != nil {
		return nil, err
	}
	before, err := contents(dir)
	if err != nil {
		return nil, err
	}
	var stdout bytes.Buffer
	run, err := traceRun(dir, f, append([]string{jlq}, r.args...), func(p *process) error {
		_, err := io.Copy(&stdout, p.stdout)
		return err
	})
	if err != nil {
		return run, err
	}
	after, err := contents(dir)
	if err == nil && !bytes.Equal(before, after) {
		err = errors.New("reading changed a file")
	}
	return run, errors.Join(err, r.wantEnd(run, f, stdout.String()))
}

// fixTimes gives all copies of a log the same times, which stat prints.
func fixTimes(dir string) error {
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, at, at)
	})
}

// wantEnd: all is printed, or an error is told, as one of input and output and
// with the name of the file. What is printed up to there is right.
func (r *reading) wantEnd(run *traced, f *fault, stdout string) error {
	said := fmt.Sprintf("\nstdout %q\nstderr %s", stdout, run.stderr)
	switch {
	case strings.Contains(run.stderr, "goroutine "):
		return errors.New("a panic" + said)
	case !run.status.Exited():
		return fmt.Errorf("status %#x", uint32(run.status))
	case f == nil:
		*r.whole = stdout
	case run.status.ExitStatus() == 0 && r.args[0] == "stat" && strings.Contains(run.stderr, f.errno.Error()):
		// It tells of a log whose index cannot be read.
	case run.status.ExitStatus() == 2 && r.args[0] == "stat" && stdout != "":
		return r.wantRest(f, stdout, run.stderr)
	case run.status.ExitStatus() == 0 && stdout != *r.whole:
		return errors.New("it says nothing, and this is not all" + said)
	case run.status.ExitStatus() == 0:
	case run.status.ExitStatus() != 2:
		return fmt.Errorf("exit code %d%s", run.status.ExitStatus(), said)
	case !strings.HasPrefix(*r.whole, stdout):
		return errors.New("something else was printed" + said)
	case !strings.Contains(run.stderr, f.errno.Error()):
		return errors.New("the system's text is not in it" + said)
	case f.at.file != "." && !strings.Contains(run.stderr, f.at.file):
		return errors.New("the file is not named" + said)
	case strings.Contains(run.stderr, "corrupt"):
		return errors.New("it calls this damage" + said)
	}
	return nil
}

// wantRest: stat names what cannot be read, shows the rest, and does not take
// it for damage.
func (r *reading) wantRest(f *fault, stdout, stderr string) error {
	said := fmt.Sprintf("\nstdout %q\nstderr %s", stdout, stderr)
	if !strings.Contains(stderr, f.errno.Error()) {
		return errors.New("the system's text is not in it" + said)
	}
	for _, damage := range []string{"damaged", "missing", "corrupt"} {
		if strings.Contains(stdout+stderr, damage) && !strings.Contains(*r.whole, damage) {
			return errors.New("it calls this damage" + said)
		}
	}
	return nil
}

// readings are the commands that read, on logs of each kind.
func readings() []*reading {
	var all []*reading
	add := func(log string, spoil func(string, *account) error, commands ...string) {
		for _, command := range commands {
			name, flags, _ := strings.Cut(command, " ")
			args := append([]string{name, log}, strings.Fields(flags)...)
			all = append(all, &reading{args: args, log: log, whole: new(string), prepare: left(log, partition.SyncAlways, spoil)})
		}
	}
	commands := []string{"cat", "cat -r", "get 1 3", "head -n 2", "tail -n 2", "count", "stat", "verify"}
	add("p", unspoilt, commands...)
	add("f.jsonl", unspoilt, append(slices.Clone(commands), "index --check")...)
	add("f.jsonl", noIndex, commands...)
	add("p", tornBehind, "cat", "count", "stat")
	return all
}

// TestReadFaults fails the commands that read at every system call that they
// make on the files of a log: they tell it, or print everything.
func TestReadFaults(t *testing.T) { runMatrix(t, readings(), 300) }
