package segment

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestRecoverBareGrown: lines that come between the sync of the file and the
// building of its index are not on the disk.
func TestRecoverBareGrown(t *testing.T) {
	mem := vfs.NewMem()
	pair := BarePair("f.jsonl")
	require.NoError(t, vfs.ReplaceFile(mem, pair.Records, []byte(three), 0o600))
	synced, grown := false, false
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && op.Path == pair.Records && synced && !grown {
			grown = true
			f, err := mem.Open(pair.Records, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.Write([]byte("{}\n"))
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
		synced = synced || op.Kind == vfs.OpSync && op.Path == pair.Records
		return nil
	})
	_, _, _, err := RecoverBare(fault, pair, BareOptions{Complete: func([]byte) bool { return true }, MaxLine: 1 << 10, Perm: 0o600})
	require.True(t, grown)
	require.ErrorIs(t, err, ErrForeignWrite)
	require.Equal(t, three+"{}\n", read(t, mem, pair.Records))
}
