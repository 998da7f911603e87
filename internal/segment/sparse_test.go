package segment

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestSetAsideSparse: a copy of a torn tail is identical to it, and the NULs
// in it, which may be many GB after a power loss, are holes.
func TestSetAsideSparse(t *testing.T) {
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rand.Uint32())
		}
		return b
	}
	nul := func(n int) []byte { return make([]byte, n) }
	for name, parts := range map[string][][]byte{
		"nothing but NULs":      {nul(3 * copyBlock)},
		"one NUL":               {nul(1)},
		"no NUL":                {[]byte("torn")},
		"NULs between":          {random(100), nul(2 * copyBlock), random(copyBlock), nul(copyBlock), random(7)},
		"NULs at the end":       {random(copyBlock + 1), nul(4*copyBlock + 5)},
		"NULs at the beginning": {nul(copyBlock + 1), random(9)},
	} {
		t.Run(name, func(t *testing.T) {
			var torn []byte
			for _, part := range parts {
				torn = append(torn, part...)
			}
			fsys := vfs.NewMem()
			require.NoError(t, fsys.Mkdir("p", 0o700))
			recs := PairAt("p", 0).Records
			require.NoError(t, vfs.ReplaceFile(fsys, recs, append([]byte(three), torn...), 0o600))
			rec, err := fsys.Open(recs, os.O_RDONLY, 0)
			require.NoError(t, err)
			counted := vfs.NewFault(fsys, nil)
			name, err := setAside(counted, PairAt("p", 0), rec, 24, int64(24+len(torn)), 0o600)
			require.NoError(t, err)
			require.Equal(t, string(torn), read(t, fsys, name))
			for _, op := range counted.Ops() {
				if op.Kind == vfs.OpWriteAt {
					written := torn[op.Off : op.Off+int64(op.Size)]
					require.False(t, allNUL(written), "NULs written at %d", op.Off)
				}
			}
			again, err := setAside(fsys, PairAt("p", 0), rec, 24, int64(24+len(torn)), 0o600)
			require.NoError(t, err)
			require.Equal(t, name, again)
			require.NoError(t, rec.Close())
		})
	}
}
