package topic

import (
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// failing is a topic of two partitions on a disk that fails operations as long
// as when says so.
func failing(t *testing.T, sync partition.SyncMode) (opts *Options, when *atomic.Pointer[func(vfs.Op) error]) {
	t.Helper()
	mem, _ := newTopic(t, 2)
	when = &atomic.Pointer[func(vfs.Op) error]{}
	opts = inMemory(vfs.NewFault(mem, func(op vfs.Op) error {
		if f := when.Load(); f != nil {
			return (*f)(op)
		}
		return nil
	}))
	opts.Partition.Sync = sync
	return opts, when
}

// fails makes each operation of a kind on a file below a directory fail.
func fails(kind vfs.OpKind, below string, err error) *func(vfs.Op) error {
	f := func(op vfs.Op) error {
		if op.Kind == kind && strings.HasPrefix(op.Path, below) && filepath.Ext(op.Path) == ".jsonl" {
			return err
		}
		return nil
	}
	return &f
}

// keyFor is a key of partition i.
func keyFor(i, partitions int) []byte {
	for k := byte('a'); ; k++ {
		if key := []byte{k}; PartitionOf(key, partitions) == i {
			return key
		}
	}
}

// TestDiskFull: where one partition's disk is full, what the others took is
// stored and said, nothing is unknown, and the topic goes on when there is
// space.
func TestDiskFull(t *testing.T) {
	for _, sync := range []partition.SyncMode{partition.SyncAlways, partition.SyncOS} {
		opts, when := failing(t, sync)
		top := mustOpen(t, opts)
		zero, one := keyFor(0, 2), keyFor(1, 2)
		when.Store(fails(vfs.OpWrite, "orders/1", syscall.ENOSPC))
		batch := []Keyed{{zero, rec(0)}, {one, rec(1)}, {zero, rec(2)}, {one, rec(3)}}
		_, err := top.AppendBatch(batch)
		failed := &BatchError{}
		require.ErrorAs(t, err, &failed)
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.False(t, failed.Unknown)
		require.Equal(t, []ID{{"orders", 0, 0}, {}, {"orders", 0, 1}, {}}, failed.IDs)
		_, err = top.Append(one, rec(1))
		require.ErrorIs(t, err, syscall.ENOSPC)
		id, err := top.Append(zero, rec(4))
		require.NoError(t, err)
		require.Equal(t, ID{"orders", 0, 2}, id)

		when.Store(nil)
		ids, err := top.AppendBatch([]Keyed{batch[1], batch[3]})
		require.NoError(t, err)
		require.Equal(t, []ID{{"orders", 1, 0}, {"orders", 1, 1}}, ids, "nothing was left behind")
		want := map[int][]string{0: {`{"n":0}`, `{"n":2}`, `{"n":4}`}, 1: {`{"n":1}`, `{"n":3}`}}
		require.Equal(t, want, contents(t, top))
		require.NoError(t, top.Close())
		top = mustOpen(t, opts)
		require.Equal(t, want, contents(t, top))
		require.NoError(t, top.Close())
	}
}

// TestDiskBroken: a partition whose fsync fails takes nothing more, and says
// that what it had is unknown; its keys go to no other partition, whose records
// are stored as ever. Opened again, it goes on.
func TestDiskBroken(t *testing.T) {
	opts, when := failing(t, partition.SyncAlways)
	top := mustOpen(t, opts)
	zero, one := keyFor(0, 2), keyFor(1, 2)
	when.Store(fails(vfs.OpSync, "orders/1", syscall.EIO))
	_, err := top.AppendBatch([]Keyed{{zero, rec(0)}, {one, rec(1)}})
	failed := &BatchError{}
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, syscall.EIO)
	require.True(t, failed.Unknown)
	require.Equal(t, []ID{{"orders", 0, 0}, {}}, failed.IDs)
	when.Store(nil)
	for n := range 2 {
		_, err = top.Append(one, rec(1))
		require.ErrorIs(t, err, partition.ErrPoisoned)
		id, err := top.Append(zero, rec(2+n))
		require.NoError(t, err)
		require.Equal(t, ID{"orders", 0, uint64(1 + n)}, id)
	}
	refused := 0
	for range 4 { // without a key it is the turn of each
		if _, err := top.Append(nil, rec(9)); err != nil {
			require.ErrorIs(t, err, partition.ErrPoisoned)
			refused++
		}
	}
	require.Equal(t, 2, refused)
	require.ErrorIs(t, top.Sync(), partition.ErrPoisoned)
	require.ErrorIs(t, top.Close(), partition.ErrPoisoned)

	top = mustOpen(t, opts)
	_, err = top.Append(one, rec(1))
	require.NoError(t, err)
	require.NoError(t, top.Close())
}

// TestMetaUnreadable: a topic that is open goes on as it was while topic.json
// cannot be read, and takes in what it says once it can.
func TestMetaUnreadable(t *testing.T) {
	for _, kind := range []vfs.OpKind{vfs.OpStat, vfs.OpOpen, vfs.OpReadAt} {
		opts, when := failing(t, partition.SyncOS)
		top := mustOpen(t, opts)
		_, err := AddPartitions("orders", 1, opts)
		require.NoError(t, err)
		broken := func(op vfs.Op) error {
			if op.Kind == kind && op.Path == "orders/topic.json" {
				return syscall.EIO
			}
			return nil
		}
		when.Store(&broken)
		require.ErrorIs(t, top.Refresh(), syscall.EIO)
		_, err = top.Append([]byte("k"), rec(0))
		require.NoError(t, err)
		m := top.Meta()
		require.Equal(t, []int{0, 1}, m.All())

		// A partition that cannot be made is one that cannot be appended to.
		full := fails(vfs.OpOpen, "orders/2", syscall.ENOSPC)
		when.Store(full)
		require.NoError(t, top.Refresh())
		_, err = top.Append(keyFor(2, 3), rec(1))
		require.True(t, errors.Is(err, syscall.ENOSPC), "%v", err)
		when.Store(nil)
		id, err := top.Append(keyFor(2, 3), rec(1))
		require.NoError(t, err)
		require.Equal(t, ID{"orders", 2, 0}, id)
		require.NoError(t, top.Close())
	}
}
