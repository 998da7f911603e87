package segment

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// failingCopy recovers a log with a torn tail while the operations that fail
// says fail.
func failingCopy(t *testing.T, fail func(op vfs.Op) error) (*vfs.Mem, error) {
	mem := vfs.NewMem()
	s := state{recs: three + "torn", idx: []uint64{0, 8, 16, 24}, meta: always(24)}
	s.put(t, mem)
	a, _, _, err := recoverState(vfs.NewFault(mem, fail), s.meta)
	if err == nil {
		require.NoError(t, a.Close())
	}
	return mem, err
}

func isCopy(op vfs.Op) bool { return strings.Contains(op.Path, tornInfix) }

// TestCopyFails: torn bytes that could not be set aside are not cut, and half
// a copy does not keep its name from the whole one.
func TestCopyFails(t *testing.T) {
	for _, kind := range []vfs.OpKind{vfs.OpOpen, vfs.OpWriteAt, vfs.OpWrite, vfs.OpTruncate, vfs.OpSync, vfs.OpClose, vfs.OpSyncDir} {
		seen := false
		mem, err := failingCopy(t, func(op vfs.Op) error {
			if op.Kind == kind && (isCopy(op) || kind == vfs.OpSyncDir) {
				seen = true
				return syscall.ENOSPC
			}
			return nil
		})
		if !seen {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, syscall.ENOSPC, "%v", kind)
		require.Equal(t, three+"torn", read(t, mem, PairAt("p", 0).Records), "%v", kind)
		a, _, report, err := recoverState(mem, always(24))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		require.Equal(t, PairAt("p", 0).tornStem()+"24", report.TornPath, "%v", kind)
		require.Equal(t, "torn", read(t, mem, report.TornPath))
		names, err := mem.List("p")
		require.NoError(t, err)
		require.Len(t, names, 4, "%v: %v", kind, names)
	}
}

// TestReusedCopyIsSynced: a copy that a killed recovery left may be in the page
// cache only.
func TestReusedCopyIsSynced(t *testing.T) {
	mem := vfs.NewMem()
	s := state{recs: three + "torn", idx: []uint64{0, 8, 16, 24}, meta: always(24)}
	s.put(t, mem)
	require.NoError(t, mem.SyncDir("."))
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && isCopy(op) {
			return vfs.ErrCrashed // it was killed just before
		}
		return nil
	})
	// Such a kill does not remove the copy either.
	_, _, _, err := recoverState(keepNames{fault}, s.meta)
	require.ErrorIs(t, err, vfs.ErrCrashed)
	a, _, report, err := recoverState(mem, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, "torn", read(t, mem.Crash(vfs.CrashConfig{}), report.TornPath))
}

// keepNames removes nothing.
type keepNames struct{ vfs.FS }

func (keepNames) Remove(string) error { return vfs.ErrCrashed }
