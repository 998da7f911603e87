package offsets

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestReadBesideTheFirst reads offsets that another process stores for the
// first time, before each operation of the reading. There are none yet, or
// those; nothing is taken for lost.
func TestReadBesideTheFirst(t *testing.T) {
	for n := 1; ; n++ {
		mem := vfs.NewMem()
		p := lone(t, mem)
		ops := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.N == n {
				mustCommit(t, mem, p, 7)
				require.NoError(t, mem.Mkdir(p.Groups, 0o700))
			}
			return nil
		})
		f, fallback, err := Read(ops, p)
		what := fmt.Sprintf("before operation %d", n)
		require.NoError(t, err, what)
		require.Nil(t, fallback, what)
		if e, ok := f.Lookup("g", "0"); ok {
			require.Equal(t, uint64(7), e.Next, what)
		}
		if len(ops.Ops()) < n {
			require.Greater(t, n, 3)
			return
		}
	}
}
