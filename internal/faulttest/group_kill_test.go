package faulttest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

func init() { roles["consume"] = consumeUntilKilled }

// consumeUntilKilled is a member of a group that says each record before it
// acks it.
func consumeUntilKilled(path string) {
	g, err := group.Open(path, "g", &group.Options{CommitEvery: 5 * time.Millisecond, Poll: 5 * time.Millisecond, MaxAttempts: -1})
	if err != nil {
		panic(err)
	}
	m, err := g.Join(noContext)
	if err != nil {
		panic(err)
	}
	for msg, err := range m.Messages(noContext) {
		if err != nil {
			panic(err)
		}
		say("%s", msg.Data)
		msg.Ack()
	}
}

// consumers are the programs that are killed. Each says a record on its stdout
// before that is finished.
var consumers = map[string]func(t testing.TB, path string) *exec.Cmd{
	"exec": func(t testing.TB, path string) *exec.Cmd {
		return exec.Command(jlq(t), "consume", "-f", "-g", "g", "--max-attempts", "-1", "--exec", "cat", path)
	},
	"parallel exec": func(t testing.TB, path string) *exec.Cmd {
		return exec.Command(jlq(t), "consume", "-f", "-g", "g", "--max-attempts", "-1", "--parallel", "3", "--exec", "cat", path)
	},
	"pipe": func(t testing.TB, path string) *exec.Cmd {
		return exec.Command(jlq(t), "consume", "-f", "-g", "g", "--max-attempts", "-1", path)
	},
}

// groupPartitions is how many the topic has that is consumed.
const groupPartitions = 3

// TestKillConsumers kills one to three consumers of a group again and again,
// at any moment, while a writer appends, rolls, and drops all that is consumed.
// Each record is finished, none is committed before, and what was committed
// does not come again.
func TestKillConsumers(t *testing.T) {
	kinds := []string{"member", "exec", "parallel exec", "pipe"}
	if testing.Short() {
		kinds = kinds[:2]
	}
	for _, kind := range kinds {
		if kind != "member" {
			jlq(t) // is built before its time counts
		}
		rng := rand.New(rand.NewPCG(seed(t), 2))
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := beginWork(t, kind)
			for round := range groupRounds() {
				w.round(t, rng, round)
			}
			w.finish(t)
		})
	}
}

func groupRounds() int {
	switch {
	case everything():
		return 60
	case testing.Short():
		return 2
	}
	return 4
}

// groupWork is a topic with a writer and consumers that come and go.
type groupWork struct {
	kind string
	path string
	g    *group.Group
	stop chan struct{}
	done chan error

	mu   sync.Mutex
	at   map[int]topic.ID // where record n is
	seen map[int]int      // how often it was said
	bad  []error
}

func beginWork(t *testing.T, kind string) *groupWork {
	w := &groupWork{
		kind: kind, path: filepath.Join(t.TempDir(), "orders"), stop: make(chan struct{}), done: make(chan error, 1),
		at: map[int]topic.ID{}, seen: map[int]int{},
	}
	opts := &topic.Options{Partition: partition.Options{
		Sync: partition.SyncOS, SegmentRecords: 10, Retention: partition.Retention{MaxRecords: 1},
	}}
	require.NoError(t, topic.Create(w.path, groupPartitions, opts))
	var err error
	w.g, err = group.Open(w.path, "g", nil)
	require.NoError(t, err)
	require.NoError(t, w.g.Register(t.Context()), "or everything is dropped before anybody consumes")
	tp, err := topic.Open(w.path, opts)
	require.NoError(t, err)
	go func() { w.done <- errors.Join(w.produce(tp), tp.Close()) }()
	return w
}

// aheadMost is how far the writer gets ahead of the consumers, which have to come
// to the end in time.
const aheadMost = 300

// produce appends until it is stopped.
func (w *groupWork) produce(tp *topic.Topic) error {
	for n := 0; ; {
		select {
		case <-w.stop:
			return nil
		case <-time.After(2 * time.Millisecond):
		}
		// Whoever reads it asks where it is, so that has to be known first.
		w.mu.Lock()
		if len(w.at)-len(w.seen) >= aheadMost {
			w.mu.Unlock()
			continue
		}
		id, err := tp.Append(nil, fmt.Appendf(nil, `{"n":%d}`, n))
		w.at[n] = id
		n++
		w.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// committed is where the group is.
func (w *groupWork) committed(t *testing.T) (next [groupPartitions]uint64) {
	lags, err := w.g.Lag(t.Context())
	require.NoError(t, err)
	for _, l := range lags {
		require.NoError(t, l.Err)
		require.Zero(t, l.Lost, "retention dropped what the group had not consumed")
		next[l.Partition] = l.Committed
	}
	return next
}

// consumer is a process that consumes.
type groupConsumer struct {
	cmd   *exec.Cmd
	ended chan struct{} // its last word was taken in
	first chan struct{} // its first was
}

func (w *groupWork) start(t *testing.T) *groupConsumer {
	floor := w.committed(t)
	c := &groupConsumer{ended: make(chan struct{}), first: make(chan struct{})}
	var out io.ReadCloser
	if w.kind == "member" {
		c.cmd, out = startRole(t, "consume", w.path)
	} else {
		c.cmd = consumers[w.kind](t, w.path)
		var err error
		out, err = c.cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.cmd.Start())
		t.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() })
	}
	go func() {
		defer close(c.ended)
		lines := bufio.NewReader(out)
		for n := 0; ; n++ {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return // a last line without newline says nothing
			}
			if n == 0 {
				close(c.first)
			}
			w.take(line, floor)
		}
	}()
	return c
}

// take notes a record that a consumer said, which began when the group was at
// floor.
func (w *groupWork) take(line []byte, floor [groupPartitions]uint64) {
	var rec struct{ N *int }
	err := json.Unmarshal(line, &rec)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || rec.N == nil {
		w.bad = append(w.bad, fmt.Errorf("%q is no record", line))
		return
	}
	w.seen[*rec.N]++
	if id := w.at[*rec.N]; id.Offset < floor[id.Partition] {
		w.bad = append(w.bad, fmt.Errorf("%v came again, and %d was committed", id, floor[id.Partition]))
	}
}

func (c *groupConsumer) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended // what it started may live a little longer
	_ = c.cmd.Wait()
}

// round has consumers work, kills some of them while the others go on, then all,
// and checks.
func (w *groupWork) round(t *testing.T, rng *rand.Rand, round int) {
	var all []*groupConsumer
	for range 1 + rng.IntN(3) {
		all = append(all, w.start(t))
	}
	if round%2 == 0 {
		w.someFirst(t, all)
	}
	for _, c := range all {
		time.Sleep(time.Duration(rng.IntN(500)) * time.Millisecond)
		c.kill()
	}
	w.check(t)
}

// someFirst waits until one of them has said a record.
func (w *groupWork) someFirst(t *testing.T, all []*groupConsumer) {
	some := make(chan struct{}, len(all))
	for _, c := range all {
		go func() {
			select {
			case <-c.first:
			case <-c.ended:
			}
			some <- struct{}{}
		}()
	}
	select {
	case <-some:
	case <-time.After(runLimit):
		t.Fatal("nobody got a record")
	}
}

// check is made while nobody consumes.
func (w *groupWork) check(t *testing.T) {
	next := w.committed(t)
	w.mu.Lock()
	defer w.mu.Unlock()
	require.NoError(t, errors.Join(w.bad...))
	for n, id := range w.at {
		require.True(t, w.seen[n] > 0 || id.Offset >= next[id.Partition], "%v is committed, and nobody finished it", id)
	}
}

// finish stops the writer and has a last consumer finish everything.
func (w *groupWork) finish(t *testing.T) {
	close(w.stop)
	require.NoError(t, <-w.done)
	last := w.start(t)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.seen) == len(w.at)
	}, runLimit, 5*time.Millisecond, "each record is finished")
	last.kill()
	w.check(t)
	again := 0
	for _, n := range w.seen {
		again += n - 1
	}
	start := uint64(0)
	for i := range groupPartitions {
		p, err := partition.OpenReader(topic.PartitionPath(w.path, i), nil)
		require.NoError(t, err)
		s, _ := p.Bounds()
		start += s
		require.NoError(t, p.Close())
	}
	t.Logf("%d records, %d dropped behind the group, %d delivered again", len(w.at), start, again)
}
