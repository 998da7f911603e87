package group

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

// rebalanceWithin is how soon a change of members has shared out anew.
const rebalanceWithin = 3 * time.Second

// newTopic makes a topic with n records in each of its partitions.
func newTopic(t *testing.T, fsys vfs.FS, partitions, records int) {
	t.Helper()
	newTopicAt(t, fsys, "orders", partitions, records)
}

func newTopicAt(t *testing.T, fsys vfs.FS, dir string, partitions, records int) {
	t.Helper()
	opts := &topic.Options{Partition: partition.Options{FS: fsys}}
	require.NoError(t, topic.Create(dir, partitions, opts))
	for i := range partitions {
		p, err := partition.Open(topic.PartitionPath(dir, i), &partition.Options{FS: fsys, Sync: partition.SyncOS})
		require.NoError(t, err)
		for n := range records {
			_, err := p.Append(fmt.Appendf(nil, `{"p":%d,"n":%d}`, i, n))
			require.NoError(t, err)
		}
		require.NoError(t, p.Close())
	}
}

// settle lets the members share out, and returns how many partitions each
// has. All of them are held, by one member each.
func settle(t *testing.T, partitions int, members ...*Member) (counts []int) {
	t.Helper()
	time.Sleep(rebalanceWithin)
	synctest.Wait()
	var all []int
	for _, m := range members {
		all = append(all, m.Partitions()...)
		counts = append(counts, len(m.Partitions()))
	}
	slices.Sort(all)
	want := make([]int, partitions)
	for i := range want {
		want[i] = i
	}
	require.Equal(t, want, all)
	return counts
}

// die ends a member as the death of its process does: its locks are free, and
// nothing is written any more.
func die(t *testing.T, m *Member) {
	t.Helper()
	m.end(errMemberClosed)
	<-m.done
	for _, s := range m.remove(m.Partitions()) {
		require.NoError(t, s.claim.close())
	}
	require.NoError(t, m.ship.lock.Close())
}

func TestMembersShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 8, 0)
		g := open(t, mem, "orders", Options{})
		a, b := join(t, g), join(t, g)
		require.Equal(t, []int{4, 4}, settle(t, 8, a, b))
		kept := a.Partitions()
		c, d := join(t, g), join(t, g)
		require.Equal(t, []int{2, 2, 2, 2}, settle(t, 8, a, b, c, d))
		require.Subset(t, kept, a.Partitions(), "who has too many keeps some of them")
		die(t, c)
		require.Equal(t, []int{3, 3, 2}, settle(t, 8, a, b, d))
		require.NoError(t, a.Close())
		require.Equal(t, []int{4, 4}, settle(t, 8, b, d))
		die(t, b)
		require.Equal(t, []int{8}, settle(t, 8, d))
		require.NoError(t, d.Close())
	})
}

// A member that lives and does nothing, as a stopped process, keeps what it has.
func TestStoppedMemberKeepsItsClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 4, 0)
		g := open(t, mem, "orders", Options{})
		stopped := join(t, g)
		stopped.end(errMemberClosed) // its goroutine ends, its locks stay
		<-stopped.done
		other := join(t, g)
		require.Equal(t, []int{4, 0}, settle(t, 4, stopped, other))
		_, err := g.Reset(t.Context(), ToEnd())
		var held *HeldError
		require.ErrorAs(t, err, &held)
		require.Equal(t, stopped.Info().ID, held.Holder.ID)
		require.NoError(t, stopped.Close())
		require.Equal(t, []int{4}, settle(t, 4, other))
		require.NoError(t, other.Close())
	})
}

// Who asks for one partition alone goes before those that take any.
func TestPinnedMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 3, 0)
		all := open(t, mem, "orders", Options{})
		one := open(t, mem, "orders/1", Options{})
		require.Equal(t, all.src.place.File, one.src.place.File)
		a := join(t, all)
		b := join(t, one)
		require.Equal(t, []int{2, 1}, settle(t, 3, a, b))
		require.Equal(t, []int{1}, b.Partitions())
		second := join(t, one)
		require.Equal(t, []int{2, 1, 0}, settle(t, 3, a, b, second))
		require.NoError(t, b.Close())
		require.Equal(t, []int{2, 1}, settle(t, 3, a, second))
		require.NoError(t, second.Close())
		require.Equal(t, []int{3}, settle(t, 3, a))
		require.NoError(t, a.Close())
	})
}

func TestPartitionsThatComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 2, 3)
		opts := &topic.Options{Partition: partition.Options{FS: mem}}
		g := open(t, mem, "orders", Options{Start: ToEnd()})
		m := join(t, g)
		require.Equal(t, []int{2}, settle(t, 2, m))
		_, err := topic.AddPartitions("orders", 1, opts)
		require.NoError(t, err)
		fill(t, mem, "orders/2", 5)
		require.Equal(t, []int{3}, settle(t, 3, m))
		lags, err := g.Lag(t.Context())
		require.NoError(t, err)
		require.Equal(t, []uint64{0, 0, 5}, []uint64{lags[0].Lag, lags[1].Lag, lags[2].Lag}, "a partition that is added is consumed from its start")

		_, err = topic.Hide("orders", 1, topic.Consumers, opts)
		require.NoError(t, err)
		time.Sleep(rebalanceWithin)
		require.Equal(t, []int{0, 2}, m.Partitions())
		require.ErrorIs(t, m.nextReport(), ErrHidden)
		_, err = topic.Unhide("orders", 1, topic.Consumers, opts)
		require.NoError(t, err)
		require.Equal(t, []int{3}, settle(t, 3, m))
		require.NoError(t, m.Close())
	})
}

// A topic that is deleted ends its members, and nothing of it comes back.
func TestTopicGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 2, 0)
		m := join(t, open(t, mem, "orders", Options{}))
		require.NoError(t, mem.Rename("orders", "trash"))
		time.Sleep(rebalanceWithin)
		<-m.life.Done()
		require.Error(t, m.nextReport())
		require.NoError(t, m.Close())
		_, err := mem.Stat("orders")
		require.Error(t, err)
	})
}

// The second on a lone partition waits, or is refused where it asks for that.
func TestSecondOnALonePartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 3)
		g := open(t, mem, "log", Options{Member: "first"})
		a := join(t, g)
		_, err := open(t, mem, "log", Options{NoWait: true}).Join(t.Context())
		var held *HeldError
		require.ErrorAs(t, err, &held)
		require.ErrorIs(t, err, partition.ErrLocked)
		require.Equal(t, a.Info().ID, held.Holder.ID)
		b := join(t, g)
		require.Equal(t, []int{1, 0}, settle(t, 1, a, b))
		require.NoError(t, a.Close())
		require.Equal(t, []int{1}, settle(t, 1, b))
		require.NoError(t, b.Close())
	})
}

// Somebody removes the directory of the locks: the members appear again and
// go on, one for each partition.
func TestLocksRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 2, 0)
		g := open(t, mem, "orders", Options{})
		a, b := join(t, g), join(t, g)
		settle(t, 2, a, b)
		require.NoError(t, mem.Rename("orders/groups", "trash"))
		require.Equal(t, []int{1, 1}, settle(t, 2, a, b))
		members, err := g.Members()
		require.NoError(t, err)
		require.Len(t, members, 2)
		require.NoError(t, errors.Join(a.Close(), b.Close()))
	})
}

// An idle member asks the system for little: a handful of looks, twice a second.
func TestIdleMemberIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 8, 10)
		fault := vfs.NewFault(mem, nil)
		m := join(t, open(t, fault, "orders", Options{}))
		time.Sleep(rebalanceWithin)
		before := len(fault.Ops())
		const seconds = 100
		time.Sleep(seconds * time.Second)
		ops := fault.Ops()[before:]
		require.LessOrEqual(t, len(ops), 20*seconds)
		for _, op := range ops {
			require.False(t, op.Kind.Changes() && op.Kind != vfs.OpOpen, "%v %s", op.Kind, op.Path)
		}
		require.NoError(t, m.Close())
	})
}

// Who lacks a partition looks for it soon, and less and less often while it
// does not come.
func TestLooksSoonerWhereItLacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 1, 0)
		g := open(t, mem, "orders", Options{})
		c := g.newClaim(0)
		require.NoError(t, g.register(t.Context(), []int{0}))
		require.NoError(t, c.acquire())
		m := join(t, g)
		m.end(errMemberClosed) // its goroutine, but not what this test does in its place
		<-m.done
		m.life = t.Context()
		var pauses []time.Duration
		for range 4 {
			pauses = append(pauses, m.look())
		}
		require.NoError(t, c.close())
		pauses = append(pauses, m.look(), m.pause)
		require.Equal(t, []time.Duration{shortEvery, 2 * shortEvery, 4 * shortEvery, balanceEvery, balanceEvery, 0}, pauses)
		require.NoError(t, m.Close())
	})
}

func TestPinnedToAHiddenPartition(t *testing.T) {
	mem := vfs.NewMem()
	newTopic(t, mem, 2, 0)
	_, err := topic.Hide("orders", 1, topic.Consumers, &topic.Options{Partition: partition.Options{FS: mem}})
	require.NoError(t, err)
	_, err = open(t, mem, "orders/1", Options{}).Join(t.Context())
	require.ErrorIs(t, err, ErrHidden)
}
