package faulttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// ofOthers are system calls that name a file of the log among their arguments
// and do nothing to it: they are about the poller, the process or a link that
// says where a file is.
var ofOthers = map[string]bool{"epoll_ctl": true, "execve": true, "readlinkat": true, "inotify_add_watch": true}

// TestCallsKnown compares the calls that the tracer knows with those that
// strace sees: what the tracer did not know, it could not fail.
func TestCallsKnown(t *testing.T) {
	if out, err := exec.Command("strace", "-f", "true").CombinedOutput(); err != nil {
		needs(t, "strace cannot be used: %v: %s", err, out)
	}
	known := map[string]bool{}
	for _, k := range knownCalls {
		known[k.name] = true
	}
	seen := map[string]bool{}
	for _, log := range []string{"p", "f.jsonl"} {
		spoil := tornBehind
		commands := []string{"cat", "tail", "get 1", "count", "stat", "verify", "append", "cat -r"}
		if log != "p" {
			spoil = wrongEntries
		} else {
			commands = append(commands, "roll", "append --segment-records 1")
		}
		for _, command := range commands {
			dir := t.TempDir()
			_, err := left(log, partition.SyncOS, spoil)(dir)
			require.NoError(t, err)
			for _, name := range straced(t, dir, log, command) {
				seen[name] = true
				require.True(t, known[name] || ofOthers[name], "%s %s: %s", command, log, name)
			}
		}
	}
	for _, name := range []string{"openat", "write", "pread64", "pwrite64", "fdatasync", "fsync", "ftruncate", "renameat", "flock", "newfstatat", "fstat", "getdents64", "close"} {
		require.True(t, seen[name], "the control: strace did not see %s", name)
	}
}

var straceLine = regexp.MustCompile(`^\d+ +(\w+)\((.*)$`)

// straced runs a command under strace and returns the names of the calls that
// name the directory.
func straced(t *testing.T, dir, log, command string) (names []string) {
	out := filepath.Join(t.TempDir(), "strace")
	name, flags, _ := strings.Cut(command, " ")
	args := []string{"-f", "-y", "-qq", "-s", "4096", "-e", "trace=all", "-o", out, jlq(t), name, filepath.Join(dir, log)}
	cmd := exec.Command("strace", append(args, strings.Fields(flags)...)...)
	cmd.Stdin = strings.NewReader("1\n")
	said, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); !exited { // some of the logs have problems
		require.NoError(t, err, "%s", said)
	}
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		m := straceLine.FindStringSubmatch(strings.TrimSpace(line))
		if m != nil && strings.Contains(m[2], dir) {
			names = append(names, m[1])
		}
	}
	require.NotEmpty(t, names)
	return names
}
