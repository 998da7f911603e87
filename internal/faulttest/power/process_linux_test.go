package power

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// process is one that uses a log and tells what it learns.
type process struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	marks  map[string]chan struct{} // closed when it says so
	ended  chan struct{}            // its output ended
	err    error                    // what was wrong with its output
}

// marks are the words that a process says about itself.
var marks = []string{"ready", "open", "committed", "closing"}

// start starts a process. Each whole line of its output is translated and goes
// into the history, unless it is a mark.
func start(t testing.TB, h *history, cmd *exec.Cmd, translate func(line string) string) *process {
	t.Helper()
	p := &process{cmd: cmd, marks: map[string]chan struct{}{}, ended: make(chan struct{})}
	for _, m := range marks {
		p.marks[m] = make(chan struct{})
	}
	cmd.Stderr = &p.stderr
	// With the race detector each process would sleep a second before it ends.
	cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), cmd.Env...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended already, unless the test failed
	go func() {
		defer close(p.ended)
		p.err = p.listen(out, h, translate)
	}()
	return p
}

func (p *process) listen(out io.Reader, h *history, translate func(string) string) error {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil // what it was about to say when it was killed does not count
		}
		line = translate(strings.TrimSuffix(line, "\n"))
		if mark, ok := p.marks[line]; ok {
			close(mark)
		} else if err := h.note(line); err != nil {
			return err
		}
	}
}

// await waits until the process says mark, or ends.
func (p *process) await(mark string) {
	select {
	case <-p.marks[mark]:
	case <-p.ended:
	case <-time.After(20 * time.Second): // what follows then fails
	}
}

// end kills the process, if it has not ended, and takes in all that it said. It
// returns its exit code, -1 when it was killed.
func (p *process) end(t testing.TB) int {
	t.Helper()
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
	require.NoError(t, p.err)
	if _, exited := errors.AsType[*exec.ExitError](p.cmd.Wait()); !exited {
		require.NotNil(t, p.cmd.ProcessState)
	}
	return p.cmd.ProcessState.ExitCode()
}

// startChild starts the test binary as c.
func startChild(t testing.TB, h *history, c child) *process {
	t.Helper()
	what, err := json.Marshal(c)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{childEnv + "=" + string(what)}
	return start(t, h, cmd, func(line string) string { return line })
}

// startAppend starts jlq append --ack, and sends records to it until it ends or
// limit of them are sent; negative is no limit.
func startAppend(t testing.TB, h *history, path string, mode partition.SyncMode, epoch, limit int, pause time.Duration, flags ...string) *process {
	t.Helper()
	cmd := exec.Command(jlq(t), append([]string{"append", "--ack", "--sync", mode.String(), path}, flags...)...)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	n := 0
	p := start(t, h, cmd, func(line string) string {
		rec := record{Epoch: epoch, N: n}.line()
		n++
		return fmt.Sprintf("%d ack %s %s", now(), line, rec)
	})
	close(p.marks["ready"])
	close(p.marks["open"])
	go func() {
		for n := 0; n != limit; n++ {
			if _, err := io.WriteString(stdin, record{Epoch: epoch, N: n}.line()+"\n"); err != nil {
				return // it has ended
			}
			time.Sleep(pause)
		}
		close(p.marks["closing"])
		_ = stdin.Close() // it may have ended
	}()
	return p
}

// startTail starts jlq tail -f.
func startTail(t testing.TB, h *history, path string) *process {
	t.Helper()
	cmd := exec.Command(jlq(t), "tail", "-f", "-o", "0", "-F", "%o %v\\n", path)
	return start(t, h, cmd, func(line string) string { return fmt.Sprintf("%d saw %s", now(), line) })
}
