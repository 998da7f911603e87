package segment

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestRecoverHugeTail: a torn tail of a GiB of NULs is set aside in bounded
// memory, and its copy takes no room on the disk.
func TestRecoverHugeTail(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	const tail = 1 << 30
	dir := filepath.Join(t.TempDir(), "p")
	require.NoError(t, os.Mkdir(dir, 0o700))
	pair := PairAt(dir, 0)
	require.NoError(t, os.WriteFile(pair.Records, []byte(three), 0o600))
	require.NoError(t, os.WriteFile(pair.Index, entriesOf(0, 8, 16, 24), 0o600))
	require.NoError(t, os.Truncate(pair.Records, 24+tail))

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, next, report, err := Recover(vfs.OS, dir, pair, RecoverOptions{Meta: weak(24), Mode: *always(0), MaxLine: 1 << 20, Perm: 0o600})
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
	require.Equal(t, uint64(3), next)
	require.Equal(t, int64(tail), report.TornBytes)

	info, err := os.Stat(report.TornPath)
	require.NoError(t, err)
	require.Equal(t, int64(tail), info.Size())
	require.Less(t, info.Sys().(*syscall.Stat_t).Blocks*512, int64(1<<20))
	require.Equal(t, three, readFile(t, pair.Records))
}

func readFile(t *testing.T, name string) string {
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}
