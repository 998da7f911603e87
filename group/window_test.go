package group

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The window against a model that is a map of what is unfinished.
func TestWindowModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := rapid.Uint64Range(0, 1000).Draw(t, "next")
		w, open := newWindow(next), map[uint64]int64{}
		t.Repeat(map[string]func(*rapid.T){
			"deliver": func(t *rapid.T) {
				next += rapid.Uint64Range(0, 3).Draw(t, "gap")
				size := rapid.Int64Range(0, 100).Draw(t, "size")
				w.deliver(next, size)
				open[next] = size
				next++
			},
			"replace": func(t *rapid.T) {
				require.Equal(t, len(open) == 1 && w.span() == 1, w.single())
				if !w.single() {
					t.Skip("there is not just one")
				}
				next += rapid.Uint64Range(0, 3).Draw(t, "gap")
				clear(open)
				open[next] = rapid.Int64Range(0, 100).Draw(t, "size")
				w.replace(next, open[next])
				next++
			},
			"pass": func(t *rapid.T) {
				next += rapid.Uint64Range(0, 5).Draw(t, "gap")
				w.pass(next)
			},
			"finish": func(t *rapid.T) {
				low := min(w.frontier(), next)
				offset := rapid.Uint64Range(low-min(low, 2), next+2).Draw(t, "offset")
				_, unfinished := open[offset]
				require.Equal(t, unfinished, w.finish(offset))
				delete(open, offset)
			},
			"": func(t *rapid.T) {
				frontier, bytes := next, int64(0)
				for offset, size := range open {
					frontier, bytes = min(frontier, offset), bytes+size
				}
				require.Equal(t, frontier, w.frontier())
				require.Equal(t, len(open), w.open)
				require.Equal(t, bytes, w.bytes)
				oldest, ok := w.oldest()
				require.Equal(t, len(open) > 0, ok)
				require.True(t, !ok || oldest == frontier)
				require.GreaterOrEqual(t, w.span(), w.open)
			},
		})
	})
}

func TestWindowBounds(t *testing.T) {
	w := newWindow(0)
	require.True(t, w.admits(1000, 2, 100), "a record larger than the bound passes alone")
	w.deliver(0, 60)
	require.True(t, w.admits(40, 2, 100))
	require.False(t, w.admits(41, 2, 100))
	w.deliver(1, 10)
	require.False(t, w.admits(0, 2, 100), "two records are in flight")
	w.finish(1)
	require.True(t, w.admits(0, 2, 100))
}

// A record that nobody finishes must not let the window grow without end.
func TestWindowSpanIsBounded(t *testing.T) {
	w := newWindow(0)
	w.deliver(0, 1)
	n := uint64(1)
	for ; w.admits(1, 4, 100); n++ {
		w.deliver(n, 1)
		w.finish(n)
	}
	require.Equal(t, uint64(4*spanFactor), n)
	require.Zero(t, w.frontier())
}
