package group

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

// However many partitions a member takes at once, their generations are made
// durable together: one replacement, and no fsync for each.
func TestClaimManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		synced := map[int]int{}
		for _, partitions := range []int{4, 40} {
			mem := vfs.NewMem()
			newTopic(t, mem, partitions, 1)
			fault := vfs.NewFault(mem, func(op vfs.Op) error {
				if op.Kind == vfs.OpSync || op.Kind == vfs.OpSyncDir {
					synced[partitions]++
				}
				return nil
			})
			m := join(t, open(t, fault, "orders", Options{CommitEvery: -1}))
			require.Equal(t, []int{partitions}, settle(t, partitions, m))
			require.NoError(t, m.Close())
		}
		require.Positive(t, synced[4])
		require.Equal(t, synced[4], synced[40])
	})
}

// One partition that cannot be taken does not keep the others from it: here
// the group is not registered in it.
func TestClaimAmongOthers(t *testing.T) {
	mem := vfs.NewMem()
	newTopic(t, mem, 3, 1)
	g := open(t, mem, "orders", Options{})
	m := join(t, g)
	require.NoError(t, m.Close())
	require.NoError(t, g.update(func(f *offsets.File) error {
		delete(f.Groups["g"], g.src.key(1))
		return nil
	}))
	var claims []*claim
	for n := range 3 {
		claims = append(claims, g.newClaim(n))
		require.NoError(t, claims[n].acquire())
	}
	all := g.begin(t.Context(), claims)
	errs := slices.Collect(func(yield func(bool) bool) {
		for _, b := range all {
			if !yield(b.err == nil) {
				return
			}
			require.NoError(t, b.close())
		}
	})
	require.Equal(t, []bool{true, false, true}, errs)
	require.ErrorIs(t, all[1].err, ErrNotRegistered)
	require.Equal(t, uint64(2), all[0].gen)
}
