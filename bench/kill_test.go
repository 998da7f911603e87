package bench

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

const (
	killedAfter   = 1_000   // records that the killed process appended
	unsyncedAfter = 200_000 // 51 MB: most of what may lie unsynced
)

// BenchmarkOpenAfterKill opens a log whose writer was killed. What that takes
// may depend on what the writer had not synced yet, but not on the size of the
// log.
func BenchmarkOpenAfterKill(b *testing.B) {
	sizes := []int{100_000, 1_000_000}
	if *big {
		sizes = append(sizes, 10_000_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("n=%d/jlq", n), func(b *testing.B) { runOpenAfterKill(b, n, killedAfter) })
	}
	b.Run("n=100000/jlq-unsynced", func(b *testing.B) { runOpenAfterKill(b, 100_000, unsyncedAfter) })
}

func runOpenAfterKill(b *testing.B, n, more int) {
	b.Helper()
	dir := b.TempDir()
	require.NoError(b, child(b, "append-close", n, dir).Run())
	next := uint64(n)
	var m Meter
	for b.Loop() {
		requireKilled(b, child(b, "append-kill", more, dir).Run())
		next += uint64(more)
		var p *partition.Partition
		var err error
		m.Measure(1, func() { p, err = partition.Open(dir, nil) })
		require.NoError(b, err)
		requireBounds(b, p, next)
		m.Beside("close-ms", func() { err = p.Close() })
		require.NoError(b, err)
	}
	m.Report(b)
}

func requireKilled(b *testing.B, err error) {
	b.Helper()
	exit, ok := errors.AsType[*exec.ExitError](err)
	require.True(b, ok && !exit.Exited(), "the child was not killed: %v", err)
}

func requireBounds(b *testing.B, p *partition.Partition, next uint64) {
	b.Helper()
	_, got := p.Bounds()
	require.Equal(b, next, got)
}
