package queue

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// The faults of dotnet-file-queue, each as a test that its design would fail,
// and its features, each as a test that they are here.

// Fault: a value is gone as soon as it is read, whatever becomes of its consumer.
func TestFaultAtMostOnce(t *testing.T) {
	path := newPath(t)
	q := texts(t, path)
	put(t, q, "a", "b")
	require.NoError(t, q.Close())

	require.Equal(t, `"a" attempt 1`, killedConsumer(t, path))
	require.Equal(t, `"a" attempt 2`, killedConsumer(t, path), "nobody answered it")

	q = texts(t, path)
	item := take(t, q)
	require.Equal(t, "a", item.Value)
	require.Equal(t, 3, item.Attempts)
	item.Ack()
	require.Equal(t, []string{"b"}, takeAll(t, q, 1))
}

// killedConsumer dequeues in another process, which is killed then, and says
// what that had got.
func killedConsumer(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), consumeAndHang+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait(), "it ended by itself")
	return strings.TrimSpace(line)
}

// consumeAndHang makes the test binary a process that dequeues one value from
// the queue it names, says which, and hangs.
const consumeAndHang = "JLQ_QUEUE_CONSUME"

func TestMain(m *testing.M) {
	if path := os.Getenv(consumeAndHang); path != "" {
		consume(path)
	}
	os.Exit(m.Run())
}

func consume(path string) {
	q, err := Open(path, &Options[string]{})
	if err != nil {
		panic(err)
	}
	item, err := q.Dequeue(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q attempt %d\n", item.Value, item.Attempts)
	time.Sleep(time.Hour)
}

// Fault: a timeout that falls on the moment of a read throws away what was
// read, or a part of a value, after which the next one is broken too.
func TestFaultTimeoutThatEatsData(t *testing.T) {
	q := texts(t, newPath(t))
	const n = 400
	large := strings.Repeat("x", 100_000)
	go func() {
		for i := range n {
			if _, err := q.Enqueue(fmt.Sprint(i, large[:i%10*10_000])); err != nil {
				t.Errorf("enqueue: %v", err)
			}
		}
	}()
	timeouts := 0
	for i := 0; i < n; {
		item, err := dequeueWithin(q, time.Duration(timeouts%50)*20*time.Microsecond)
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			timeouts++
			continue
		}
		require.Equal(t, fmt.Sprint(i, large[:i%10*10_000]), item.Value)
		item.Ack()
		i++
	}
	require.Positive(t, timeouts)
	requireEmpty(t, q)
}

func dequeueWithin(q *Queue[string], timeout time.Duration) (*Item[string], error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return q.Dequeue(ctx)
}

// Fault: an empty value is written as no block at all and never read.
func TestFaultLostEmptyValues(t *testing.T) {
	t.Run("strings", func(t *testing.T) { requireThrough(t, JSON[string](), "", "x", "") })
	t.Run("text", func(t *testing.T) { requireThrough(t, Text(), "", "x", "") })
	t.Run("bytes", func(t *testing.T) { requireThrough(t, Bytes(), []byte{}, nil, []byte("x"), []byte{}) })
	t.Run("struct", func(t *testing.T) { requireThrough(t, JSON[struct{}](), struct{}{}, struct{}{}) })
	t.Run("pointer", func(t *testing.T) { requireThrough[*order](t, JSON[*order](), nil, &order{ID: 1}, nil) })
	t.Run("any", func(t *testing.T) {
		requireThrough[any](t, JSON[any](), nil, false, 0.0, "", []any{}, map[string]any{})
	})
	t.Run("array", func(t *testing.T) { requireThrough(t, JSON[[0]int](), [0]int{}, [0]int{}) })
}

// requireThrough puts values through a queue.
func requireThrough[T any](t *testing.T, codec Codec[T], values ...T) {
	q := open(t, newPath(t), &Options[T]{Codec: codec, Log: partition.Options{Sync: partition.SyncOS}})
	for _, v := range values {
		_, err := q.Enqueue(v)
		require.NoError(t, err)
	}
	require.Equal(t, values, takeAll(t, q, len(values)))
	requireEmpty(t, q)
}

// Fault: what does not parse is an exception for the consumer, and what is half
// written stops the queue for good.
func TestFaultBrokenValuesStopTheQueue(t *testing.T) {
	path := newPath(t)
	p, err := partition.Open(path, &partition.Options{Sync: partition.SyncOS, Validate: partition.Frame})
	require.NoError(t, err)
	for _, record := range []string{`{"id":1}`, `{"id":`, `{"id":"two"}`, "\xff", `[]`, `{"id":3}`} {
		_, err := p.Append([]byte(record))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
	q := open(t, path, &Options[order]{Log: partition.Options{Sync: partition.SyncOS}})
	require.Equal(t, []order{{ID: 1}, {ID: 3}}, takeAll(t, q, 2))
	requireEmpty(t, q)
	require.Equal(t, []string{`{"id":`, `{"id":"two"}`, "\xff", `[]`}, deadRecords(t, q))
}

// Fault: every step of going over to the next file leaves, when the process or
// the power fails there, a queue that hangs or loses a file.
func TestFaultCrashAroundARoll(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	losses := []vfs.CrashConfig{
		{Data: vfs.DataLost, Names: vfs.NamesLost},
		{Data: vfs.DataKept, Names: vfs.NamesKept},
		{Data: vfs.DataTorn, Names: vfs.NamesSubset, Seed: 1},
	}
	for at := 1; ; at++ {
		run := rollingRun(t, at)
		run.requireRecovers(t, run.mem.Kill())
		for _, loss := range losses {
			run.requireRecovers(t, run.mem.Crash(loss))
		}
		if !run.crashed {
			require.Greater(t, at, 100, "so few changes cannot have been all")
			return
		}
	}
}

// crashRun is a run of a queue on a file system that crashed.
type crashRun struct {
	mem      *vfs.Mem
	at       int
	crashed  bool
	sent     []string // enqueue was called
	stored   int      // of these, how many were acknowledged
	finished int      // and consumed, durably
}

// rollingRun fills three segments and consumes two of them, which are dropped,
// until the file system fails before its at-th change.
func rollingRun(t *testing.T, at int) *crashRun {
	run := &crashRun{mem: vfs.NewMem(), at: at}
	var mu sync.Mutex
	changes := 0
	fsys := vfs.NewFault(run.mem, func(op vfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if op.Kind.Changes() {
			changes++
		}
		if changes >= at {
			return vfs.ErrCrashed
		}
		return nil
	})
	err := run.work(rollingOptions(fsys))
	mu.Lock()
	defer mu.Unlock()
	run.crashed = changes >= at
	if !run.crashed {
		require.NoError(t, err)
	}
	return run
}

func rollingOptions(fsys vfs.FS) *Options[string] {
	return &Options[string]{DropConsumed: true, Log: partition.Options{FS: fsys, SegmentRecords: 2}}
}

func (r *crashRun) work(opts *Options[string]) error {
	q, err := Open("/jobs", opts)
	if err != nil {
		return err
	}
	return errors.Join(r.fill(q), q.Close())
}

func (r *crashRun) fill(q *Queue[string]) error {
	for i := range 6 {
		v := fmt.Sprint(i)
		r.sent = append(r.sent, v)
		if _, err := q.Enqueue(v); err != nil {
			return err
		}
		r.stored = len(r.sent)
		if i < 2 {
			continue
		}
		item, err := q.TryDequeue()
		if err != nil {
			return err
		}
		item.Ack()
		if err := q.Sync(); err != nil {
			return err
		}
		r.finished++
	}
	return nil
}

// requireRecovers says that all values come which were stored and not finished,
// in order, and that the queue works.
func (r *crashRun) requireRecovers(t *testing.T, mem *vfs.Mem) {
	t.Helper()
	q, err := Open("/jobs", rollingOptions(mem))
	require.NoError(t, err, "crash before change %d", r.at)
	var got []string
	for {
		item, err := q.TryDequeue()
		if errors.Is(err, ErrEmpty) {
			break
		}
		require.NoError(t, err, "crash before change %d", r.at)
		got = append(got, item.Value)
		item.Ack()
		require.NoError(t, q.Sync())
	}
	require.True(t, r.allowed(got), "crash before change %d: sent %q, of which %d are stored and %d finished; got %q", r.at, r.sent, r.stored, r.finished, got)
	put(t, q, "new")
	require.Equal(t, []string{"new"}, takeAll(t, q, 1))
	require.NoError(t, q.Close())
}

// allowed reports whether values are sent[from:to], where from is at most what
// was finished, and to at least what was stored. The commit under way when it
// crashed may have been done.
func (r *crashRun) allowed(got []string) bool {
	for from := range min(r.finished+2, len(r.sent)+1) {
		for to := max(r.stored, from); to <= len(r.sent); to++ {
			if slices.Equal(got, r.sent[from:to]) {
				return from >= r.finished
			}
		}
	}
	return false
}

// Fault: a value that could not be written is thrown at the caller after a part
// of it is in the file, and the reader stops there.
func TestFaultHalfAValueInTheFile(t *testing.T) {
	full := errors.New("disk full")
	var failing bool
	fsys := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
		if failing && op.Kind == vfs.OpWrite && strings.HasSuffix(op.Path, ".jsonl") {
			return vfs.ShortWrite{N: op.Size / 2, Err: full}
		}
		return nil
	})
	q := open(t, "/jobs", &Options[string]{Log: partition.Options{FS: fsys}})
	put(t, q, "a")
	failing = true
	_, err := q.Enqueue(strings.Repeat("b", 1000))
	require.ErrorIs(t, err, full)
	failing = false
	put(t, q, "c")
	require.Equal(t, []string{"a", "c"}, takeAll(t, q, 2))
	requireEmpty(t, q)
}

// Feature: Dequeue waits for a value, without a limit or with one.
func TestFeatureTimeout(t *testing.T) {
	q := texts(t, newPath(t))
	_, err := dequeueWithin(q, time.Millisecond)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = dequeueWithin(q, -time.Second)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(os.ErrProcessDone)
	_, err = q.Dequeue(ctx)
	require.ErrorIs(t, err, os.ErrProcessDone, "the cause of a context is told")
	got := make(chan string)
	go func() { got <- take(t, q).Value }()
	put(t, q, "x")
	require.Equal(t, "x", <-got)
}

// Feature: rolling by size; files that were consumed are removed.
func TestFeatureRollingBySize(t *testing.T) {
	path := newPath(t)
	q := texts(t, path, func(o *Options[string]) { o.DropConsumed, o.Log.SegmentBytes = true, 1000 })
	value := strings.Repeat("x", 100)
	for range 100 {
		put(t, q, value)
	}
	require.Len(t, segments(t, path), 12, "nothing was consumed yet")
	takeAll(t, q, 95)
	require.NoError(t, q.Sync())
	require.Eventually(t, func() bool { return len(segments(t, path)) == 2 }, patience, 10*time.Millisecond)
	require.Equal(t, 5, length(t, q))
	require.NoError(t, q.Close())
	q = texts(t, path, func(o *Options[string]) { o.DropConsumed = true })
	takeAll(t, q, 5)
	requireEmpty(t, q)
}

func segments(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(path, "*.jsonl"))
	require.NoError(t, err)
	return names
}

// What is to be consumed by another group stays.
func TestDroppingRespectsOtherGroups(t *testing.T) {
	path := newPath(t)
	q := texts(t, path, func(o *Options[string]) { o.DropConsumed, o.Log.SegmentRecords = true, 2 })
	other := texts(t, path, func(o *Options[string]) { o.ConsumeOnly, o.Group = true, "audit" })
	requireEmpty(t, other)
	put(t, q, "a", "b", "c", "d", "e")
	takeAll(t, q, 5)
	require.NoError(t, q.Close())
	require.Len(t, segments(t, path), 3)
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, takeAll(t, other, 5))
}

// Feature: an error directory, for what the converter cannot read. Here it is
// a log of its own, with the reason beside each value.
func TestFeatureErrorDirectory(t *testing.T) {
	path := newPath(t)
	q := open(t, path, &Options[int]{Codec: halves{}, Log: partition.Options{Sync: partition.SyncOS}})
	for i := range 4 {
		_, err := q.Enqueue(i)
		require.NoError(t, err)
	}
	require.Equal(t, []int{0, 2}, takeAll(t, q, 2))
	requireEmpty(t, q)
	dead, err := partition.OpenReader(filepath.Join(path, "dead", DefaultGroup, "0"), nil)
	require.NoError(t, err)
	defer dead.Close()
	first, err := dead.Get(0)
	require.NoError(t, err)
	require.Contains(t, string(first), `"offset":1`)
	require.Contains(t, string(first), "odd")
}

// Feature: a converter of one's own.
type halves struct{}

func (halves) AppendRecord(dst []byte, v int) ([]byte, error) {
	return fmt.Appendf(dst, `{"n":%d}`, v), nil
}

func (halves) Decode(record []byte) (v int, err error) {
	if _, err = fmt.Sscanf(string(record), `{"n":%d}`, &v); err == nil && v%2 == 1 {
		err = errors.New("odd")
	}
	return v, err
}

// Feature: the two converters that come with it, text in UTF-8 and anything as
// bytes.
func TestFeatureConverters(t *testing.T) {
	requireThrough(t, Text(), "grüße\n", strings.Repeat("x", 1<<20))
	requireThrough(t, Bytes(), []byte("\x00\xff\n"), []byte(base64.StdEncoding.EncodeToString([]byte("x"))))
}
