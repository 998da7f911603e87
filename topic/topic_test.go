package topic

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inMemory are options with a file system in memory.
func inMemory(mem vfs.FS) *Options {
	return &Options{Partition: partition.Options{FS: mem, Sync: partition.SyncOS}}
}

// newTopic is a topic of n partitions in memory.
func newTopic(t testing.TB, n int) (*vfs.Mem, *Options) {
	t.Helper()
	mem := vfs.NewMem()
	opts := inMemory(mem)
	require.NoError(t, Create("orders", n, opts))
	return mem, opts
}

func mustOpen(t testing.TB, opts *Options) *Topic {
	t.Helper()
	top, err := Open("orders", opts)
	require.NoError(t, err)
	return top
}

func rec(n int) []byte { return fmt.Appendf(nil, `{"n":%d}`, n) }

// contents are the records of each partition that is there.
func contents(t testing.TB, top *Topic) map[int][]string {
	t.Helper()
	out := map[int][]string{}
	m := top.Meta()
	for _, i := range m.All() {
		p, err := top.Partition(i)
		require.NoError(t, err)
		for rec, err := range p.Records(0) {
			require.NoError(t, err)
			out[i] = append(out[i], string(rec.Data))
		}
	}
	return out
}

func TestAppend(t *testing.T) {
	_, opts := newTopic(t, 3)
	top := mustOpen(t, opts)
	want := map[int][]string{}
	for i := range 30 {
		key := fmt.Appendf(nil, "k%d", i%7)
		id, err := top.Append(key, rec(i))
		require.NoError(t, err)
		p := PartitionOf(key, 3)
		require.Equal(t, ID{"orders", p, uint64(len(want[p]))}, id)
		want[p] = append(want[p], string(rec(i)))
	}
	require.Equal(t, want, contents(t, top))
	require.NoError(t, top.Close())
	require.ErrorIs(t, top.Close(), fs.ErrClosed)
	_, err := top.Append(nil, rec(0))
	require.ErrorIs(t, err, fs.ErrClosed)

	top, err = OpenReader("orders", opts)
	require.NoError(t, err)
	require.Equal(t, want, contents(t, top))
	_, err = top.Append(nil, rec(0))
	require.ErrorIs(t, err, partition.ErrReadOnly)
	require.NoError(t, top.Close())
}

// TestRoundRobin: records without a key fill the partitions evenly, also those
// of processes that append one record each.
func TestRoundRobin(t *testing.T) {
	_, opts := newTopic(t, 3)
	for i := range 6 {
		top := mustOpen(t, opts)
		id, err := top.Append(nil, rec(i))
		require.NoError(t, err)
		require.Equal(t, i%3, id.Partition)
		require.NoError(t, top.Close())
	}
	top := mustOpen(t, opts)
	for i := range 9 {
		_, err := top.Append(nil, rec(i))
		require.NoError(t, err)
	}
	for i, got := range contents(t, top) {
		require.Len(t, got, 5, "partition %d", i)
	}
	require.NoError(t, top.Close())
}

func TestAppendBatch(t *testing.T) {
	_, opts := newTopic(t, 4)
	top := mustOpen(t, opts)
	var batch []Keyed
	for i := range 50 {
		k := Keyed{Data: rec(i)}
		if i%5 > 0 {
			k.Key = fmt.Appendf(nil, "k%d", i%5)
		}
		batch = append(batch, k)
	}
	ids, err := top.AppendBatch(batch)
	require.NoError(t, err)
	for i, id := range ids {
		if batch[i].Key != nil {
			require.Equal(t, PartitionOf(batch[i].Key, 4), id.Partition)
		}
		p, err := top.Partition(id.Partition)
		require.NoError(t, err)
		got, err := p.Get(id.Offset)
		require.NoError(t, err)
		require.Equal(t, string(batch[i].Data), string(got))
	}
	require.NoError(t, top.Close())
}

// TestBatchRefused: a record that is none keeps all of its batch out of all
// partitions.
func TestBatchRefused(t *testing.T) {
	_, opts := newTopic(t, 4)
	top := mustOpen(t, opts)
	batch := []Keyed{{Data: rec(0)}, {Data: rec(1)}, {Data: []byte(`{"n":`)}, {Data: rec(3)}}
	_, err := top.AppendBatch(batch)
	var failed *BatchError
	require.ErrorAs(t, err, &failed)
	require.Zero(t, failed.Stored())
	var refused *partition.RecordError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 2, refused.Index)
	require.Empty(t, contents(t, top))
	_, err = top.AppendBatch(slices.Concat(batch[:2], batch[3:]))
	require.NoError(t, err)
	require.NoError(t, top.Close())
}
