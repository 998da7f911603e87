package partition

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestTrimKeepsWhatIsDurable: the records that a limit counts, and for which
// others go, survive a power loss from the moment on that those are gone, also
// in a mode that has not synced them yet.
func TestTrimKeepsWhatIsDurable(t *testing.T) {
	const keep = 10
	for _, mode := range []SyncMode{SyncInterval, SyncOS, SyncBuffered} {
		t.Run(mode.String(), func(t *testing.T) {
			mem := vfs.NewMem()
			p, err := Open("p", &Options{FS: mem, Sync: mode})
			require.NoError(t, err)
			for n := range 25 {
				if n == 9 || n == 18 {
					require.NoError(t, p.Roll())
				}
				_, err := p.Append(fmt.Append(nil, n))
				require.NoError(t, err)
			}
			plan, err := p.ApplyTrim(TrimPolicy{Retention: Retention{MaxRecords: keep}})
			require.NoError(t, err)
			require.EqualValues(t, 9, plan.NewStart)

			after := mem.Crash(vfs.CrashConfig{Data: vfs.DataLost, Names: vfs.NamesLost})
			require.Error(t, p.Close(), "its file system is gone")
			p, err = Open("p", &Options{FS: after})
			require.NoError(t, err)
			start, next := p.Bounds()
			require.EqualValues(t, 9, start)
			require.GreaterOrEqual(t, next-start, uint64(keep))
			require.NoError(t, p.Close())
		})
	}
}

// TestTrimOnFullDisk: a trim that cannot say in partition.json what it would
// drop drops nothing, and the writer goes on: it is what makes room.
func TestTrimOnFullDisk(t *testing.T) {
	full := false
	fsys := vfs.NewFault(vfs.NewMem(), func(op vfs.Op) error {
		if full && op.Kind == vfs.OpWrite && strings.HasSuffix(op.Path, ".tmp") {
			return syscall.ENOSPC
		}
		return nil
	})
	p := mustOpen(t, "p", &Options{FS: fsys, Sync: SyncOS, SegmentRecords: 9})
	appendLines(t, p, 0, 25)
	policy := TrimPolicy{Retention: Retention{MaxRecords: 10}}
	full = true
	_, err := p.ApplyTrim(policy)
	require.ErrorIs(t, err, syscall.ENOSPC)
	full = false
	_, err = p.Append([]byte("25"))
	require.NoError(t, err)
	plan, err := p.ApplyTrim(policy)
	require.NoError(t, err)
	require.EqualValues(t, 9, plan.NewStart)
	require.NoError(t, p.Close())
}
