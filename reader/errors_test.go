package reader

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

func requireRange(t testing.TB, err error, offset, start, next uint64) {
	t.Helper()
	e, ok := errors.AsType[*segment.RangeError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, fmt.Sprint(offset, start, next), fmt.Sprint(e.Offset, e.Start, e.Next))
}

func requireCorrupt(t testing.TB, err, target error, offset uint64) *segment.CorruptError {
	t.Helper()
	e, ok := errors.AsType[*segment.CorruptError](err)
	require.True(t, ok, "%v", err)
	require.ErrorIs(t, err, target)
	require.Equal(t, offset, e.Offset, "%v", err)
	return e
}

var errDisk = errors.New("input/output error")

// faults makes reading one file fail.
type faults struct{ file atomic.Value }

func (f *faults) over(fsys vfs.FS) vfs.FS {
	f.file.Store("")
	return vfs.NewFault(fsys, func(op vfs.Op) error {
		if name := f.file.Load().(string); name != "" && op.Kind == vfs.OpReadAt && filepath.Base(op.Path) == name {
			return errDisk
		}
		return nil
	})
}

// failReads names the file; "" for none.
func (f *faults) failReads(name string) { f.file.Store(name) }
