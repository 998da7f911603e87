package group

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// What lies beyond the end is no place to go on at: a commit there would have the
// next holder find that the log was cut.
func TestSeekBeyondTheEndChangesNothing(t *testing.T) {
	bubble(t, 3, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		var out *RangeError
		require.ErrorAs(t, m.Seek(0, 4), &out)
		require.Equal(t, RangeError{Offset: 4, Start: 0, Next: 3}, *out)
		require.NoError(t, m.CommitSync())
		require.Equal(t, []uint64{0, 1, 2}, all(t, m))
		require.NoError(t, m.Seek(0, 3), "the end is one")
		require.Empty(t, all(t, m))
		require.NoError(t, m.Close())
		require.Equal(t, uint64(3), entry(t, g).Next)
	})
}
