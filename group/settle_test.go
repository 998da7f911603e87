package group

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestCloseSettles: a file that is cut while nobody consumes costs no commit.
func TestCloseSettles(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{})
	m := join(t, g)
	n := 0
	for msg, err := range m.Messages(t.Context()) {
		require.NoError(t, err)
		msg.Ack()
		if n++; n == 7 {
			break
		}
	}
	require.NoError(t, m.Close())
	f, err := mem.Open(g.src.place.File, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1))
	require.NoError(t, f.Close())

	m = join(t, g)
	require.EqualValues(t, 7, entry(t, g).Next)
	require.NoError(t, m.Close())
}
