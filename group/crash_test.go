package group

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

// finish makes everything below next finished.
func finish(s *stream, next uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.w = newWindow(next)
}

// reached is how far a member got before the file system crashed: what it was
// told is durable from then on.
type reached struct {
	joined, held, committed, closed bool
}

// work is the life of one member that consumes 4 records.
func work(t *testing.T, fsys vfs.FS) (r reached, err error) {
	g, err := Open("log", "g", &Options{FS: fsys, Start: ToOffset(1), CommitEvery: -1})
	if err != nil {
		return r, err
	}
	m, err := g.Join(t.Context())
	if err != nil {
		return r, err
	}
	list := *m.list.Load()
	if len(list) == 0 {
		return r, errors.Join(m.nextReport(), m.Close())
	}
	r.joined = true
	s := list[0]
	if err = m.hold(s); err == nil {
		r.held = true
		finish(s, 5)
		if err = m.CommitSync(); err == nil {
			r.committed = true
		}
	}
	err = errors.Join(err, m.Close())
	r.closed = err == nil
	return r, err
}

// Whenever the power fails, the file is one that can be read, what a member was
// told is in it, and the group goes on from there.
func TestCrashMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	t.Parallel()
	steps := 0
	for n := 1; ; n++ {
		var r reached
		crash := func(choose func(*vfs.Mem) *vfs.Mem) *vfs.Mem {
			mem := vfs.NewMem()
			fill(t, mem, "log", 10)
			require.NoError(t, mem.SyncDir("."))
			r, _ = work(t, vfs.NewFault(mem, vfs.CrashAt(n)))
			return choose(mem)
		}
		check := func(name string, after *vfs.Mem) {
			checkAfterCrash(t, fmt.Sprintf("step %d, %s", n, name), after, r)
		}
		check("killed", crash((*vfs.Mem).Kill))
		for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept} {
			cfg := vfs.CrashConfig{Data: vfs.DataTorn, Names: names}
			check(fmt.Sprintf("names %d", names), crash(func(m *vfs.Mem) *vfs.Mem { return m.Crash(cfg) }))
		}
		for seed := range uint64(4) {
			cfg := vfs.CrashConfig{Data: vfs.DataSubset, Names: vfs.NamesSubset, Seed: seed}
			check(fmt.Sprintf("seed %d", seed), crash(func(m *vfs.Mem) *vfs.Mem { return m.Crash(cfg) }))
		}
		if r.closed {
			break
		}
		steps++
	}
	require.Greater(t, steps, 50)
}

func checkAfterCrash(t *testing.T, name string, after *vfs.Mem, r reached) {
	g := open(t, after, "log", Options{Start: ToOffset(1)})
	f, _, err := offsets.Read(after, g.src.place)
	require.NoError(t, err, name)
	e, ok := f.Lookup("g", "0")
	require.True(t, ok || !r.joined, "%s: the group is registered before it is joined", name)
	if ok {
		require.Contains(t, []uint64{1, 5}, e.Next, name)
	}
	if r.joined {
		require.NotZero(t, e.Gen, "%s: the claim is durable before anything is delivered", name)
	}
	if r.held && e.Next == 1 {
		require.True(t, e.Held, "%s: %+v: records were in flight", name, e)
	}
	if r.committed {
		require.Equal(t, uint64(5), e.Next, "%s: the commit is durable", name)
		require.False(t, e.Held, name)
	}
	m, err := g.Join(t.Context())
	require.NoError(t, err, name)
	require.Equal(t, []int{0}, m.Partitions(), name)
	require.Equal(t, max(1, e.Next), (*m.list.Load())[0].claim.next, name)
	require.NoError(t, m.Close(), name)
}

// Each operation of a member's life fails once. It is an error, nothing is lost
// by it, and the next member goes on.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for n := 1; ; n++ {
		mem := vfs.NewMem()
		fill(t, mem, "log", 10)
		failed := vfs.Op{}
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.N == n {
				failed = op
				return &fs.PathError{Op: op.Kind.String(), Path: op.Path, Err: broken}
			}
			return nil
		})
		r, err := work(t, fault)
		if failed.N == 0 {
			require.NoError(t, err)
			break
		}
		name := fmt.Sprintf("step %d, %v %s", n, failed.Kind, failed.Path)
		if err != nil {
			require.ErrorIs(t, err, broken, name)
		}
		checkAfterFault(t, name, mem, r)
	}
}

func checkAfterFault(t *testing.T, name string, mem *vfs.Mem, r reached) {
	g := open(t, mem, "log", Options{Start: ToOffset(1)})
	m, err := g.Join(t.Context())
	require.NoError(t, err, name)
	require.Equal(t, []int{0}, m.Partitions(), "%s: no lock is left behind", name)
	next := (*m.list.Load())[0].claim.next
	require.Contains(t, []uint64{1, 5}, next, name)
	if r.committed {
		require.Equal(t, uint64(5), next, name)
	}
	require.NoError(t, m.Close(), name)
}
