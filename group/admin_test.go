package group

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

// place is the group's committed offset in partition 0.
func place(t *testing.T, g *Group) uint64 {
	t.Helper()
	return entry(t, g).Next
}

func TestReset(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{})
	require.NoError(t, join(t, g).Close())
	for _, c := range []struct {
		to   To
		want uint64
	}{
		{ToEnd(), 10}, {ToBy(-3), 7}, {ToBy(1), 8}, {ToBy(100), 10}, {ToBy(-100), 0}, {ToOffset(4), 4}, {ToStart(), 0}, {ToOffset(10), 10},
	} {
		plan, err := g.PlanReset(t.Context(), c.to)
		require.NoError(t, err)
		before := entry(t, g)
		moved, err := g.Reset(t.Context(), c.to)
		require.NoError(t, err)
		require.Equal(t, []Moved{{Partition: 0, From: before.Next, To: c.want}}, moved, c.to)
		require.Equal(t, plan, moved)
		after := entry(t, g)
		require.Equal(t, before.Gen+1, after.Gen, "a reset fences")
		check := ""
		if c.want > 0 {
			check = offsets.Check([]byte(`{"n":` + strconv.FormatUint(c.want-1, 10) + `}`))
		}
		require.Equal(t, check, after.Check)
	}
	_, err := g.Reset(t.Context(), ToOffset(11))
	var beyond *RangeError
	require.ErrorAs(t, err, &beyond)
	require.Equal(t, uint64(10), place(t, g), "an error changes nothing")
	_, err = g.Reset(t.Context(), ToStart(), 1)
	require.ErrorContains(t, err, "no partition 1")
}

// TestGroupCommit: who reads by other means keeps the place here, which never
// goes back, and a new group is registered by it.
func TestGroupCommit(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{})
	for _, c := range []struct {
		to         To
		from, want uint64
	}{
		{ToOffset(4), 0, 4}, {ToOffset(4), 4, 4}, {ToOffset(2), 4, 4}, {ToEnd(), 4, 10}, {ToStart(), 10, 10},
	} {
		moved, err := g.Commit(t.Context(), c.to)
		require.NoError(t, err)
		require.Equal(t, []Moved{{Partition: 0, From: c.from, To: c.want}}, moved)
		require.Equal(t, c.want, place(t, g))
	}
	_, err := g.Commit(t.Context(), ToOffset(11))
	var beyond *RangeError
	require.ErrorAs(t, err, &beyond)
	m := join(t, g)
	_, err = g.Commit(t.Context(), ToEnd())
	var held *HeldError
	require.ErrorAs(t, err, &held)
	require.NoError(t, m.Close())
}

func TestResetNeedsTheClaim(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{Member: "worker"})
	_, err := g.Reset(t.Context(), ToEnd())
	require.ErrorIs(t, err, ErrNotRegistered)
	require.ErrorIs(t, g.Unregister(t.Context()), ErrNotRegistered)
	_, err = g.Lag(t.Context())
	require.ErrorIs(t, err, ErrNotRegistered)
	_, err = mem.Stat("log/groups")
	require.ErrorIs(t, err, os.ErrNotExist, "a group that is not there leaves nothing behind")

	m := join(t, g)
	var held *HeldError
	_, err = g.Reset(t.Context(), ToEnd())
	require.ErrorAs(t, err, &held)
	require.Equal(t, m.Info().ID, held.Holder.ID)
	require.ErrorContains(t, err, "group g: partition 0 is held by worker, process "+strconv.Itoa(os.Getpid()))
	require.ErrorAs(t, g.Unregister(t.Context()), &held)
	require.Zero(t, place(t, g))

	require.NoError(t, m.Close())
	require.NoError(t, g.Unregister(t.Context()))
	names, err := List("log", &Options{FS: mem})
	require.NoError(t, err)
	require.Empty(t, names)
	left, err := mem.List("log/groups")
	require.NoError(t, err)
	require.Empty(t, left, "the directories of its locks are gone")
}

// What somebody puts among the locks of a group that is being forgotten stays.
func TestUnregisterClearsOnlyWhatIsEmpty(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	g := open(t, mem, "log", Options{})
	require.NoError(t, join(t, g).Close())
	require.NoError(t, vfs.ReplaceFile(mem, g.membersDir()+"/note", []byte("mine"), 0o600))
	require.NoError(t, vfs.ReplaceFile(mem, g.claimDir(0)+"/note", []byte("mine"), 0o600))
	require.NoError(t, g.Unregister(t.Context()))
	for _, dir := range []string{g.membersDir(), g.claimDir(0)} {
		data, err := vfs.ReadFile(mem, dir+"/note", 100)
		require.NoError(t, err)
		require.Equal(t, "mine", string(data))
	}
	m := join(t, g)
	require.Equal(t, []uint64{0}, all(t, m), "it begins anew")
	require.NoError(t, m.Close())
}

// Unregister removes the directory that it has locked, and not one that somebody
// put in its place, whose lock another member has.
func TestUnregisterLeavesTheLocksOfOthers(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	other := open(t, mem, "log", Options{})
	require.NoError(t, join(t, other).Close())
	dir := other.claimDir(0)
	theirs := other.newClaim(0)
	g := open(t, vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpRename && op.To == other.src.place.File && theirs.lock == nil {
			require.NoError(t, mem.Rename(dir, dir+"-away"))
			require.NoError(t, theirs.acquire())
			require.NoError(t, theirs.sign("them"))
		}
		return nil
	}), "log", Options{})
	require.NoError(t, g.Unregister(t.Context()))
	require.True(t, theirs.named(), "their lock is the one that counts")
	_, err := mem.Stat(dir + "/" + holderName)
	require.NoError(t, err)
	require.NoError(t, theirs.close())
}

// A claim outlasts that the directory of the group is removed just before that of the
// partition is made in it: somebody forgets the group.
func TestClaimWhileForgotten(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	var g *Group
	left := 1
	g = open(t, vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpMkdir && op.Path == g.claimDir(0) && left > 0 {
			left--
			return mem.Remove("log/groups/g")
		}
		return nil
	}), "log", Options{})
	c := g.newClaim(0)
	require.NoError(t, g.acquireSoon(t.Context(), c))
	require.Zero(t, left)
	require.NoError(t, c.close())
}

// Who may not look at the locks of a group is told how far it is all the same.
func TestLagWithoutTheLocks(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 3)
	m := join(t, open(t, mem, "log", Options{}))
	g := open(t, vfs.NewFault(mem, func(op vfs.Op) error {
		if strings.Contains(op.Path, "log/groups/") {
			return syscall.EACCES
		}
		return nil
	}), "log", Options{})
	lags, err := g.Lag(t.Context())
	require.NoError(t, err)
	require.Len(t, lags, 1)
	require.Equal(t, uint64(3), lags[0].Lag)
	require.Nil(t, lags[0].Member)
	require.ErrorIs(t, g.Unregister(t.Context()), syscall.EACCES, "but changes nothing")
	require.NoError(t, m.Close())
}

func TestLag(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{Start: ToOffset(4)})
	m := join(t, g)
	lags, err := g.Lag(t.Context())
	require.NoError(t, err)
	require.Len(t, lags, 1)
	l := lags[0]
	require.True(t, l.Estimated, "these records have no time")
	require.NotZero(t, l.Oldest)
	require.Equal(t, m.Info().ID, l.Member.ID)
	require.Equal(t, PartitionLag{Committed: 4, Next: 10, Lag: 6, Oldest: l.Oldest, Estimated: true, Member: l.Member}, l)
	require.NoError(t, m.Close())
	_, err = g.Reset(t.Context(), ToEnd())
	require.NoError(t, err)
	lags, err = g.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, []PartitionLag{{Committed: 10, Next: 10}}, lags)
	names, err := List("log", &Options{FS: mem})
	require.NoError(t, err)
	require.Equal(t, []string{"g"}, names)
}

// A partition that cannot be read is said, and the others are told of.
func TestLagOfWhatCannotBeRead(t *testing.T) {
	mem := vfs.NewMem()
	newTopic(t, mem, 2, 3)
	require.NoError(t, join(t, open(t, mem, "orders", Options{})).Close())
	broken := errors.New("broken")
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpList && op.Path == "orders/0" {
			return &fs.PathError{Op: "open", Path: op.Path, Err: broken}
		}
		return nil
	})
	lags, err := open(t, fault, "orders", Options{}).Lag(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, lags[0].Err, broken)
	require.NoError(t, lags[1].Err)
	require.Equal(t, uint64(3), lags[1].Lag)
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	require.Zero(t, PartitionLag{}.Age(now))
	require.Equal(t, time.Hour, PartitionLag{Oldest: now.Add(-time.Hour)}.Age(now))
	require.Zero(t, PartitionLag{Oldest: now.Add(time.Hour)}.Age(now), "a clock that was set back makes nothing younger than nothing")
}
