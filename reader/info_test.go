package reader

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestInfoTellsErrors: what could not be read does not pass for what is not
// there, at whichever operation the disk fails.
func TestInfoTellsErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("1\n2\n"), 0o600))
	failing := false
	var at, seen int
	fsys := vfs.NewFault(vfs.OS, func(op vfs.Op) error {
		if !failing {
			return nil
		}
		if seen++; seen == at && op.Kind == vfs.OpStat {
			return syscall.EIO
		}
		return nil
	})
	log, err := Open(path, &Options{FS: fsys})
	require.NoError(t, err)
	whole := log.Info()
	require.NoError(t, whole.Err, "a missing index is no failure")
	told := 0
	failing = true
	for at = 1; seen >= at-1; at++ {
		seen = 0
		info := log.Info()
		if info.Err != nil {
			require.ErrorIs(t, info.Err, syscall.EIO)
			told++
			continue
		}
		require.Equal(t, whole, info, "operation %d", at)
	}
	require.Positive(t, told)
	require.NoError(t, log.Close())
}
