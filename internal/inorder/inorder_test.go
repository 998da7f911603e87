package inorder

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func square(_ context.Context, i int, r *[]int) { *r = append((*r)[:0], i*i) }

// TestEach: results come in the order of the items, whoever is ready first.
func TestEach(t *testing.T) {
	defer goleak.VerifyNone(t)
	var got, want []int
	for r := range Each(t.Context(), upTo(1000), square) {
		got = append(got, *r...)
	}
	for i := range 1000 {
		want = append(want, i*i)
	}
	require.Equal(t, want, got)
}

// TestEachBounded: no more items are taken than there are results for.
func TestEachBounded(t *testing.T) {
	defer goleak.VerifyNone(t)
	var taken atomic.Int64
	items := func(yield func(int) bool) {
		for i := range upTo(1 << 30) {
			taken.Add(1)
			if !yield(i) {
				return
			}
		}
	}
	for range Each(t.Context(), items, square) {
		break
	}
	require.Less(t, taken.Load(), int64(10_000))
}

// TestEachCanceled: the end of the context ends it, with nothing left running.
func TestEachCanceled(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range Each(ctx, upTo(1<<30), square) {
		if n++; n == 5 {
			cancel()
		}
	}
	require.Less(t, n, 1<<20)
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}
