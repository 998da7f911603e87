//go:build unix

package group

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

func TestMain(m *testing.M) {
	if path, ok := os.LookupEnv("JLQ_MEMBER"); ok {
		consumeForever(path)
	}
	os.Exit(m.Run())
}

// consumeForever is another process that consumes as a member of g. It prints
// each record once it has it, and once it is acked. The record named by
// JLQ_POISON kills it.
func consumeForever(path string) {
	every := time.Second
	if os.Getenv("JLQ_COMMIT") == "often" {
		every = 5 * time.Millisecond
	}
	g, err := Open(path, "g", &Options{CommitEvery: every, Poll: 10 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	m, err := g.Join(context.Background())
	if err != nil {
		panic(err)
	}
	poison := os.Getenv("JLQ_POISON")
	os.Stdout.WriteString("joined\n")
	for msg, err := range m.Messages(context.Background()) {
		if err != nil {
			os.Stdout.WriteString(fmt.Sprintf("error %v\n", err))
			continue
		}
		id := fmt.Sprintf("%d@%d", msg.Partition(), msg.Offset)
		os.Stdout.WriteString(fmt.Sprintf("got %s %d\n", id, msg.Attempts))
		if id == poison {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		msg.Ack()
		os.Stdout.WriteString(fmt.Sprintf("acked %s\n", id))
	}
}

// child is a member in another process.
type child struct {
	cmd *exec.Cmd

	mu    sync.Mutex
	lines []string
	ended chan struct{} // it has printed its last
}

func startMember(t *testing.T, path string, env ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0]), ended: make(chan struct{})}
	c.cmd.Env = append(append(os.Environ(), "JLQ_MEMBER="+path), env...)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			c.mu.Lock()
			c.lines = append(c.lines, lines.Text())
			c.mu.Unlock()
		}
	}()
	t.Cleanup(func() { c.kill() })
	return c
}

// said are the lines that begin with a word, without it.
func (c *child) said(word string) (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range c.lines {
		if rest, ok := strings.CutPrefix(line, word+" "); ok || line == word {
			out = append(out, rest)
		}
	}
	return out
}

// kill ends the process as it is, and waits for what it had printed.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended by itself
	<-c.ended
	_ = c.cmd.Wait()
}

// until waits for what takes a moment.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "not within a minute: %s", what)
	}
}

// counts are how often each id was said.
func counts(children []*child, word string) map[string]int {
	n := map[string]int{}
	for _, c := range children {
		for _, line := range c.said(word) {
			id, _, _ := strings.Cut(line, " ")
			n[id]++
		}
	}
	return n
}

// Members that are killed at any moment lose no record: what they had acked and
// not committed comes again, and nothing else does.
func TestKillMembers(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/orders"
	const records = 4 * 60
	newTopicAt(t, vfs.OS, path, 4, records/4)
	var all []*child
	for range 4 {
		a, b := startMember(t, path, "JLQ_COMMIT=often"), startMember(t, path, "JLQ_COMMIT=often")
		all = append(all, a, b)
		before := len(counts(all, "acked"))
		until(t, "some records are acked", func() bool { n := len(counts(all, "acked")); return n > before+20 || n == records })
		a.kill()
		b.kill()
	}
	last := startMember(t, path)
	all = append(all, last)
	until(t, "all records are acked", func() bool { return len(counts(all, "acked")) == records })
	last.kill()
	for id, n := range counts(all, "got") {
		require.LessOrEqual(t, n, 5, "%s: once, and once more for each kill", id)
	}
}

// A record that kills whoever gets it becomes known by its attempts, and the
// ones before it are not delivered with it again and again.
func TestPoisonIsCounted(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/log"
	fill(t, vfs.OS, path, 20)
	for attempt := 1; attempt <= 4; attempt++ {
		c := startMember(t, path, "JLQ_POISON=0@7")
		<-c.ended
		got := c.said("got")
		want := fmt.Sprintf("0@7 %d", max(1, attempt-1))
		require.Equal(t, want, got[len(got)-1], "attempt %d: %v", attempt, got)
		if attempt > 2 {
			require.Len(t, got, 1, "what was before it is committed")
		}
	}
}

// A stopped process keeps its claim. Its successor, which gets it only when the
// locks are removed, is not undone by what the old one commits when it goes on.
func TestStoppedProcessIsFenced(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/log"
	fill(t, vfs.OS, path, 5)
	old := startMember(t, path)
	until(t, "all are acked", func() bool { return len(old.said("acked")) == 5 })
	g, err := Open(path, "g", nil)
	require.NoError(t, err)
	until(t, "they are committed", func() bool { return place(t, g) == 5 && !entry(t, g).Held })
	// What it wrote is seen before it gives the lock up, which is waited for.
	require.NoError(t, g.update(func(*offsets.File) error { return nil }))
	require.NoError(t, old.cmd.Process.Signal(syscall.SIGSTOP))

	fill(t, vfs.OS, path, 5)
	m, err := g.Join(t.Context())
	require.NoError(t, err)
	require.Empty(t, m.Partitions())
	lags, err := g.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, old.cmd.Process.Pid, lags[0].Member.PID, "it is named")
	_, err = g.Reset(t.Context(), ToStart())
	require.ErrorIs(t, err, partition.ErrLocked)
	require.ErrorContains(t, err, fmt.Sprintf("process %d", old.cmd.Process.Pid))
	require.NoError(t, m.Close())

	require.NoError(t, os.RemoveAll(path+"/groups"))
	m, err = g.Join(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{0}, m.Partitions())
	gen := entry(t, g).Gen
	require.NoError(t, old.cmd.Process.Signal(syscall.SIGCONT))
	until(t, "the old one knows", func() bool { return len(old.said("error")) > 0 })
	require.Equal(t, gen, entry(t, g).Gen)
	require.Equal(t, uint64(5), place(t, g))
	require.NoError(t, m.Close())
}

// Two processes that come at once share one partition in turns: no record goes
// to both.
func TestTwoProcessesOnePartition(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/log"
	fill(t, vfs.OS, path, 500)
	a, b := startMember(t, path), startMember(t, path)
	both := []*child{a, b}
	until(t, "both joined", func() bool { return len(a.said("joined"))+len(b.said("joined")) == 2 })
	until(t, "all are acked", func() bool { return len(counts(both, "acked")) == 500 })
	for id, n := range counts(both, "got") {
		require.Equal(t, 1, n, id)
	}
}

// 2, 4 and then 1 member over 8 partitions that are appended to all the time.
func TestRebalanceWhileAppending(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/orders"
	newTopicAt(t, vfs.OS, path, 8, 0)
	const records = 400
	appended := make(chan error, 1)
	go func() { appended <- appendSlowly(path, 8, records) }()
	var all []*child
	start := func(n int) {
		for range n {
			all = append(all, startMember(t, path))
		}
	}
	acked := func(n int) {
		until(t, fmt.Sprintf("%d are acked", n), func() bool { return len(counts(all, "acked")) >= n })
	}
	start(2)
	acked(records / 4)
	start(2)
	acked(records / 2)
	for _, c := range all[:3] {
		c.kill()
	}
	acked(records)
	require.NoError(t, <-appended)
}

func appendSlowly(path string, partitions, records int) (err error) {
	open := make([]*partition.Partition, partitions)
	for i := range open {
		if open[i], err = partition.Open(fmt.Sprintf("%s/%d", path, i), nil); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, open[i].Close()) }()
	}
	for n := range records {
		if _, err := open[n%partitions].Append(fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond) // spread over the joining and dying
	}
	return nil
}
