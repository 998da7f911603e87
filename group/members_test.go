package group

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

func ids(members []MemberInfo) (out []string) {
	for _, m := range members {
		out = append(out, m.ID)
	}
	return out
}

func TestMembersLiveWhileTheirLockDoes(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	g := open(t, mem, "log", Options{Member: "worker"})
	members, err := g.Members()
	require.NoError(t, err)
	require.Empty(t, members)
	a, b := join(t, g), join(t, g)
	members, err = g.Members()
	require.NoError(t, err)
	require.Equal(t, []string{a.Info().ID, b.Info().ID}, ids(members), "the oldest first")
	require.Equal(t, "worker", members[0].Name)
	require.Equal(t, os.Getpid(), members[0].PID)

	require.NoError(t, a.ship.lock.Close(), "as if it had died")
	members, err = g.Members()
	require.NoError(t, err)
	require.Equal(t, []string{b.Info().ID}, ids(members))
	names, err := mem.List(g.membersDir())
	require.NoError(t, err)
	require.Len(t, names, 2, "who only looks removes nothing")
	_, err = b.roster.live()
	require.NoError(t, err)
	names, err = mem.List(g.membersDir())
	require.NoError(t, err)
	require.Equal(t, []string{b.Info().ID}, names, "a member clears away what a dead one left")
	require.NoError(t, b.Close())
	require.ErrorIs(t, a.Close(), os.ErrClosed)
	names, err = mem.List(g.membersDir())
	require.NoError(t, err)
	require.Empty(t, names)
}

// Between making its file and locking it, a member looks dead. Another one may
// clear the file away then, and the first begins anew.
func TestMemberThatBeginsIsTakenForDead(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	other := join(t, open(t, mem, "log", Options{}))
	cleared := 0
	fault := vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpLock && strings.HasSuffix(op.Path, newSuffix) && cleared < 3 {
			cleared++
			_, err := other.roster.live()
			return err
		}
		return nil
	})
	m := join(t, open(t, fault, "log", Options{}))
	require.Equal(t, 3, cleared)
	members, err := m.roster.live()
	require.NoError(t, err)
	require.Equal(t, []string{other.Info().ID, m.Info().ID}, ids(members))
	require.NoError(t, errors.Join(m.Close(), other.Close()))
}

// What is no member's does not count, and what somebody wrote into a member's
// file only makes it nameless.
func TestForeignFilesAmongMembers(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	g := open(t, mem, "log", Options{})
	m := join(t, g)
	for _, name := range []string{"README", ".hidden", "lock", "zzzzzzzzzzzzzzzz-1-1"} {
		require.NoError(t, vfs.ReplaceFile(mem, g.membersDir()+"/"+name, nil, 0o600))
	}
	f, err := mem.Open(m.ship.path, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(0))
	require.NoError(t, f.Close())
	members, err := g.Members()
	require.NoError(t, err)
	require.Equal(t, []MemberInfo{{ID: m.Info().ID}}, members)
	require.NoError(t, m.Close())
	names, err := mem.List(g.membersDir())
	require.NoError(t, err)
	require.Len(t, names, 4)
}

// Who a member is may be asked at any time, also while it appears again because
// somebody removed its file.
func TestInfoWhileAMemberAppearsAgain(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 1)
	m := join(t, open(t, mem, "log", Options{}))
	was := m.Info()
	require.NoError(t, mem.Remove(m.ship.path))
	require.Eventually(t, func() bool { return m.Info().ID != was.ID }, time.Minute, time.Millisecond)
	require.Equal(t, was.Name, m.Info().Name)
	require.NoError(t, m.Close())
}
