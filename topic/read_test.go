package topic

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// at is a record with a time, in seconds.
func at(sec int, name string) []byte { return fmt.Appendf(nil, `{"ts":%d,"name":%q}`, 1e9+sec, name) }

// put stores records in partitions by hand.
func put(t testing.TB, opts *Options, records map[int][][]byte) {
	t.Helper()
	top := mustOpen(t, opts)
	for i, data := range records {
		p, err := top.Partition(i)
		require.NoError(t, err)
		_, err = p.AppendBatch(data)
		require.NoError(t, err)
	}
	require.NoError(t, top.Close())
}

// names are those of the records, in order.
func names(t testing.TB, records iter.Seq2[Record, error]) (out []string) {
	t.Helper()
	for rec, err := range records {
		require.NoError(t, err)
		out = append(out, nameOf(t, rec))
	}
	return out
}

func nameOf(t testing.TB, rec Record) string {
	var v struct{ Name string }
	require.NoError(t, rec.Decode(&v))
	return fmt.Sprintf("%s=%d@%d", v.Name, rec.ID.Partition, rec.ID.Offset)
}

// TestRecordsOrder: in the order of time, where records without one stay next
// to their neighbours, or by partition; forwards and backwards.
func TestRecordsOrder(t *testing.T) {
	_, opts := newTopic(t, 3)
	put(t, opts, map[int][][]byte{
		0: {at(1, "a"), []byte(`{"name":"b"}`), at(6, "c"), at(6, "d")},
		1: {[]byte(`{"name":"e"}`), at(2, "f"), at(6, "g"), at(3, "late")},
		2: {at(0, "h"), at(9, "i")},
	})
	top, err := OpenReader("orders", opts)
	require.NoError(t, err)
	byTime := []string{"e=1@0", "h=2@0", "a=0@0", "b=0@1", "f=1@1", "c=0@2", "d=0@3", "g=1@2", "late=1@3", "i=2@1"}
	require.Equal(t, byTime, names(t, top.Records(nil)))
	require.Equal(t, byTime, names(t, top.Records(&ReadOptions{TimeField: "ts"})), "again")
	require.Equal(t, []string{"a=0@0", "b=0@1", "c=0@2", "d=0@3", "e=1@0", "f=1@1", "g=1@2", "late=1@3", "h=2@0", "i=2@1"},
		names(t, top.Records(&ReadOptions{ByPartition: true})))
	require.Equal(t, []string{"i=2@1", "h=2@0", "late=1@3", "g=1@2", "f=1@1", "e=1@0", "d=0@3", "c=0@2", "b=0@1", "a=0@0"},
		names(t, top.Records(&ReadOptions{ByPartition: true, Backward: true})))
	require.Equal(t, []string{"i=2@1", "d=0@3", "c=0@2", "b=0@1", "late=1@3", "g=1@2", "f=1@1", "e=1@0", "a=0@0", "h=2@0"},
		names(t, top.Records(&ReadOptions{Backward: true})))
	require.Equal(t, []string{"b=0@1", "f=1@1", "c=0@2"},
		names(t, top.Records(&ReadOptions{Spans: map[int]Span{0: {1, 3}, 1: {1, 2}, 2: {5, 9}}})))
	for _, n := range []int{0, 1, 4, 10, 11} {
		last, next, err := top.Tail(t.Context(), n, nil)
		require.NoError(t, err)
		var got []string
		for _, rec := range last {
			got = append(got, nameOf(t, rec))
		}
		require.Equal(t, append([]string(nil), byTime[max(0, len(byTime)-n):]...), got)
		require.Equal(t, map[int]uint64{0: 4, 1: 4, 2: 2}, next)
	}
	_, err = Hide("orders", 1, Consumers, opts)
	require.NoError(t, err)
	require.Equal(t, []string{"h=2@0", "a=0@0", "b=0@1", "c=0@2", "d=0@3", "i=2@1"}, names(t, top.Records(nil)), "what is hidden is left out")
	require.NoError(t, top.Close())
}

// TestRecordsModel: any partitions that are in order themselves make one
// sequence that is.
func TestRecordsModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		n := 1 + rng.IntN(6)
		_, opts := newTopic(t, n)
		records, total := map[int][][]byte{}, 0
		for i := range n {
			sec := 0
			for range rng.IntN(40) {
				sec += rng.IntN(3)
				records[i] = append(records[i], at(sec, "x"))
				total++
			}
		}
		put(t, opts, records)
		top, err := OpenReader("orders", opts)
		require.NoError(t, err)
		next, before, seen := make([]uint64, n), 0, 0
		for rec, err := range top.Records(nil) {
			require.NoError(t, err)
			var v struct{ Ts int }
			require.NoError(t, rec.Decode(&v))
			require.GreaterOrEqual(t, v.Ts, before)
			require.Equal(t, next[rec.ID.Partition], rec.ID.Offset)
			require.Equal(t, rec.Offset, rec.ID.Offset)
			before, next[rec.ID.Partition], seen = v.Ts, rec.Offset+1, seen+1
		}
		require.Equal(t, total, seen)
		require.NoError(t, top.Close())
	}
}

// TestFollow: what is there comes in order, what is appended as it comes, also
// to a partition that is added; one that is deleted ends without a word.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, opts := newTopic(t, 2)
		put(t, opts, map[int][][]byte{0: {at(5, "a")}, 1: {at(1, "b"), at(7, "c")}})
		reader, err := OpenReader("orders", opts)
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		records := make(chan string)
		ended := make(chan error, 1)
		go func() {
			for rec, err := range reader.Follow(ctx, map[int]uint64{1: 1}, nil) {
				if err != nil {
					ended <- err
					close(records)
					return
				}
				records <- nameOf(t, rec)
			}
		}()
		require.Equal(t, "a=0@0", <-records)
		require.Equal(t, "c=1@1", <-records)

		producer := mustOpen(t, opts)
		for n, name := range []string{"d", "e", "f"} {
			id, err := producer.Append([]byte(name), at(n, name))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%s=%d@%d", name, id.Partition, id.Offset), <-records)
		}
		_, err = AddPartitions("orders", 1, opts)
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		hideAll(t, opts, 0, 1)
		time.Sleep(3 * time.Second)
		_, err = producer.Append([]byte("g"), at(0, "g"))
		require.NoError(t, err)
		require.Equal(t, "g=2@0", <-records)
		_, err = Delete("orders", Deletion{Partitions: []int{0, 1}}, opts)
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		_, err = producer.Append(nil, at(0, "h"))
		require.NoError(t, err)
		require.Equal(t, "h=2@1", <-records)

		require.NoError(t, producer.Close())
		cancel(context.DeadlineExceeded)
		require.ErrorIs(t, <-ended, context.DeadlineExceeded)
		require.NoError(t, reader.Close())
	})
}

// TestFollowDropped: what retention took before it was read is told, and
// following goes on behind it; who does not want to know gets the error.
func TestFollowDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, opts := newTopic(t, 1)
		opts.Partition.SegmentRecords = 1
		put(t, opts, map[int][][]byte{0: {at(1, "a"), at(2, "b"), at(3, "c")}})
		producer := mustOpen(t, opts)
		reader, err := OpenReader("orders", inMemory(opts.Partition.FS))
		require.NoError(t, err)
		var told []uint64
		o := &ReadOptions{Dropped: func(i int, gone *partition.RangeError) { told = append(told, gone.Offset, gone.Start) }}
		var got []string
		p, err := producer.Partition(0)
		require.NoError(t, err)
		for rec, err := range reader.Follow(t.Context(), nil, o) {
			require.NoError(t, err)
			got = append(got, nameOf(t, rec))
			if len(got) == 3 {
				for i := range 4 {
					_, err = p.Append(at(i, fmt.Sprint(i)))
					require.NoError(t, err)
				}
				require.NoError(t, p.Sync())
				require.NoError(t, p.Trim(6))
			}
			if len(got) == 4 {
				break
			}
		}
		require.Equal(t, []string{"a=0@0", "b=0@1", "c=0@2", "3=0@6"}, got)
		require.Equal(t, []uint64{3, 6}, told)
		require.NoError(t, producer.Close())
		require.NoError(t, reader.Close())
	})
}
