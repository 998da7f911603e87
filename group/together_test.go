package group

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

// A loop over many partitions marks all that have records at once; those that
// get some later are marked before these are given out.
func TestMarkedTogether(t *testing.T) {
	mem := vfs.NewMem()
	newTopic(t, mem, 8, 3)
	var renames atomic.Int64
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpRename && strings.HasSuffix(op.To, "offsets.json") {
			renames.Add(1)
		}
		return nil
	})
	g := open(t, fault, "orders", Options{CommitEvery: -1})
	m := join(t, g)
	before := renames.Load()
	got := 0
	for msg, err := range m.MessagesToEnd(t.Context()) {
		require.NoError(t, err)
		file, err := g.read()
		require.NoError(t, err)
		e, _ := file.Lookup("g", g.src.key(msg.Partition()))
		require.True(t, e.Held)
		msg.Ack()
		got++
	}
	require.Equal(t, 24, got)
	require.Equal(t, before+1, renames.Load(), "eight marks, one replacement")
	require.NoError(t, m.CommitSync())
	require.Equal(t, before+2, renames.Load())
	require.NoError(t, m.Close())
	for _, e := range entriesOf(t, g) {
		require.False(t, e.Held, "nobody died")
		require.Equal(t, uint64(3), e.Next)
	}
}

// entriesOf are the group's entries for the partitions of a topic.
func entriesOf(t *testing.T, g *Group) (all []offsets.Entry) {
	t.Helper()
	file, err := g.read()
	require.NoError(t, err)
	numbers, err := g.src.numbers()
	require.NoError(t, err)
	for _, n := range numbers {
		e, ok := file.Lookup("g", g.src.key(n))
		require.True(t, ok)
		all = append(all, e)
	}
	return all
}

// A record that kills its consumer costs those of other partitions no more than
// one attempt, however often it does; where one is too many, none.
func TestMarkedTogetherWithPoison(t *testing.T) {
	for limit, extra := range map[int]int{-1: 1, 2: 0, enoughAttempts: 1} {
		mem, given := vfs.NewMem(), make([]int, 4)
		newTopic(t, mem, len(given), 2)
		for range 6 {
			g := open(t, mem, "orders", Options{CommitEvery: -1, MaxAttempts: limit})
			m := join(t, g)
			for n, e := range entriesOf(t, g) {
				require.LessOrEqual(t, e.Attempts, given[n]+extra, "limit %d, partition %d: %v", limit, n, given)
			}
			given[take(t, m, 1)[0].Partition()]++
			dead := mem.Crash(vfs.CrashConfig{})
			require.Error(t, m.Close(), "its disk is gone")
			mem = dead
		}
	}
}
