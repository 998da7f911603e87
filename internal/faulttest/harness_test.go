package faulttest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noContext = context.Background()

// built is the program, built once for all tests.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// jlq returns the path of the program.
func jlq(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "jlq-fault"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", filepath.Join(built.dir, "jlq"), "example.com/jlq/cmd/jlq")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	require.NoError(t, built.err)
	return filepath.Join(built.dir, "jlq")
}

func removeBuilt() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}

// runLimit is how long a process may take before it counts as hanging.
const runLimit = 60 * time.Second

// process is a started program whose stdin and stdout are pipes.
type process struct {
	stdin  *os.File
	stdout *os.File
	stderr *os.File // a file, so that nobody has to drain it
}

// pipes makes a process's ends of its pipes, and ours.
func (p *process) pipes() (theirs []*os.File, err error) {
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if p.stderr, err = os.CreateTemp(built.dir, "stderr"); err != nil {
		return nil, err
	}
	p.stdin, p.stdout = stdin, stdout
	return []*os.File{in, out, p.stderr}, nil
}

// said is what the process wrote to stderr.
func (p *process) said() string {
	text, err := os.ReadFile(p.stderr.Name())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (p *process) close() {
	_ = p.stdin.Close()
	_ = p.stdout.Close()
	_ = p.stderr.Close()
	_ = os.Remove(p.stderr.Name())
}

// feed gives batches of records of s to an append --ack that has the pipes,
// each once the one before is acknowledged, and notes what is. It returns when
// stdout ends.
func (s *source) feed(stdin io.WriteCloser, stdout io.Reader, batches []int, pause time.Duration) error {
	acks := make(chan int)
	noted := make(chan error, 1)
	first := s.sent
	go func() { noted <- s.note(stdout, first, acks) }()
	for _, n := range batches {
		if !s.send(stdin, n) || !s.await(acks) {
			break
		}
		time.Sleep(pause)
	}
	_ = stdin.Close()
	for range acks {
	}
	return <-noted
}

// send reports whether anybody took the next n records. What was sent may be
// stored also where nobody seems to have.
func (s *source) send(stdin io.Writer, n int) bool {
	var lines []byte
	for range n {
		lines = append(append(lines, s.record(s.sent)...), '\n')
		s.sent++
	}
	_, err := stdin.Write(lines)
	return err == nil
}

// lines are the first n records, as jlq append takes them.
func (s *source) lines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(s.record(i) + "\n")
	}
	return b.String()
}

// await reports whether all that was sent was acknowledged.
func (s *source) await(acks <-chan int) bool {
	for n := range acks {
		if n+1 == s.sent {
			return true
		}
	}
	return false
}

// note reads acknowledged offsets. The k-th is that of record first+k. A last
// line that a kill cut is none.
func (s *source) note(stdout io.Reader, first int, acks chan<- int) error {
	defer close(acks)
	lines := bufio.NewReader(stdout)
	for n := first; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil
		}
		offset, err := strconv.ParseUint(strings.TrimSuffix(line, "\n"), 10, 64)
		if err != nil {
			return fmt.Errorf("acknowledgement %d: %w", n, err)
		}
		s.acked[n] = offset
		acks <- n
	}
}

// runJLQ runs it to its end without a fault and returns what it printed, and its
// exit code.
func runJLQ(t testing.TB, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, stop := context.WithTimeout(noContext, runLimit)
	defer stop()
	cmd := exec.CommandContext(ctx, jlq(t), args...)
	return finish(t, ctx, cmd, stdin)
}

func finish(t testing.TB, ctx context.Context, cmd *exec.Cmd, stdin string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "%v hangs: %s", cmd.Args, &errs)
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		require.NoError(t, err)
	}
	require.NotContains(t, errs.String(), "goroutine ", "a panic")
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// fed runs an append --ack to its end while s feeds it, and returns what it
// said and its exit code.
func fed(t testing.TB, s *source, batches []int, args ...string) (stderr string, code int) {
	t.Helper()
	ctx, stop := context.WithTimeout(noContext, runLimit)
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	fault := s.feed(stdin, stdout, batches, 0)
	_ = cmd.Wait() // the code says how
	require.NoError(t, ctx.Err(), "%v hangs: %s", args, &errs)
	require.NoError(t, fault)
	require.NotContains(t, errs.String(), "goroutine ", "a panic")
	return errs.String(), cmd.ProcessState.ExitCode()
}

// seed is that of the samples of one test.
func seed(t testing.TB) uint64 {
	s := rand.Uint64()
	if text := os.Getenv("JLQ_FAULTS_SEED"); text != "" {
		var err error
		s, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("JLQ_FAULTS_SEED=%d", s)
	return s
}

// sample returns up to n of all, in a random order; in a short run, a fifth.
func sample[T any](rng *rand.Rand, all []T, n int) []T {
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if everything() {
		return all
	}
	if testing.Short() {
		n /= 5
	}
	return all[:min(n, len(all))]
}
