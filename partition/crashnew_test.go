package partition

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestNewLogKilledTwice: a process that makes a log is killed, and so is the
// one that goes on with what it left. Neither may have got as far as syncing
// the names, that of the log's own directory not excepted, while all of them
// are there to see: what the third acknowledges survives a power loss.
func TestNewLogKilledTwice(t *testing.T) {
	for _, log := range []crashLog{dirLog, bareLog} {
		for first := 1; ; first++ {
			made := vfs.NewMem()
			if openKilledAt(t, log, made, first) {
				require.Greater(t, first, 5, "it takes more to make a log")
				break
			}
			for second := 1; ; second++ {
				mem := made.Kill()
				if openKilledAt(t, log, mem, second) {
					break
				}
				require.Equal(t, []string{`{"n":0}`}, afterAppendAndPowerLoss(t, log, mem.Kill()), "%s: killed before change %d, then %d", log.path, first, second)
			}
		}
	}
}

// openKilledAt opens a log in a process that is killed before its at-th
// change, and reports whether it came through.
func openKilledAt(t *testing.T, log crashLog, mem *vfs.Mem, at int) bool {
	point := &crashPoint{at: at}
	p, err := Open(log.path, log.options(vfs.NewFault(mem, point.hook), SyncAlways))
	if err != nil {
		require.ErrorIs(t, err, vfs.ErrCrashed)
		return false
	}
	_, crashed := point.state()
	point.halt()
	_ = p.Close() // the process is gone
	return !crashed
}

func afterAppendAndPowerLoss(t *testing.T, log crashLog, mem *vfs.Mem) []string {
	p := mustOpen(t, log.path, log.options(mem, SyncAlways))
	_, err := p.Append([]byte(`{"n":0}`))
	require.NoError(t, err)
	after := mem.Crash(vfs.CrashConfig{})
	require.Error(t, p.Close(), "the power is gone")
	p = mustOpen(t, log.path, log.options(after, SyncAlways))
	defer p.Close()
	return read(t, p, 0)
}

// TestCopiedDirectory: a log that was copied or renamed by hand has a name that
// nobody synced. What is appended to it does not go with the name.
func TestCopiedDirectory(t *testing.T) {
	mem := vfs.NewMem()
	p := mustOpen(t, "/was", dirLog.options(mem, SyncAlways))
	require.NoError(t, p.Close())
	require.NoError(t, mem.Rename("/was", dirLog.path))
	require.Equal(t, []string{`{"n":0}`}, afterAppendAndPowerLoss(t, dirLog, mem))
}

// TestDirectoryAboveUnreadable: who may not read the directory above a log
// opens it all the same.
func TestDirectoryAboveUnreadable(t *testing.T) {
	mem := vfs.NewMem()
	p := mustOpen(t, dirLog.path, dirLog.options(mem, SyncAlways))
	require.NoError(t, p.Close())
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpSyncDir && filepath.Clean(op.Path) == "/" {
			return fs.ErrPermission
		}
		return nil
	})
	p = mustOpen(t, dirLog.path, dirLog.options(fsys, SyncAlways))
	require.NoError(t, p.Close())
	require.NoError(t, mem.Remove("/p/partition.json"))
	_, err := Open(dirLog.path, dirLog.options(fsys, SyncAlways))
	require.ErrorIs(t, err, fs.ErrPermission, "nobody has been here who could")
}
