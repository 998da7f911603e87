package faulttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// workload is something that is done to a log by one process, which meets a
// fault.
type workload struct {
	name    string
	mode    string   // --sync
	flags   []string // others
	log     string   // p: a partition; f.jsonl: a bare file
	prepare func(dir string) (*account, error)
	batches []int
	pause   time.Duration // between batches, so that background work falls in
}

func (w *workload) String() string { return strings.TrimSpace(w.name + " " + w.mode + " " + w.log) }

func (w *workload) args(jlq string) []string {
	return append([]string{jlq, "append", "--ack", "--sync", w.mode, w.log}, w.flags...)
}

// makesRoom reports whether a full disk is met where a log that drops segments
// makes room itself, so that nobody need notice.
func (w *workload) makesRoom(f *fault) bool {
	return w.name == "drops" && f.errno == unix.ENOSPC && strings.HasPrefix(f.at.file, "partition.json.tmp") &&
		(f.at.name == "write" || f.at.name == "openat")
}

func (w *workload) attempt(jlq, dir string, f *fault) (*traced, error) {
	a, err := w.prepare(dir)
	if err != nil {
		return nil, err
	}
	s := newSource("a")
	a.sources = append(a.sources, s)
	r, err := traceRun(dir, f, w.args(jlq), func(p *process) error {
		return s.feed(p.stdin, p.stdout, w.batches, w.pause)
	})
	if err != nil {
		return r, err
	}
	if f == nil || !w.makesRoom(f) || r.status.ExitStatus() != 0 {
		err = r.wantEnd(f, w.mode, s)
	} else {
		err = r.wantSuccess(s)
	}
	return r, errors.Join(err, a.check(filepath.Join(dir, w.log)), a.kept(dir))
}

// kept makes sure that the torn bytes which prepare left were set aside.
func (a *account) kept(dir string) error {
	if a.torn == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(dir, "p", "*.torn-*"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil && string(text) == a.torn {
			return nil
		}
	}
	return fmt.Errorf("the torn tail was not set aside; there are %v", names)
}

// wantEnd checks how the process ended, and what it said.
func (r *traced) wantEnd(f *fault, mode string, s *source) error {
	switch {
	case strings.Contains(r.stderr, "goroutine "):
		return fmt.Errorf("a panic: %s", r.stderr)
	case f == nil || !r.struck:
		return r.wantSuccess(s)
	case f.errno == 0:
		if !r.status.Signaled() || r.status.Signal() != unix.SIGKILL {
			return fmt.Errorf("it was killed and ended with %v", r.status)
		}
		return nil
	case r.status.Signaled():
		return fmt.Errorf("it died of %v", r.status.Signal())
	case r.status.ExitStatus() == 0 && f.at.matters(mode) && !r.putOff(f):
		return errors.New("nobody noticed")
	case r.status.ExitStatus() == 0:
		return r.wantSuccess(s) // nothing depended on it
	}
	return r.wantFailure(f, s)
}

// putOff reports whether it was told that a roll or a drop did not come about,
// and why.
func (r *traced) putOff(f *fault) bool {
	told := strings.Contains(r.stderr, "appends go on in the old one") || strings.Contains(r.stderr, "it is tried again")
	return told && strings.Contains(r.stderr, f.errno.Error())
}

// matters reports whether a promise rests on a call, so that its failure has
// to be told. What a weak mode could not publish is published by a later call.
func (c call) matters(mode string) bool {
	switch c.name {
	case "write":
		return mode == "always" || !strings.HasSuffix(c.file, ".index")
	case "flock":
		return c.nth == 1 // the second gives the lock up, which closing does too
	case "pwrite64", "fdatasync", "fsync", "ftruncate", "renameat", "mkdirat":
		return true
	}
	return false
}

func (r *traced) wantSuccess(s *source) error {
	if !r.status.Exited() || r.status.ExitStatus() != 0 || len(s.acked) != s.sent {
		return fmt.Errorf("status %#x, %d of %d acknowledged: %s", uint32(r.status), len(s.acked), s.sent, r.stderr)
	}
	return nil
}

// wantFailure: an error is told with the text of the system and the name of
// the file, as one of input and output, and never passes for damage.
func (r *traced) wantFailure(f *fault, s *source) error {
	var errs []error
	if r.status.ExitStatus() != 2 {
		errs = append(errs, fmt.Errorf("exit code %d", r.status.ExitStatus()))
	}
	if !strings.Contains(r.stderr, f.errno.Error()) {
		errs = append(errs, errors.New("the system's text is not in it"))
	}
	if f.at.file != "." && !strings.Contains(r.stderr, f.at.file) {
		errs = append(errs, errors.New("the file is not named"))
	}
	if strings.Contains(r.stderr, "corrupt") {
		errs = append(errs, errors.New("it calls this damage"))
	}
	if n, told := toldStored(r.stderr); told && n != len(s.acked) {
		errs = append(errs, fmt.Errorf("it says that %d are stored and acknowledged %d", n, len(s.acked)))
	} else if !told && s.sent > 0 && len(s.acked) > 0 {
		errs = append(errs, errors.New("it does not say how many are stored"))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%w\n%s", errors.Join(errs...), r.stderr)
}

var storedText = regexp.MustCompile(`: (\d+) records? stored`)

func toldStored(stderr string) (n int, told bool) {
	m := storedText.FindStringSubmatch(stderr)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// faults are the end of the process, a disk that is broken, full, or can be
// read only, and too many open files.
func (w *workload) faults(calls []call) []fault {
	var all []fault
	for _, c := range calls {
		all = append(all, fault{at: c}, fault{at: c, errno: unix.EIO}, fault{at: c, errno: unix.ENOSPC})
		if slices.Contains([]string{"openat", "mkdirat", "renameat", "unlinkat"}, c.name) {
			all = append(all, fault{at: c, errno: unix.EROFS}, fault{at: c, errno: unix.EMFILE})
		}
		if c.name == "write" || c.name == "pwrite64" {
			all = append(all, fault{at: c, errno: unix.ENOSPC, short: true})
		}
	}
	return all
}
