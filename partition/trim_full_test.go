package partition

import (
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// fullDisk is a hook for a disk on which no file fits, until so many files of
// the log are removed. From operation crash on, if that is not 0, all fail.
func fullDisk(removals, crash int, failure error) func(vfs.Op) error {
	return func(op vfs.Op) error {
		switch {
		case crash != 0 && op.N >= crash:
			return vfs.ErrCrashed
		case op.Kind == vfs.OpRemove && !strings.HasSuffix(op.Path, ".tmp"):
			removals--
		case op.Kind == vfs.OpWrite && removals > 0:
			return failure
		}
		return nil
	}
}

// openedFiles is the log of trimFiles once it has been opened, so that opening it
// again writes nothing.
func openedFiles(t testing.TB) *vfs.Mem {
	mem := trimFiles(t)
	require.NoError(t, mustOpen(t, "p", &Options{FS: mem}).Close())
	return mem.Crash(vfs.CrashConfig{})
}

// trimTo20 trims the log of trimFiles to its last segment.
func trimTo20(t testing.TB, fsys vfs.FS) error {
	t.Helper()
	p, err := Open("p", &Options{FS: fsys})
	require.NoError(t, err)
	err = p.Trim(20)
	_ = p.Close() // it has crashed, or there is nothing to write
	return err
}

// TestTrimMakesRoom: a trim is what makes room on a full disk, and so it begins
// with what can be removed before partition.json is written.
func TestTrimMakesRoom(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		for removals := 1; removals <= 2; removals++ {
			mem := openedFiles(t)
			require.NoError(t, trimTo20(t, vfs.NewFault(mem, fullDisk(removals, 0, errno))))
			require.EqualValues(t, 20, requireTrimmed(t, mem, fmt.Sprint(errno, removals)))
		}
	}
}

// TestTrimMakesNoRoom: where the disk stays full all records stay, and any other
// error removes nothing.
func TestTrimMakesNoRoom(t *testing.T) {
	for errno, indexes := range map[syscall.Errno][]string{syscall.ENOSPC: {"20"}, syscall.EIO: {"0", "10", "20"}} {
		mem := openedFiles(t)
		require.ErrorIs(t, trimTo20(t, vfs.NewFault(mem, fullDisk(3, 0, errno))), errno)
		require.Equal(t, indexes, basesOf(t, mem, ".index"))
		again := mem.Kill()
		_, err := Repair(t.Context(), "p", &Options{FS: again}, RepairOptions{Execute: true})
		require.NoError(t, err)
		p := mustOpen(t, "p", &Options{FS: again})
		requireHolds(t, p, 0, 25)
		require.NoError(t, p.Trim(20))
		require.NoError(t, p.Close())
		require.EqualValues(t, 20, requireTrimmed(t, again, errno.Error()))
	}
}

// TestTrimMakesNoRoomForSync: a failed sync is not tried again, whatever it says.
func TestTrimMakesNoRoomForSync(t *testing.T) {
	mem, wrote := openedFiles(t), false
	err := trimTo20(t, vfs.NewFault(mem, func(op vfs.Op) error {
		wrote = wrote || op.Kind == vfs.OpWrite
		if wrote && (op.Kind == vfs.OpSync || op.Kind == vfs.OpSyncDir) {
			return syscall.ENOSPC
		}
		return nil
	}))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, []string{"0", "10", "20"}, basesOf(t, mem, ".index"))
}

// TestTrimMakesRoomCrash loses power at every step of a trim that has to make
// room: all records are there that are not trimmed, and a trim goes through.
func TestTrimMakesRoomCrash(t *testing.T) {
	whole := vfs.NewFault(openedFiles(t), fullDisk(2, 0, syscall.ENOSPC))
	require.NoError(t, trimTo20(t, whole))
	starts := map[uint64]int{}
	for _, op := range whole.Ops() {
		if !op.Kind.Changes() {
			continue
		}
		mem := openedFiles(t)
		if trimTo20Crashes(mem, op.N) == nil {
			continue // it crashed in opening or in closing
		}
		for seed := range uint64(8) {
			after := mem.Crash(vfs.CrashConfig{Names: vfs.NameLoss(min(seed, uint64(vfs.NamesSubset))), Seed: seed})
			what := fmt.Sprintf("crash before %v, seed %d", op, seed)
			p := mustOpen(t, "p", &Options{FS: after})
			start, _ := p.Bounds()
			require.NoError(t, p.Trim(20), what)
			require.NoError(t, p.Close(), what)
			require.EqualValues(t, 20, requireTrimmed(t, after, what))
			starts[start]++
		}
	}
	require.Len(t, starts, 2, "it is done or it is not")
}

func trimTo20Crashes(mem *vfs.Mem, at int) error {
	p, err := Open("p", &Options{FS: vfs.NewFault(mem, fullDisk(2, at, syscall.ENOSPC))})
	if err != nil {
		return nil
	}
	defer io.Closer(p).Close()
	return p.Trim(20)
}
