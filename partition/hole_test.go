package partition

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

const (
	holeSize    = 125     // bytes of a record of the log with a hole
	holeBefore  = 1_000   // records before the hole, which are synced
	holeRecords = 800_000 // records that it swallowed
	holeBehind  = 1_000   // records behind it
)

func holeRecord(n int) []byte {
	return append(fmt.Appendf(nil, `{"n":%d,"pad":"%0*d"}`, n, holeSize-16-len(fmt.Sprint(n)), 0), '\n')
}

// hole makes a log whose records file lost 100 MB to a power cut, in a weak
// mode, while its index was kept whole.
func hole(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "p")
	require.NoError(t, os.Mkdir(dir, 0o700))
	pair := segment.PairAt(dir, 0)
	f, err := os.Create(pair.Records)
	require.NoError(t, err)
	write := func(from, n int) {
		var b []byte
		for i := range n {
			b = append(b, holeRecord(from+i)...)
		}
		require.Equal(t, n*holeSize, len(b))
		_, err := f.WriteAt(b, int64(from)*holeSize)
		require.NoError(t, err)
	}
	write(0, holeBefore)
	write(holeBefore+holeRecords, holeBehind)
	require.NoError(t, f.Close())
	var idx []byte
	for i := range int64(holeBefore + holeRecords + holeBehind + 1) {
		idx = index.AppendEntry(idx, i*holeSize)
	}
	writeFile(t, pair.Index, string(idx))
	require.NoError(t, segment.WriteMeta(vfs.OS, dir, segment.Meta{
		Sync: "os", Validate: "strict", Batch: 16<<20 + 1, Synced: segment.Mark{Position: holeBefore * holeSize},
	}, 0o600))
	return dir
}

// allocated is how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// readBytes is how much of the records file was read.
func readBytes(ops []vfs.Op, name string) (n int64) {
	for _, op := range ops {
		if op.Kind == vfs.OpReadAt && op.Path == name {
			n += int64(op.Size)
		}
	}
	return n
}

// TestHugeHole: a hole of 100 MB under 800,000 clean entries. Reading gives the
// records before it, one error, and can go on behind it; opening for appending
// sets all from the hole on aside, in a file with the same hole, and tells the
// loss. Neither takes memory for the hole, nor reads it more than twice.
func TestHugeHole(t *testing.T) {
	dir := hole(t)
	recs := segment.PairAt(dir, 0).Records
	const all = (holeBefore + holeRecords + holeBehind) * holeSize
	counted := vfs.NewFault(vfs.OS, nil)

	read := allocated(func() {
		p, err := OpenReader(dir, &Options{FS: counted})
		require.NoError(t, err)
		n := 0
		for rec, err := range p.Records(0) {
			if err != nil {
				corrupt, is := errors.AsType[*CorruptError](err)
				require.True(t, is, "%v", err)
				require.Equal(t, uint64(holeBefore), corrupt.Offset)
				require.Equal(t, int64(holeBefore*holeSize), corrupt.Position)
				break
			}
			require.Equal(t, uint64(n), rec.Offset)
			n++
		}
		require.Equal(t, holeBefore, n)
		data, err := p.Get(holeBefore + holeRecords + 1)
		require.NoError(t, err)
		require.Equal(t, holeRecord(holeBefore+holeRecords+1), append(data, '\n'))
		require.NoError(t, p.Close())
	})
	require.Less(t, read, uint64(64<<20))
	require.Less(t, readBytes(counted.Ops(), recs), int64(2*all))

	counted = vfs.NewFault(vfs.OS, nil)
	recovered := allocated(func() {
		p, err := Open(dir, &Options{FS: counted})
		require.NoError(t, err)
		r := p.Recovery()
		require.Equal(t, []uint64{holeBefore, holeBefore + holeRecords + holeBehind}, []uint64{r.LostFrom, r.LostTo})
		require.Equal(t, int64(all-holeBefore*holeSize), r.TornBytes)
		offset, err := p.Append([]byte(`"after"`))
		require.NoError(t, err)
		require.Equal(t, uint64(holeBefore), offset)
		require.NoError(t, p.Close())
		requireTail(t, r.TornPath)
	})
	require.Less(t, recovered, uint64(96<<20), "a line as long as the largest record is kept, no more")
	require.Less(t, readBytes(counted.Ops(), recs), int64(5*all/2))
	require.Empty(t, problems(t, dir))
}

// requireTail: what was set aside ends in the records that were behind the
// hole.
func requireTail(t *testing.T, name string) {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	last := make([]byte, holeSize)
	_, err = f.ReadAt(last, (holeRecords+holeBehind-1)*holeSize)
	require.NoError(t, err)
	require.Equal(t, holeRecord(holeBefore+holeRecords+holeBehind-1), last)
	first := make([]byte, holeSize)
	_, err = f.ReadAt(first, 0)
	require.NoError(t, err)
	require.Empty(t, bytes.Trim(first, "\x00"))
}
