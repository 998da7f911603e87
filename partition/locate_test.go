package partition

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestLocateWhileAppended asks for the place of records while they come: each is
// there or not, wherever it is by then.
func TestLocateWhileAppended(t *testing.T) {
	const n = 50_000
	p := mustOpen(t, "log", &Options{FS: vfs.NewMem(), Sync: SyncOS})
	var appending sync.WaitGroup
	appending.Go(func() {
		for range n {
			_, err := p.Append([]byte("{}"))
			if err != nil {
				t.Errorf("append: %v", err)
				return
			}
		}
	})
	for i := uint64(0); i < n && !t.Failed(); {
		path, position, length, err := p.Log().Locate(i)
		if err != nil {
			_, ok := errors.AsType[*RangeError](err)
			require.True(t, ok, "%v", err)
			continue
		}
		require.Equal(t, filepath.Join("log", "00000000000000000000.jsonl"), path)
		require.Equal(t, int64(3*i), position)
		require.Equal(t, 2, length)
		_, next := p.Bounds()
		i = max(i+1, min(next, n))
	}
	appending.Wait()
	require.NoError(t, p.Close())
}
