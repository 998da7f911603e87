//go:build unix

package faulttest

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// appender is a jlq append --ack that waits for more to store.
type appender struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	s     *source
	acks  chan int
	noted chan error
	said  strings.Builder
}

// startAppend starts one and lets it store three records.
func startAppend(t testing.TB, path string, flags ...string) *appender {
	a := &appender{t: t, s: newSource("a"), acks: make(chan int, 1000), noted: make(chan error, 1)}
	a.cmd = exec.Command(jlq(t), append([]string{"append", "--ack", path}, flags...)...)
	a.cmd.Stderr = &a.said
	var err error
	a.stdin, err = a.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := a.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, a.cmd.Start())
	t.Cleanup(func() { _ = a.cmd.Process.Kill(); _ = a.cmd.Wait() })
	go func() { a.noted <- a.s.note(out, 0, a.acks) }()
	a.store(3)
	return a
}

// store waits until n more records are acknowledged.
func (a *appender) store(n int) {
	a.t.Helper()
	require.True(a.t, a.s.send(a.stdin, n))
	require.True(a.t, a.s.await(a.acks), "it ended")
}

// refused sends a record that is not acknowledged, because the program ends.
func (a *appender) refused() {
	a.t.Helper()
	a.s.send(a.stdin, 1)
	require.False(a.t, a.s.await(a.acks), "it was acknowledged")
}

// end closes its input and returns its exit code and what it said.
func (a *appender) end() (code int, said string) {
	a.t.Helper()
	_ = a.stdin.Close()
	limit := time.AfterFunc(runLimit, func() { _ = a.cmd.Process.Kill() })
	defer limit.Stop()
	for range a.acks {
	}
	require.NoError(a.t, <-a.noted)
	_ = a.cmd.Wait() // the code says how
	require.NotContains(a.t, a.said.String(), "goroutine ", "a panic")
	return a.cmd.ProcessState.ExitCode(), a.said.String()
}

// account is that of a log that nobody else wrote to.
func (a *appender) account() *account { return &account{sources: []*source{a.s}} }

// logs are a partition and a bare file.
func logs(t *testing.T, do func(t *testing.T, path string)) {
	for _, name := range []string{"p", "f.jsonl"} {
		t.Run(name, func(t *testing.T) { do(t, filepath.Join(t.TempDir(), name)) })
	}
}

// TestStopped: a writer that is stopped keeps its lock, readers go on, and
// once it continues so does everything.
func TestStopped(t *testing.T) {
	logs(t, func(t *testing.T, path string) {
		a := startAppend(t, path)
		require.NoError(t, a.cmd.Process.Signal(syscall.SIGSTOP))
		time.Sleep(300 * time.Millisecond)

		_, stderr, code := runJLQ(t, "1\n", "append", path)
		require.Equal(t, 6, code, stderr)
		require.Contains(t, stderr, fmt.Sprintf("process %d", a.cmd.Process.Pid))
		stdout, _, code := runJLQ(t, "", "cat", path)
		require.Zero(t, code)
		require.Equal(t, a.s.record(0)+"\n"+a.s.record(1)+"\n"+a.s.record(2)+"\n", stdout)
		for _, args := range [][]string{{"count", path}, {"get", path, "2"}, {"stat", path}, {"verify", path}} {
			_, stderr, code = runJLQ(t, "", args...)
			require.Zero(t, code, "%v: %s", args, stderr)
		}

		require.NoError(t, a.cmd.Process.Signal(syscall.SIGCONT))
		a.store(4)
		code, stderr = a.end()
		require.Zero(t, code, stderr)
		require.NoError(t, a.account().check(path))
	})
}

// TestLockHolderKilled: the lock dies with its holder, whatever became of him.
func TestLockHolderKilled(t *testing.T) {
	logs(t, func(t *testing.T, path string) {
		a := startAppend(t, path)
		require.NoError(t, a.cmd.Process.Signal(syscall.SIGSTOP))
		require.NoError(t, a.cmd.Process.Kill())
		_, _ = a.end()
		_, stderr, code := runJLQ(t, `"next"`+"\n", "append", path)
		require.Zero(t, code, stderr)
		stdout, _, _ := runJLQ(t, "", "get", path, "3")
		require.Equal(t, `"next"`+"\n", stdout)
	})
}

// TestInterrupted: SIGINT and SIGTERM end a writer in good order, with the
// code of the signal; all that it acknowledged is there and nothing is left to
// recover.
func TestInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		logs(t, func(t *testing.T, path string) {
			a := startAppend(t, path, "--sync", "os")
			require.NoError(t, a.cmd.Process.Signal(sig))
			require.False(t, a.s.await(a.acks), "its input is open still, and it ends")
			code, stderr := a.end()
			require.Equal(t, 128+int(sig), code, stderr)
			require.Contains(t, stderr, "3 records stored")
			require.NoError(t, a.account().checkSettledAs(path))
		})
	}
}
