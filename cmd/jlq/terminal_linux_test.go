package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onTerminal runs jlq with a terminal as stdout and stderr and returns what it
// showed.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	terminal, program := openTerminal(t)
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := &exec.Cmd{Path: exe, Args: append([]string{"jlq"}, args...), Env: append(os.Environ(), env...), Stdout: program, Stderr: program}
	require.NoError(t, cmd.Start())
	require.NoError(t, program.Close())
	shown, err := io.ReadAll(terminal)
	if err != nil {
		// Linux says EIO when the last program has left a terminal.
		require.ErrorIs(t, err, unix.EIO)
	}
	require.NoError(t, cmd.Wait(), "%s", shown)
	return strings.ReplaceAll(string(shown), "\r\n", "\n")
}

// openTerminal returns the two ends of a new terminal.
func openTerminal(t *testing.T) (terminal, program *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return terminal, program
}

// TestTerminal: what could drive a terminal is shown escaped there, and is
// stored bytes in a pipe.
func TestTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	evil := "{\"a\":\"\x1b[31mred\u009b\u202e\x07\"}\n{\"bad\":\"\xff\"}\n"
	require.NoError(t, os.WriteFile(path, []byte(evil), 0o600))

	shown := onTerminal(t, []string{"NO_COLOR=1"}, "cat", path)
	require.NotContains(t, shown, "\x1b")
	require.NotContains(t, shown, "\a")
	require.NotContains(t, shown, "\u202e")
	require.NotContains(t, shown, "\u009b")
	require.NotContains(t, shown, "\xff")
	require.Contains(t, shown, `\u001b[31mred\u009b\u202e\u0007`)
	for _, args := range [][]string{{"get", path, "0"}, {"tail", path}, {"head", path}, {"consume", "-g", "g", path}} {
		require.NotContains(t, onTerminal(t, []string{"NO_COLOR=1"}, args...), "\x1b", "%q", args)
	}

	piped, _ := jlq(t, 0, "cat", path)
	require.Equal(t, evil, piped)
}

// TestTerminalColour: pretty printing is coloured on a terminal, unless
// NO_COLOR says otherwise.
func TestTerminalColour(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"a":[1,"x"]}`+"\n"), 0o600))
	colourful := onTerminal(t, []string{"NO_COLOR=", "TERM=xterm"}, "cat", "-F", "pretty", path)
	require.Contains(t, colourful, "\x1b[")
	plain := onTerminal(t, []string{"NO_COLOR=1"}, "cat", "-F", "pretty", path)
	require.Equal(t, "{\n  \"a\": [\n    1,\n    \"x\"\n  ]\n}\n", plain)
}

// TestTerminalProgress: long work on a terminal shows how far it is; it leaves
// nothing behind but its report.
func TestTerminalProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	// A hole is read at the speed of memory and costs no disk.
	require.NoError(t, f.Truncate(1<<30))
	require.NoError(t, f.Close())
	began := time.Now()
	shown := onTerminal(t, []string{"TERM=xterm"}, "index", path)
	require.Contains(t, shown, "0 records")
	if time.Since(began) < time.Second {
		t.Skip("a machine on which that is not long work")
	}
	require.Contains(t, shown, "%")
}

// TestStatOnTerminal: rates have a heading there, and units; of many segments
// there are the first and the last.
func TestStatOnTerminal(t *testing.T) {
	dir := t.TempDir()
	writeSegments(t, dir, 40)
	shown := onTerminal(t, nil, "stat", dir)
	require.Contains(t, shown, "… 30 more; --segments shows all\n")
	shown = onTerminal(t, nil, "stat", "--segments", dir)
	require.NotContains(t, shown, "more")
	require.Equal(t, 40, strings.Count(shown, ".jsonl\n"))
	shown = onTerminal(t, nil, "stat", "--watch", "20ms", "-n", "3", dir)
	lines := strings.Split(strings.TrimSuffix(shown, "\n"), "\n")
	require.Len(t, lines, 4)
	require.Regexp(t, `^time +segment +records/s +bytes/s +next +size +age$`, lines[0])
	require.Regexp(t, `^..:..:.. +390 +0\.0 +0 B +400 +100 B +[0-9.ms]+$`, lines[1])
}
