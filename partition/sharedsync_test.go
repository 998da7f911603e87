package partition

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSharedSyncsBesideTurns: what syncs in the background looks at the writer
// while a turn of another goroutine takes in what others appended. It is the
// race detector that tells.
func TestSharedSyncsBesideTurns(t *testing.T) {
	opts := &Options{Shared: true, Sync: SyncInterval, Interval: 100 * time.Microsecond}
	dir := t.TempDir()
	logs := []*Partition{mustOpen(t, dir, opts), mustOpen(t, dir, opts)}
	var wg sync.WaitGroup
	for _, p := range logs {
		wg.Go(func() {
			for range 100 {
				_, err := p.Append([]byte("1"))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, p := range logs {
		require.NoError(t, p.Close())
	}
	p, err := OpenReader(dir, nil)
	require.NoError(t, err)
	require.Len(t, read(t, p, 0), 200)
	require.NoError(t, p.Close())
}
