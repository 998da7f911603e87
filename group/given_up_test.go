package group

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// A partition may be given up, and its log closed, between the moment that a
// loop looks which ones there are and the one that it asks it: the loop goes on
// with the others.
func TestLoopMeetsWhatWasJustGivenUp(t *testing.T) {
	bubble(t, 3, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		s := (*m.list.Load())[0]
		require.NoError(t, m.giveUp([]int{0}))
		_, _, err := s.claim.log.Bounds(t.Context())
		require.ErrorIs(t, err, fs.ErrClosed)
		p := pump{m: m, ctx: t.Context(), toEnd: true, seen: map[*stream]bool{}}
		_, err = p.ask(s)
		require.Equal(t, errBlocked, err)
		list := []*stream{s}
		m.list.Store(&list)
		n, err := m.Waiting(t.Context())
		require.NoError(t, err)
		require.Zero(t, n)
		require.NoError(t, m.Close())
	})
}
