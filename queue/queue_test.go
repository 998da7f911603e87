package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// patience is how long a test waits for what must come. Nothing is measured by
// it: a test that meets it has failed.
const patience = 60 * time.Second

// open opens a queue that a test closes itself or leaves to its end.
func open[T any](t testing.TB, path string, opts *Options[T]) *Queue[T] {
	t.Helper()
	q, err := Open(path, opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := q.Close(); !errors.Is(err, fs.ErrClosed) {
			require.NoError(t, err)
		}
	})
	return q
}

// texts is a queue of strings that does not wait for the disk.
func texts(t testing.TB, path string, change ...func(*Options[string])) *Queue[string] {
	t.Helper()
	opts := &Options[string]{Log: partition.Options{Sync: partition.SyncOS}}
	for _, c := range change {
		c(opts)
	}
	return open(t, path, opts)
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "jobs") }

func put(t testing.TB, q *Queue[string], values ...string) {
	t.Helper()
	for _, v := range values {
		_, err := q.Enqueue(v)
		require.NoError(t, err)
	}
}

// take dequeues one value, which has to come.
func take[T any](t testing.TB, q *Queue[T]) *Item[T] {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	item, err := q.Dequeue(ctx)
	require.NoError(t, err)
	return item
}

// takeAll dequeues and acks so many values.
func takeAll[T any](t testing.TB, q *Queue[T], n int) (values []T) {
	t.Helper()
	for range n {
		item := take(t, q)
		item.Ack()
		values = append(values, item.Value)
	}
	return values
}

// requireEmpty says that nothing waits, and that nothing comes.
func requireEmpty[T any](t testing.TB, q *Queue[T]) {
	t.Helper()
	_, err := q.TryDequeue()
	require.ErrorIs(t, err, ErrEmpty)
}

func TestValuesComeInOrder(t *testing.T) {
	path := newPath(t)
	q := texts(t, path)
	for i := range 100 {
		offset, err := q.Enqueue(fmt.Sprint(i))
		require.NoError(t, err)
		require.Equal(t, uint64(i), offset)
	}
	for i := range 60 {
		item := take(t, q)
		require.Equal(t, fmt.Sprint(i), item.Value)
		require.Equal(t, uint64(i), item.Offset)
		require.Equal(t, 1, item.Attempts)
		item.Ack()
	}
	require.NoError(t, q.Close())
	q = texts(t, path)
	for i := 60; i < 100; i++ {
		require.Equal(t, []string{fmt.Sprint(i)}, takeAll(t, q, 1))
	}
	requireEmpty(t, q)
}

func TestBatch(t *testing.T) {
	q := texts(t, newPath(t))
	put(t, q, "before")
	first, err := q.EnqueueBatch([]string{"a", "", "c"})
	require.NoError(t, err)
	require.Equal(t, uint64(1), first)
	_, err = q.EnqueueBatch(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"before", "a", "", "c"}, takeAll(t, q, 4))
	requireEmpty(t, q)
}

func TestRefusedValuesChangeNothing(t *testing.T) {
	q := open(t, newPath(t), &Options[string]{Codec: Text(), Log: partition.Options{Sync: partition.SyncOS, MaxRecordBytes: 100}})
	_, err := q.Enqueue("\xff")
	require.ErrorIs(t, err, ErrNotUTF8)
	_, err = q.EnqueueBatch([]string{"a", "\xff"})
	require.ErrorIs(t, err, ErrNotUTF8)
	require.ErrorContains(t, err, "value 1 of 2")
	_, err = q.Enqueue(string(make([]byte, 200)))
	require.ErrorIs(t, err, partition.ErrTooLarge)
	requireEmpty(t, q)
	put(t, q, "b")
	require.Equal(t, []string{"b"}, takeAll(t, q, 1))
}

func TestTryDequeueSeesWhatWasEnqueued(t *testing.T) {
	q := texts(t, newPath(t))
	requireEmpty(t, q)
	for i := range 1000 {
		put(t, q, fmt.Sprint(i))
		item, err := q.TryDequeue()
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), item.Value)
		item.Ack()
		requireEmpty(t, q)
	}
}

func TestPeekTakesNothing(t *testing.T) {
	path := newPath(t)
	q := texts(t, path)
	_, err := q.Peek()
	require.ErrorIs(t, err, ErrEmpty)
	put(t, q, "a", "b")
	for range 3 {
		v, err := q.Peek()
		require.NoError(t, err)
		require.Equal(t, "a", v)
		require.Equal(t, 2, length(t, q))
	}
	require.Equal(t, "a", take(t, q).Value)
	v, err := q.Peek()
	require.NoError(t, err)
	require.Equal(t, "b", v)
	require.NoError(t, q.Close())

	q = texts(t, path)
	require.Equal(t, []string{"a", "b"}, takeAll(t, q, 2), "neither was answered")
}

func length[T any](t testing.TB, q *Queue[T]) int {
	t.Helper()
	n, err := q.Len()
	require.NoError(t, err)
	return n
}

func TestLenCountsWhatWaits(t *testing.T) {
	path := newPath(t)
	q := texts(t, path, quick)
	require.Zero(t, length(t, q))
	put(t, q, "a", "b", "c")
	require.Equal(t, 3, length(t, q))
	a, b := take(t, q), take(t, q)
	require.Equal(t, 1, length(t, q))
	require.Equal(t, 2, q.InFlight())
	b.Ack()
	require.Equal(t, 1, q.InFlight())
	a.Nack(errors.New("again"))
	require.Equal(t, 2, length(t, q), "it waits again")
	require.Zero(t, q.InFlight())
	require.NoError(t, q.Close())

	q = texts(t, path)
	require.Equal(t, 3, length(t, q), "b was answered before a, and comes again")
}

// quick has failed values come again at once.
func quick(o *Options[string]) {
	o.Delivery.RetryDelay, o.Delivery.RetryMax = time.Microsecond, time.Microsecond
}

func TestNackedValuesComeAgain(t *testing.T) {
	q := texts(t, newPath(t), quick, func(o *Options[string]) { o.Delivery.MaxAttempts = 3 })
	put(t, q, "poison", "good")
	seen := map[string]int{}
	for seen["poison"] < 3 || seen["good"] < 1 {
		item := take(t, q)
		seen[item.Value]++
		require.Equal(t, seen[item.Value], item.Attempts)
		if item.Value == "poison" {
			item.Nack(errors.New("does not agree with me"))
		} else {
			item.Ack()
		}
	}
	requireEmpty(t, q)
	require.Zero(t, length(t, q))
	require.Equal(t, []string{`"poison"`}, deadRecords(t, q))
}

func TestDeadValuesGoToTheDeadLetters(t *testing.T) {
	q := texts(t, newPath(t))
	put(t, q, "bad", "good")
	take(t, q).Dead(errors.New("beyond repair"))
	require.Equal(t, []string{"good"}, takeAll(t, q, 1))
	requireEmpty(t, q)
	require.Equal(t, []string{`"bad"`}, deadRecords(t, q))
}

// deadRecords are the records of the dead letters, as they were stored.
func deadRecords[T any](t testing.TB, q *Queue[T]) (records []string) {
	t.Helper()
	dead, err := partition.OpenReader(q.Group().DeadPath(0), nil)
	require.NoError(t, err)
	defer dead.Close()
	for record, err := range dead.Records(0) {
		require.NoError(t, err)
		var letter struct {
			Record    json.RawMessage `json:"record"`
			RecordB64 []byte          `json:"record_b64"`
		}
		require.NoError(t, json.Unmarshal(record.Data, &letter))
		records = append(records, string(letter.Record)+string(letter.RecordB64))
	}
	return records
}

func TestManyGoroutines(t *testing.T) {
	const producers, consumers, each = 4, 4, 500
	q := texts(t, newPath(t))
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for i := range each {
				if _, err := q.Enqueue(fmt.Sprintf("%d/%04d", p, i)); err != nil {
					t.Errorf("enqueue: %v", err)
				}
			}
		})
	}
	got := make([][]string, consumers)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var left sync.WaitGroup
	left.Add(producers * each)
	go func() { left.Wait(); cancel() }()
	for c := range consumers {
		wg.Go(func() {
			for {
				item, err := q.Dequeue(ctx)
				if err != nil {
					return
				}
				got[c] = append(got[c], item.Value)
				item.Ack()
				left.Done()
			}
		})
	}
	wg.Wait()
	require.ErrorIs(t, context.Cause(ctx), context.Canceled, "not all came")
	all := slices.Sorted(slices.Values(slices.Concat(got...)))
	require.Len(t, slices.Compact(all), producers*each)
	for _, values := range got {
		requireOrderOfEach(t, values)
	}
	requireEmpty(t, q)
}

// requireOrderOfEach says that the values of each producer came in its order.
func requireOrderOfEach(t testing.TB, values []string) {
	t.Helper()
	slices.SortStableFunc(values, func(a, b string) int { return int(a[0]) - int(b[0]) })
	require.True(t, slices.IsSorted(values))
}

func TestCloseEndsWaiting(t *testing.T) {
	q := texts(t, newPath(t))
	ended := make(chan error)
	for range 3 {
		go func() {
			_, err := q.Dequeue(context.Background())
			ended <- err
		}()
	}
	require.NoError(t, q.Close())
	for range 3 {
		require.ErrorIs(t, <-ended, fs.ErrClosed)
	}
	_, err := q.Enqueue("x")
	require.ErrorIs(t, err, fs.ErrClosed)
	_, err = q.TryDequeue()
	require.ErrorIs(t, err, fs.ErrClosed)
	_, err = q.Peek()
	require.ErrorIs(t, err, fs.ErrClosed)
	_, err = q.Len()
	require.ErrorIs(t, err, fs.ErrClosed)
	require.ErrorIs(t, q.Sync(), fs.ErrClosed)
	require.ErrorIs(t, q.Close(), fs.ErrClosed)
}

func TestSyncCommits(t *testing.T) {
	path := newPath(t)
	q := texts(t, path)
	put(t, q, "a", "b")
	takeAll(t, q, 1)
	require.NoError(t, q.Sync())
	place, err := offsets.Locate(vfs.OS, path)
	require.NoError(t, err)
	file, _, err := offsets.Read(vfs.OS, place)
	require.NoError(t, err)
	require.Equal(t, uint64(1), file.Groups[DefaultGroup]["0"].Next)
}

func TestConsumeOnly(t *testing.T) {
	path := newPath(t)
	_, err := Open(path, &Options[string]{ConsumeOnly: true})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "without ConsumeOnly")
	_, err = Open(path, &Options[string]{ConsumeOnly: true, DropConsumed: true})
	require.ErrorIs(t, err, fs.ErrInvalid)
	producer := texts(t, path)
	consumer := texts(t, path, func(o *Options[string]) { o.ConsumeOnly = true })
	_, err = consumer.Enqueue("x")
	require.ErrorIs(t, err, partition.ErrReadOnly)
	go func() { _, _ = producer.Enqueue("a") }()
	require.Equal(t, []string{"a"}, takeAll(t, consumer, 1))
	require.NoError(t, consumer.Sync())
	require.NoError(t, consumer.Close())
	requireEmpty(t, producer)
}

// A second consumer waits, and takes over when the first is gone.
func TestAnotherConsumerTakesOver(t *testing.T) {
	path := newPath(t)
	first := texts(t, path)
	put(t, first, "a", "b")
	require.Equal(t, []string{"a"}, takeAll(t, first, 1))
	second := texts(t, path, func(o *Options[string]) { o.ConsumeOnly = true })
	_, err := second.TryDequeue()
	require.ErrorIs(t, err, ErrElsewhere)
	got := make(chan *Item[string])
	go func() {
		item, err := second.Dequeue(t.Context())
		if err != nil {
			t.Errorf("dequeue: %v", err)
		}
		got <- item
	}()
	require.NoError(t, first.Close())
	require.Equal(t, "b", (<-got).Value)
}

func TestOneProcessEnqueues(t *testing.T) {
	path := newPath(t)
	texts(t, path)
	_, err := Open[string](path, nil)
	require.ErrorIs(t, err, partition.ErrLocked)
	require.ErrorContains(t, err, "Options.ConsumeOnly")
}

// Two queues of different groups each get every value.
func TestGroupsAreQueuesOfTheirOwn(t *testing.T) {
	path := newPath(t)
	q := texts(t, path)
	other := texts(t, path, func(o *Options[string]) { o.ConsumeOnly, o.Group = true, "audit" })
	put(t, q, "a", "b")
	require.Equal(t, []string{"a", "b"}, takeAll(t, q, 2))
	require.Equal(t, []string{"a", "b"}, takeAll(t, other, 2))
}

// A log that is there already becomes a queue of what it holds, bare files too.
func TestLogsBecomeQueues(t *testing.T) {
	for _, name := range []string{"jobs", "jobs.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		p, err := partition.Open(path, nil)
		require.NoError(t, err)
		_, err = p.AppendBatch([][]byte{[]byte(`{"id":1}`), []byte(`{"id":2,"tags":["x"]}`)})
		require.NoError(t, err)
		require.NoError(t, p.Close())
		q := open(t, path, &Options[order]{})
		require.Equal(t, []order{{ID: 1}, {ID: 2, Tags: []string{"x"}}}, takeAll(t, q, 2))
		_, err = q.Enqueue(order{ID: 3})
		require.NoError(t, err)
		require.Equal(t, []order{{ID: 3}}, takeAll(t, q, 1))
	}
}

// A log that is there already, and has no group, loses nothing when it becomes a
// queue that drops what is consumed: not at opening, where retention begins.
func TestNothingGoesBeforeAnybodyConsumes(t *testing.T) {
	path := newPath(t)
	p, err := partition.Open(path, &partition.Options{SegmentRecords: 2, Sync: partition.SyncOS})
	require.NoError(t, err)
	for i := range 6 {
		_, err := p.Append(fmt.Appendf(nil, `"%d"`, i))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
	q := texts(t, path, func(o *Options[string]) { o.DropConsumed = true })
	require.Equal(t, 6, length(t, q))
	require.NoError(t, q.Close())
	q = texts(t, path, func(o *Options[string]) { o.DropConsumed = true })
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5"}, takeAll(t, q, 6))
}

// A value that Peek saw belongs to the claim: when that is lost, what is given
// out next is what the new one begins with.
func TestPeekedValueIsGivenUpWithTheClaim(t *testing.T) {
	path := newPath(t)
	q := texts(t, path)
	put(t, q, "a", "b")
	takeAll(t, q, 1)
	v, err := q.Peek()
	require.NoError(t, err)
	require.Equal(t, "b", v)

	place, err := offsets.Locate(vfs.OS, path)
	require.NoError(t, err)
	_, err = offsets.Update(vfs.OS, place, 0, func(f *offsets.File) error {
		e, _ := f.Lookup(DefaultGroup, "0")
		e.Gen++
		f.Set(DefaultGroup, "0", e)
		return nil
	})
	require.NoError(t, err)
	require.ErrorIs(t, q.Sync(), group.ErrFenced)
	require.Equal(t, []string{"a", "b"}, untilBoth(t, q))
}

// untilBoth takes two values; that the claim was lost may be told in between.
func untilBoth(t *testing.T, q *Queue[string]) (values []string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for len(values) < 2 {
		item, err := q.Dequeue(ctx)
		if errors.Is(err, group.ErrFenced) {
			continue
		}
		require.NoError(t, err)
		values = append(values, item.Value)
		item.Ack()
	}
	return values
}
