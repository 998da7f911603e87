package main

import (
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

// TestVerifyOnTerminal: a long run shows how far it is; problems do not stand
// behind the bar, and what could drive the terminal is shown escaped.
func TestVerifyOnTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evil\x1b[31m.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = f.WriteString("no record\n")
	require.NoError(t, err)
	// A hole is read at the speed of memory and costs no disk.
	require.NoError(t, f.Truncate(1<<30))
	require.NoError(t, f.Close())
	terminal, program := openTerminal(t)
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := &exec.Cmd{Path: exe, Args: []string{"jlq", "verify", path}, Env: append(os.Environ(), "TERM=xterm"), Stdout: program, Stderr: program}
	began := time.Now()
	require.NoError(t, cmd.Start())
	require.NoError(t, program.Close())
	shown, err := io.ReadAll(terminal)
	if err != nil {
		// Linux says EIO when the last program has left a terminal.
		require.ErrorIs(t, err, unix.EIO)
	}
	require.Error(t, cmd.Wait())
	took := time.Since(began)
	require.Equal(t, exitInvalid, cmd.ProcessState.ExitCode())
	text := strings.ReplaceAll(string(shown), "\r\n", "\n")
	require.NotContains(t, text, "\x1b[31m")
	require.Contains(t, text, `.jsonl: record 0, 10 bytes from position 0: invalid record at byte 1: 'o' in the word null`)
	require.Contains(t, text, ": 2 problems in 1 record, 1.1 GB; jlq repair ")
	if took < 2*time.Second {
		t.Skip("a machine on which that is not long work")
	}
	require.Regexp(t, `\.jsonl +[0-9]+% \[`, text) // the path is long, so that "verify " is cut off
}
