package offsets

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestSettle: afterwards a damaged file costs no commit at all.
func TestSettle(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			p := lone(t, mem)
			require.NoError(t, Settle(mem, p), "of nothing")
			mustCommit(t, mem, p, 2)
			mustCommit(t, mem, p, 37)
			require.NoError(t, Settle(mem, p))
			ops := vfs.NewFault(mem, nil)
			require.NoError(t, Settle(ops, p))
			for _, op := range ops.Ops() {
				require.NotEqual(t, vfs.OpRename, op.Kind, "once is enough")
			}
			damage(t, mem, p.File)
			next, fallback := committed(t, mem, p)
			require.EqualValues(t, 37, next)
			require.NotNil(t, fallback)
			require.NoError(t, Settle(mem, p), "of what cannot be used")
			_, err := commit(mem, p, 38)
			require.NoError(t, err)
			next, fallback = committed(t, mem, p)
			require.EqualValues(t, 38, next)
			require.Nil(t, fallback)
		})
	}
}

// TestSettleCrash: both versions are whole at any time.
func TestSettleCrash(t *testing.T) {
	for n, last := 1, false; !last; n++ {
		mem := vfs.NewMem()
		p := lone(t, mem)
		mustCommit(t, mem, p, 2)
		mustCommit(t, mem, p, 3)
		fault := vfs.NewFault(mem, vfs.CrashAt(n))
		err := Settle(fault, p)
		last = len(fault.Ops()) < n
		for _, after := range crashes(mem) {
			next, fallback := committed(t, after, p)
			require.EqualValues(t, 3, next)
			require.Nil(t, fallback)
			cut(t, after, p.File, 0)
			next, fallback = committed(t, after, p)
			require.NotNil(t, fallback)
			require.True(t, next == 3 || next == 2 && err != nil, "%d", next)
		}
	}
}
