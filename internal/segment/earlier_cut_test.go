package segment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestCutOfAKilledRecovery: a recovery is killed when it has cut a torn tail of
// a weaker mode and not synced that; the next one finds a whole file, and
// promises that everything further than one batch from its end is whole. A power
// loss must not bring the tail back: the log would be refused as corrupt.
func TestCutOfAKilledRecovery(t *testing.T) {
	mem, records := vfs.NewMem(), PairAt("p", 0).Records
	state{recs: three + strings.Repeat("\x00", 200), idx: []uint64{0, 8, 16, 24}, meta: weak(24)}.put(t, mem)
	require.NoError(t, mem.SyncDir("."))
	cut := false
	_, _, _, err := recoverState(vfs.NewFault(mem, func(op vfs.Op) error {
		if cut {
			return vfs.ErrCrashed
		}
		cut = op.Kind == vfs.OpTruncate && op.Path == records
		return nil
	}), weak(24))
	require.ErrorIs(t, err, vfs.ErrCrashed)
	killed := mem.Kill()
	require.Equal(t, three, read(t, killed, records))

	a, _, _, err := recoverState(killed, weak(24))
	require.NoError(t, err)
	require.NoError(t, a.Close())
	after := killed.Crash(vfs.CrashConfig{Names: vfs.NamesKept})
	require.Equal(t, three, read(t, after, records))
	meta, _, err := ReadMeta(after, "p")
	require.NoError(t, err)
	a, next, _, err := recoverState(after, &meta)
	require.NoError(t, err)
	require.EqualValues(t, 3, next)
	require.NoError(t, a.Close())
}
