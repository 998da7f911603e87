package faulttest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// rounds is how often each log is killed under its writer.
func rounds() int {
	switch {
	case everything():
		return 200
	case testing.Short():
		return 3
	}
	return 12
}

// roundsUntil counts rounds, and says how much longer than usual a writer is to
// live in each: a machine that is busy gets less done in a round, so that more
// follow until it is enough.
func roundsUntil(enough func() bool) iter.Seq2[int, time.Duration] {
	return func(yield func(int, time.Duration) bool) {
		for round := 0; round < rounds() || round < rounds()+6 && !enough(); round++ {
			if longer := time.Duration(1) << max(0, round-rounds()+1); !yield(round, longer) {
				return
			}
		}
	}
}

// startRole starts this test binary as another process.
func startRole(t testing.TB, role, arg string) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role+":"+arg)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, out
}

// killed runs a writer, kills it a while after it began or, in every other
// round, after its first acknowledgement, and returns what its goroutines
// sent.
func killed(t testing.TB, role, mode string, round int, path string, after time.Duration) []*source {
	cmd, out := startRole(t, role, fmt.Sprintf("%s:%d:%s", mode, round, path))
	timer := time.AfterFunc(runLimit, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if round%2 == 1 {
		timer.Reset(after)
	}
	var all []*source
	for g := range goroutines {
		all = append(all, killedSource(strconv.Itoa(round), g))
	}
	lines := bufio.NewReader(out)
	for acked := 0; ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // a last line without newline says nothing
		}
		var g, n int
		var offset uint64
		_, err = fmt.Sscan(line, &g, &n, &offset)
		require.NoError(t, err, "%q", line)
		if acked++; acked == 1 && round%2 == 0 {
			timer.Reset(after)
		}
		all[g].acked[n] = offset
	}
	_ = cmd.Wait() // it was killed
	for _, s := range all {
		s.sent = len(s.acked) + syncEvery // more than one of those at once are in flight in no mode
	}
	return all
}

// witness is a reader in another process that remembers what it saw.
type witness struct {
	cmd  *exec.Cmd
	seen chan string
}

func startWitness(t testing.TB, path string) *witness {
	cmd, out := startRole(t, "follow", path)
	w := &witness{cmd, make(chan string, 1<<20)}
	go func() {
		defer close(w.seen)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			w.seen <- strings.TrimSuffix(line, "\n")
		}
	}()
	return w
}

// agrees waits until the witness has seen all that the log holds, and compares
// what it saw, at whatever time: each once and as it is still, unless it is
// gone.
func (w *witness) agrees(want []string) error {
	limit := time.After(runLimit)
	for offset := 0; offset < len(want); {
		select {
		case line, open := <-w.seen:
			if !open {
				return fmt.Errorf("the reader ended at offset %d", offset)
			}
			var err error
			if offset, err = step(offset, line, want); err != nil {
				return err
			}
		case <-limit:
			return fmt.Errorf("the reader did not come to offset %d of %d", offset, len(want))
		}
	}
	_ = w.cmd.Process.Kill()
	for line := range w.seen {
		return fmt.Errorf("a reader saw %q, which is not in the log", line)
	}
	return nil
}

// step is the offset behind what a reader at one offset said.
func step(offset int, line string, want []string) (int, error) {
	number, rec, _ := strings.Cut(line, " ")
	if number == "gone" {
		start, err := strconv.Atoi(rec)
		if err != nil || start <= offset || start > len(want) || !isDropped(want[start-1]) {
			return 0, fmt.Errorf("a reader at %d was told %q of a log of which %d are dropped", offset, line, count(want, isDropped))
		}
		return start, nil
	}
	if number != strconv.Itoa(offset) || rec != want[offset] && !isDropped(want[offset]) {
		return 0, fmt.Errorf("a reader saw %q where the log has %s at %d", line, want[offset], offset)
	}
	return offset + 1, nil
}

// TestKillLoop kills a process that appends again and again, while another one
// reads. What was acknowledged is there, and what was read stays.
func TestKillLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed(t), 0))
	for _, mode := range []string{"always", "interval", "os", "buffered"} {
		for _, name := range []string{"p", "f.jsonl", rolled} {
			t.Run(mode+" "+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), name)
				a := begun(t, path)
				w := startWitness(t, path)
				acked := 0
				enough := func() bool { return acked > 0 && (name != rolled || len(mustPairs(t, path)) > 1) }
				for round, longer := range roundsUntil(enough) {
					after := longer * time.Duration(5+rng.IntN(90)) * time.Millisecond
					a.sources = killed(t, "append", mode, round, path, after)
					for _, s := range a.sources {
						acked += len(s.acked)
					}
					require.NoError(t, a.check(path), "round %d, killed after %v", round, after)
				}
				require.Positive(t, acked)
				require.NoError(t, w.agrees(a.prior))
				pairs := mustPairs(t, path)
				require.Equal(t, name == rolled, len(pairs) > 1)
				t.Logf("%d records acknowledged, %d stored in %d segments", acked, len(a.prior), len(pairs))
			})
		}
	}
}

// begun makes a log of one record, which a reader can open.
func begun(t testing.TB, path string) *account {
	p, err := partition.Open(path, nil)
	require.NoError(t, err)
	_, err = p.Append([]byte(`"begun"`))
	require.NoError(t, errors.Join(err, p.Close()))
	return &account{prior: []string{`"begun"`}}
}

// TestKillLoopNotices is the negative control: of a writer that acknowledges
// before it appends, the loop finds that records are lost.
func TestKillLoopNotices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	a := begun(t, path)
	for round := range 100 {
		a.sources = killed(t, "lie", "os", round, path, time.Duration(10+round)*time.Millisecond)
		if err := a.check(path); err != nil {
			require.ErrorContains(t, err, "lost")
			return
		}
	}
	t.Fatal("nothing was noticed")
}

// TestWitnessNotices is the negative control of the reader that remembers.
func TestWitnessNotices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	a := begun(t, path)
	w := startWitness(t, path)
	require.NoError(t, w.agrees(a.prior))
	w = startWitness(t, path)
	require.Error(t, w.agrees([]string{`"other"`}), "it changed")
	w = startWitness(t, path)
	require.Eventually(t, func() bool { return len(w.seen) == 1 }, runLimit, time.Millisecond)
	require.Error(t, w.agrees(nil), "it vanished")
}

// TestStep is the control of a reader that retention overtakes.
func TestStep(t *testing.T) {
	want := []string{dropped, dropped, `2`, `3`}
	for line, next := range map[string]int{"1 anything": 2, "gone 2": 2} {
		got, err := step(1, line, want)
		require.NoError(t, err, line)
		require.Equal(t, next, got)
	}
	for _, line := range []string{"2 2", "0 0", "gone 1", "gone 3", "gone 9", "gone", "", "error EOF"} {
		_, err := step(1, line, want)
		require.Error(t, err, line)
	}
	_, err := step(2, "2 3", want)
	require.Error(t, err)
}

// programLogs are the logs of TestKillProgram, with the flags of those who
// append to them.
var programLogs = map[string][]string{
	"p": nil, "f.jsonl": nil,
	rolled:  {"--segment-bytes", "20000"},
	trimmed: {"--segment-bytes", "20000", "--keep-records", strconv.Itoa(kept)},
}

// kept is how many records stay in a log that drops segments.
const kept = 500

// TestKillProgram kills jlq append at any time of its life while it is fed in
// batches of all sizes, beside a reader that remembers.
func TestKillProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed(t), 1))
	for _, mode := range []string{"always", "interval", "os"} {
		for name, flags := range programLogs {
			t.Run(mode+" "+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), name)
				a := begun(t, path)
				if name == trimmed {
					a.keep = kept
				}
				w := startWitness(t, path)
				enough := func() bool {
					return (flags == nil || len(mustPairs(t, path)) > 1) && (name != trimmed || count(a.prior, isDropped) > 0)
				}
				for round, longer := range roundsUntil(enough) {
					s := newSource(strconv.Itoa(round))
					batches := make([]int, 2000)
					for i := range batches {
						batches[i] = 1 + rng.IntN(1<<rng.IntN(10))
					}
					after := longer * time.Duration(20+rng.IntN(150)) * time.Millisecond
					require.NoError(t, killFed(t, s, batches, after, append(flags, "--sync", mode, path)...))
					a.sources = []*source{s}
					require.NoError(t, a.check(path), "round %d, killed after %v", round, after)
				}
				require.NoError(t, w.agrees(a.prior))
				pairs := mustPairs(t, path)
				require.Equal(t, flags != nil, len(pairs) > 1)
				require.Equal(t, name == trimmed, count(a.prior, isDropped) > 0)
				t.Logf("%d records, %d of them dropped, %d segments", len(a.prior), count(a.prior, isDropped), len(pairs))
			})
		}
	}
}

// killFed feeds jlq append and kills it.
func killFed(t testing.TB, s *source, batches []int, after time.Duration, args ...string) error {
	cmd := exec.Command(jlq(t), append([]string{"append", "--ack"}, args...)...)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err = s.feed(stdin, stdout, batches, 0)
	_ = cmd.Wait() // it was killed
	return err
}

// linesOf returns what a process says until it ends.
func linesOf(t testing.TB, out io.Reader) []string {
	t.Helper()
	text, err := io.ReadAll(out)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
