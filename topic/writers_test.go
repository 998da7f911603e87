package topic

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// TestFewWriters appends to a shared topic with more partitions than may be open,
// record by record from several goroutines and in batches: everything is stored
// once, in its place and in order, and few files are open.
func TestFewWriters(t *testing.T) {
	const partitions, each = 60, 50
	mem, opts := newTopic(t, partitions)
	counted := vfs.NewFault(mem, nil)
	opts.Partition.FS, opts.Partition.Shared = counted, true
	top, err := openFor("orders", opts, 4*filesOfWriter)
	require.NoError(t, err)
	require.Equal(t, 4, top.most)

	var all sync.WaitGroup
	for g := range 3 {
		all.Go(func() {
			key := fmt.Appendf(nil, "only-%d", g)
			for n := range each {
				_, err := top.Append(key, rec(n))
				if !errors.Is(err, nil) {
					t.Errorf("append %d: %v", n, err)
				}
			}
		})
	}
	batch := make([]Keyed, 4*partitions)
	for i := range batch {
		batch[i] = Keyed{Data: fmt.Appendf(nil, `{"batch":%d}`, i)}
	}
	ids, err := top.AppendBatch(batch)
	require.NoError(t, err)
	all.Wait()
	require.NoError(t, top.Sync())
	require.NoError(t, top.Close())

	r, err := OpenReader("orders", inMemory(mem))
	require.NoError(t, err)
	defer r.Close()
	stored := 0
	for _, records := range contents(t, r) {
		stored += len(records)
	}
	require.Equal(t, 3*each+len(batch), stored)
	for i, id := range ids {
		p, err := r.Partition(id.Partition)
		require.NoError(t, err)
		data, err := p.Get(id.Offset)
		require.NoError(t, err)
		require.Equal(t, string(batch[i].Data), string(data))
	}
	open, most := 0, 0
	for _, op := range counted.Ops() {
		switch op.Kind {
		case vfs.OpOpen:
			open++
		case vfs.OpClose:
			open--
		}
		most = max(most, open)
	}
	require.Less(t, most, 6*filesOfWriter)
}

// TestCloseOfWriterIsTold: what goes wrong while a partition makes way is an error
// of Sync until it is opened again.
func TestCloseOfWriterIsTold(t *testing.T) {
	mem, opts := newTopic(t, 8)
	broken := false
	opts.Partition.FS = vfs.NewFault(mem, func(op vfs.Op) error {
		if broken && op.Kind == vfs.OpSync && strings.HasPrefix(op.Path, "orders/0/") {
			return syscall.EIO
		}
		return nil
	})
	opts.Partition.Shared, opts.Partition.Sync = true, partition.SyncOS
	top, err := openFor("orders", opts, 2*filesOfWriter)
	require.NoError(t, err)
	append1 := func(i int) error {
		_, err := top.appendTo(i, rec(i))
		return err
	}
	require.NoError(t, append1(0))
	require.NoError(t, append1(1))
	broken = true
	require.NoError(t, append1(2)) // 0 makes way for it
	require.ErrorIs(t, top.Sync(), syscall.EIO)
	require.ErrorIs(t, top.Sync(), syscall.EIO, "also to others who ask")
	broken = false
	require.NoError(t, append1(0))
	require.NoError(t, top.Sync(), "opening it again brought its records to the disk")
	require.NoError(t, top.Close())
}

// TestWriterInUseStays: a partition that somebody appends to, in several batches
// maybe, does not make way.
func TestWriterInUseStays(t *testing.T) {
	_, opts := newTopic(t, 8)
	opts.Partition.Shared = true
	top, err := openFor("orders", opts, 4*filesOfWriter)
	require.NoError(t, err)
	defer top.Close()
	done := top.using(0)
	p, err := top.writer(0)
	require.NoError(t, err)
	for i := 1; i < 8; i++ {
		_, err := top.appendTo(i, rec(i))
		require.NoError(t, err)
	}
	_, err = p.Append(rec(0))
	require.NoError(t, err)
	done()
	_, err = top.appendTo(1, rec(1))
	require.NoError(t, err)
	_, err = p.Append(rec(0))
	require.ErrorIs(t, err, fs.ErrClosed, "now it was its turn")
}

// TestCrowded: a topic that is not shared says how many files it would take.
func TestCrowded(t *testing.T) {
	mem, opts := newTopic(t, 5)
	opts.Partition.FS = vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && op.Path == "orders/3/00000000000000000000.index" {
			return &fs.PathError{Op: "open", Path: op.Path, Err: syscall.EMFILE}
		}
		return nil
	})
	_, err := Open("orders", opts)
	e, ok := errors.AsType[*CrowdedError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 5, e.Partitions)
	require.Equal(t, 3, e.Opened)
	require.ErrorIs(t, err, syscall.EMFILE)
	require.NotErrorIs(t, err, partition.ErrLocked)
	require.Contains(t, err.Error(), "ulimit -n")
}
