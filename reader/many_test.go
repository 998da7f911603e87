package reader

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestFewSegmentsOpen reads at random over many segments: few stay open, and the
// directory is not read again.
func TestFewSegmentsOpen(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("/log", 0o700))
	d := disk{mem, "/log"}
	const n = 2000
	for base := range n {
		d.pair(t, uint64(base), text(numbered(base, 1)...))
	}
	d.write(t, segment.MetaName, meta(0, n-1))
	counted := vfs.NewFault(mem, nil)
	log, err := Open("/log", &Options{FS: counted})
	require.NoError(t, err)
	opened := len(counted.Ops())
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		at := random.IntN(n)
		data, err := log.Get(uint64(at))
		require.NoError(t, err)
		require.Equal(t, numbered(at, 1)[0], string(data))
	}
	open, most := 0, 0
	for _, op := range counted.Ops()[opened:] {
		switch op.Kind {
		case vfs.OpOpen:
			open++
		case vfs.OpClose:
			open--
		case vfs.OpList:
			require.Fail(t, "the directory was read again", fmt.Sprint(op))
		}
		most = max(most, open)
	}
	require.LessOrEqual(t, most, 2*(maxOpen+1))
	require.NoError(t, log.Close())
}
