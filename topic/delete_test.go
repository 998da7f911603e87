package topic

import (
	"io/fs"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// filled is a topic of two partitions that hold 3 records each.
func filled(t testing.TB) (*vfs.Mem, *Options) {
	t.Helper()
	mem, opts := newTopic(t, 2)
	top := mustOpen(t, opts)
	for i := range 6 {
		_, err := top.Append(nil, rec(i))
		require.NoError(t, err)
	}
	require.NoError(t, top.Close())
	return mem, opts
}

func hideAll(t testing.TB, opts *Options, partitions ...int) {
	t.Helper()
	for _, i := range partitions {
		_, err := Hide("orders", i, Producers|Consumers, opts)
		require.NoError(t, err)
	}
}

// consumed commits an offset of the group billing.
func consumed(t testing.TB, fsys vfs.FS, partition int, next uint64) {
	t.Helper()
	place, err := offsets.Locate(fsys, "orders")
	require.NoError(t, err)
	_, err = offsets.Update(fsys, place, 0, func(f *offsets.File) error {
		f.Set("billing", place.Key(partition), offsets.Entry{Next: next})
		return nil
	})
	require.NoError(t, err)
}

func requireGone(t testing.TB, fsys vfs.FS, path string) {
	t.Helper()
	_, err := fsys.Lstat(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestDeleteRules: every rule keeps a partition by itself, the reason is said,
// and force goes over it.
func TestDeleteRules(t *testing.T) {
	for name, c := range map[string]struct {
		set func(*testing.T, *vfs.Mem, *Options)
		why string // none: it is deleted
	}{
		"hidden from both, no group": {func(t *testing.T, _ *vfs.Mem, o *Options) { hideAll(t, o, 1) }, ""},
		"visible to producers": {func(t *testing.T, _ *vfs.Mem, o *Options) {
			_, err := Hide("orders", 1, Consumers, o)
			require.NoError(t, err)
		}, "partition 1 is not hidden from producers"},
		"visible to consumers": {func(t *testing.T, _ *vfs.Mem, o *Options) {
			_, err := Hide("orders", 1, Producers, o)
			require.NoError(t, err)
		}, "partition 1 is not hidden from consumers"},
		"not consumed to the end": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			consumed(t, m, 1, 2)
		}, "partition 1 was not consumed by group billing, which is at offset 2 of 3"},
		"consumed to the end": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			consumed(t, m, 1, 3)
		}, ""},
		"registered, never consumed it": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			consumed(t, m, 0, 3)
		}, "partition 1 was not consumed by group billing, which is at offset 0 of 3"},
		"offsets unknown": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			consumed(t, m, 1, 3)
			require.NoError(t, vfs.ReplaceFile(m, "orders/offsets.json", []byte("\x00\x00"), 0o600))
			require.NoError(t, vfs.ReplaceFile(m, "orders/offsets.json.prev", nil, 0o600))
		}, "partition 1 may not have been consumed: "},
		"a file of somebody else": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			require.NoError(t, vfs.ReplaceFile(m, "orders/1/notes.txt", []byte("mine"), 0o600))
		}, "orders/1/notes.txt is no file of a topic"},
		"lines behind the index": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			consumed(t, m, 1, 3)
			f, err := m.Open("orders/1/00000000000000000000.jsonl", os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.Write([]byte("{}\n"))
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}, "partition 1 has 1 line behind its index, which nobody has read"},
		"its directory is away": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			require.NoError(t, m.Rename("orders/1", "elsewhere"))
		}, "partition 1 cannot be read: "},
		"its index is lost": {func(t *testing.T, m *vfs.Mem, o *Options) {
			hideAll(t, o, 1)
			require.NoError(t, m.Remove("orders/1/00000000000000000000.index"))
		}, "partition 1 has 3 lines behind its index, which nobody has read"},
	} {
		t.Run(name, func(t *testing.T) {
			mem, opts := filled(t)
			c.set(t, mem, opts)
			was, err := ReadMeta(mem, "orders")
			require.NoError(t, err)
			what := Deletion{Partitions: []int{1}}
			planned, err := PlanDelete("orders", what, opts)
			require.NoError(t, err)
			require.False(t, planned.Done)
			plan, err := Delete("orders", what, opts)
			if c.why != "" {
				refused := &RefusedError{}
				require.ErrorAs(t, err, &refused)
				require.Len(t, planned.Against(), 1)
				require.Contains(t, planned.Against()[0], c.why)
				require.Equal(t, planned, refused.Plan)
				m, err := ReadMeta(mem, "orders")
				require.NoError(t, err)
				require.Equal(t, was, m, "nothing is changed")
				what.Force = true
				plan, err = Delete("orders", what, opts)
				require.NoError(t, err)
			} else {
				require.NoError(t, err)
				require.Empty(t, planned.Against())
			}
			require.True(t, plan.Done)
			requireGone(t, mem, "orders/1")
			m, err := ReadMeta(mem, "orders")
			require.NoError(t, err)
			require.Equal(t, Meta{Format: 1, Name: "orders", Partitions: 2, Deleted: []int{1}}, m)
			_, err = Delete("orders", what, opts)
			require.EqualError(t, err, "orders: partition 1 was deleted")
		})
	}
}

// TestDeleteLast: to delete the last partition touches nothing else, and its
// number is not used again.
func TestDeleteLast(t *testing.T) {
	mem, opts := filled(t)
	consumed(t, mem, 0, 3)
	consumed(t, mem, 1, 3)
	require.NoError(t, vfs.ReplaceFile(mem, "orders/notes.txt", []byte("mine"), 0o600))
	hideAll(t, opts, 0, 1)
	for i := range 2 {
		_, err := Delete("orders", Deletion{Partitions: []int{i}}, opts)
		require.NoError(t, err)
	}
	names, err := mem.List("orders")
	require.NoError(t, err)
	require.Equal(t, []string{"notes.txt", "offsets.json", "offsets.json.lock", "offsets.json.prev", "topic.json", "topic.json.lock"}, names)
	top := mustOpen(t, opts)
	_, err = top.Append(nil, rec(0))
	require.ErrorIs(t, err, ErrNoPartition)
	require.NoError(t, top.Close())
	_, err = AddPartitions("orders", 1, opts)
	require.NoError(t, err)
	top = mustOpen(t, opts)
	id, err := top.Append([]byte("k"), rec(0))
	require.NoError(t, err)
	require.Equal(t, ID{"orders", 2, 0}, id)
	require.NoError(t, top.Close())
}

// TestDeleteTopic takes the whole directory, and nothing beside it.
func TestDeleteTopic(t *testing.T) {
	mem, opts := filled(t)
	require.NoError(t, mem.Mkdir("orders2", 0o700))
	consumed(t, mem, 0, 1)
	for _, dir := range []string{"orders/groups", "orders/groups/billing", "orders/groups/billing/0", "orders/dead", "orders/dead/billing"} {
		require.NoError(t, mem.Mkdir(dir, 0o700))
	}
	dead, err := partition.Open("orders/dead/billing/0", &opts.Partition)
	require.NoError(t, err)
	_, err = dead.Append([]byte(`{}`))
	require.NoError(t, err)
	require.NoError(t, dead.Close())

	_, err = Delete("orders", Deletion{}, opts)
	require.ErrorContains(t, err, "group billing has 1 dead letter of partition 0")
	require.ErrorContains(t, err, "partition 0 is not hidden from producers; partition 0 is not hidden from consumers; partition 0 was not consumed by group billing, which is at offset 1 of 3; partition 1 is not hidden")
	plan, err := Delete("orders", Deletion{Force: true}, opts)
	require.NoError(t, err)
	records, bytes := plan.Lost()
	require.EqualValues(t, 6, records)
	require.Positive(t, bytes)
	names, err := mem.List(".")
	require.NoError(t, err)
	require.Equal(t, []string{"orders2"}, names)
	require.NoError(t, Create("orders", 1, opts))
}

// TestDeleteOpen: whoever has a topic open meanwhile lets go of what is hidden
// and is told what was deleted; no directory comes back.
func TestDeleteOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, opts := filled(t)
		producer := mustOpen(t, opts)
		reader, err := OpenReader("orders", opts)
		require.NoError(t, err)
		p, err := reader.Partition(1)
		require.NoError(t, err)
		_, err = p.Get(0)
		require.NoError(t, err)

		_, err = Delete("orders", Deletion{Partitions: []int{1}, Force: true}, opts)
		require.ErrorIs(t, err, partition.ErrLocked, "a writer is not robbed, forced or not")
		require.ErrorContains(t, err, "partition 1 is being written")
		hideAll(t, opts, 1)
		_, err = Delete("orders", Deletion{Partitions: []int{1}}, opts)
		require.NoError(t, err, "a producer that does nothing gives it up in time")

		for range 3 {
			id, err := producer.Append(nil, rec(9))
			require.NoError(t, err)
			require.Equal(t, 0, id.Partition)
		}
		_, err = producer.Partition(1)
		require.EqualError(t, err, "orders: partition 1 was deleted")
		for _, err := range reader.Records(&ReadOptions{Spans: map[int]Span{1: {0, 3}}}) {
			require.EqualError(t, err, "orders: partition 1 was deleted")
		}
		requireGone(t, mem, "orders/1")

		require.NoError(t, producer.Close())
		producer = mustOpen(t, opts)
		require.NoError(t, producer.Close())
		_, err = Delete("orders", Deletion{Force: true}, opts)
		require.NoError(t, err)
		gone := &GoneError{}
		require.ErrorAs(t, reader.Refresh(), &gone)
		_, err = reader.Partition(0)
		require.ErrorAs(t, err, &gone)
		requireGone(t, mem, "orders")
		require.NoError(t, reader.Close())
	})
}

// TestDeleteClaimed: a member that has claimed the partition is waited for, and
// then named.
func TestDeleteClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, opts := filled(t)
		hideAll(t, opts, 1)
		consumed(t, mem, 1, 3)
		for _, dir := range []string{"orders/groups", "orders/groups/billing", "orders/groups/billing/1"} {
			require.NoError(t, mem.Mkdir(dir, 0o700))
		}
		claim, err := mem.Lock("orders/groups/billing/1")
		require.NoError(t, err)
		what := Deletion{Partitions: []int{1}, Force: true}
		_, err = Delete("orders", what, opts)
		require.ErrorIs(t, err, partition.ErrLocked)
		require.ErrorContains(t, err, "partition 1 is being consumed by group billing")
		time.AfterFunc(time.Second, func() { claim.Close() })
		_, err = Delete("orders", what, opts)
		require.NoError(t, err)
	})
}
