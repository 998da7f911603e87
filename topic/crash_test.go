package topic

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// changes are what changes a topic. Each is crashed, and fails, at every step.
var changes = []struct {
	name string
	do   func(*Options) error
	// done are the errors with which it says, called again, that it was done.
	done []error
	// after is topic.json when it was done.
	after Meta
}{
	{"create", func(o *Options) error { return Create("new", 2, o) }, []error{ErrExists}, Meta{}},
	{"add", func(o *Options) error { return second(AddPartitions("orders", 2, o)) }, nil,
		Meta{Format: 1, Name: "orders", Partitions: 5, Hidden: Hidden{[]int{2}, []int{2}}}},
	{"hide", func(o *Options) error { return second(Hide("orders", 0, Producers, o)) }, nil,
		Meta{Format: 1, Name: "orders", Partitions: 3, Hidden: Hidden{[]int{0, 2}, []int{2}}}},
	{"unhide", func(o *Options) error { return second(Unhide("orders", 2, Producers|Consumers, o)) }, nil,
		Meta{Format: 1, Name: "orders", Partitions: 3}},
	{"delete a partition", func(o *Options) error { return second(Delete("orders", Deletion{Partitions: []int{2}}, o)) },
		[]error{fs.ErrNotExist}, Meta{Format: 1, Name: "orders", Partitions: 3, Deleted: []int{2}}},
	{"delete the topic", func(o *Options) error { return second(Delete("orders", Deletion{Force: true}, o)) },
		[]error{fs.ErrNotExist, segment.ErrTopicLost, ErrNotTopic}, Meta{}},
}

func second[T any](_ T, err error) error { return err }

// standing is a topic of three partitions, of which 2 is hidden, with a group,
// all of it on the disk.
func standing(t testing.TB) *vfs.Mem {
	mem, opts := newTopic(t, 3)
	top := mustOpen(t, opts)
	for i := range 6 {
		_, err := top.Append(nil, rec(i))
		require.NoError(t, err)
	}
	require.NoError(t, top.Close())
	hideAll(t, opts, 2)
	consumed(t, mem, 2, 2)
	return again(mem)
}

// again is mem once more, all of it on the disk. mem is good for that only
// from then on.
func again(mem *vfs.Mem) *vfs.Mem {
	return mem.Crash(vfs.CrashConfig{Data: vfs.DataKept, Names: vfs.NamesKept})
}

// losses are the ways in which a power loss takes what was not synced.
func losses() (out []vfs.CrashConfig) {
	for _, data := range []vfs.DataLoss{vfs.DataLost, vfs.DataKept, vfs.DataGarbage} {
		for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept} {
			out = append(out, vfs.CrashConfig{Data: data, Names: names})
		}
		for seed := range uint64(2) {
			out = append(out, vfs.CrashConfig{Data: data, Names: vfs.NamesSubset, Seed: seed})
		}
	}
	return out
}

// TestCrashMatrix: wherever a change is cut short, what is left is a topic as
// it was or as it should become, or none; every partition that it names opens;
// and the change can be made again.
func TestCrashMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			base := standing(t)
			whole := vfs.NewFault(again(base), nil)
			require.NoError(t, c.do(inMemory(whole)))
			for _, op := range whole.Ops() {
				if !op.Kind.Changes() {
					continue
				}
				mem := again(base)
				require.Error(t, c.do(inMemory(vfs.NewFault(mem, vfs.CrashAt(op.N)))))
				for _, loss := range losses() {
					what := fmt.Sprintf("before %v %s, %+v", op.Kind, op.Path, loss)
					requireWhole(t, mem.Crash(loss), c.do, c.done, c.after, what)
				}
			}
			for _, loss := range losses() {
				// What was said to be done stays done.
				mem := again(base)
				require.NoError(t, c.do(inMemory(mem)))
				after := mem.Crash(loss)
				m, err := ReadMeta(after, "orders")
				if c.after.Format == 0 && c.name != "create" {
					require.ErrorIs(t, err, fs.ErrNotExist)
				} else if c.name != "create" {
					require.NoError(t, err)
					require.Equal(t, c.after, m, "%+v", loss)
				} else {
					_, err = ReadMeta(after, "new")
					require.NoError(t, err)
				}
			}
		})
	}
}

// requireWhole: what a crash left is whole, and goes on.
func requireWhole(t *testing.T, mem *vfs.Mem, do func(*Options) error, done []error, want Meta, what string) {
	t.Helper()
	opts := inMemory(mem)
	before := Meta{Format: 1, Name: "orders", Partitions: 3, Hidden: Hidden{[]int{2}, []int{2}}}
	for _, name := range []string{"orders", "new"} {
		m, err := ReadMeta(mem, name)
		if err != nil {
			require.True(t, errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotTopic) || errors.Is(err, segment.ErrTopicLost), "%s: %v", what, err)
			continue
		}
		if name == "orders" && len(m.All()) > 0 && want.Format > 0 {
			require.Contains(t, []Meta{before, want}, m, what)
		}
		requireOpens(t, name, opts, m, what)
	}
	err := do(opts)
	for _, is := range done {
		if errors.Is(err, is) {
			err = nil
		}
	}
	require.NoError(t, err, what)
	for _, name := range []string{"orders", "new"} {
		if m, err := ReadMeta(mem, name); err == nil {
			requireOpens(t, name, opts, m, what)
			for _, i := range m.Deleted {
				requireGone(t, mem, PartitionPath(name, i))
			}
		}
	}
}

// requireOpens: the topic takes records, and those that were there are.
func requireOpens(t *testing.T, name string, opts *Options, m Meta, what string) {
	t.Helper()
	reader, err := OpenReader(name, opts)
	require.NoError(t, err, what)
	for _, i := range m.All() {
		p, err := reader.Partition(i)
		require.NoError(t, err, what)
		start, next := p.Bounds()
		if name == "orders" && i < 3 {
			require.EqualValues(t, 2, next-start, "%s: partition %d", what, i)
		}
	}
	require.NoError(t, reader.Close())
	top, err := Open(name, opts)
	require.NoError(t, err, what)
	require.NoError(t, top.Close())
}

// TestFailures: a change that the system refuses at any step, for want of
// space or because the disk has become read-only, returns the system's
// error, and is made when it is called again.
func TestFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	for _, c := range changes {
		for _, why := range []syscall.Errno{syscall.ENOSPC, syscall.EROFS} {
			t.Run(fmt.Sprint(c.name, " ", why), func(t *testing.T) {
				base := standing(t)
				whole := vfs.NewFault(again(base), nil)
				require.NoError(t, c.do(inMemory(whole)))
				for _, op := range whole.Ops() {
					mem := again(base)
					opts := inMemory(vfs.NewFault(mem, func(now vfs.Op) error {
						if now.N == op.N || why == syscall.EROFS && now.N > op.N && now.Kind.Changes() {
							return why
						}
						return nil
					}))
					err := c.do(opts)
					what := fmt.Sprintf("%v of %s", op.Kind, op.Path)
					if err != nil {
						require.ErrorIs(t, err, why, what)
					}
					if err != nil && c.name == "create" && why != syscall.EROFS {
						requireClean(t, mem, what)
					}
					requireWhole(t, mem, c.do, c.done, c.after, what)
				}
			})
		}
	}
}

// requireClean: a Create that failed leaves nothing, or a topic.
func requireClean(t *testing.T, mem *vfs.Mem, what string) {
	t.Helper()
	_, err := mem.Lstat("new")
	if err == nil {
		_, err = ReadMeta(mem, "new")
		require.NoError(t, err, what)
		return
	}
	require.ErrorIs(t, err, fs.ErrNotExist, what)
}

// TestReadOnly: on a read-only file system a topic is read, and nothing is
// tried to be written for that.
func TestReadOnly(t *testing.T) {
	mem := standing(t)
	opts := inMemory(vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind.Changes() && op.Kind != vfs.OpOpen {
			return syscall.EROFS
		}
		return nil
	}))
	top, err := OpenReader("orders", opts)
	require.NoError(t, err)
	n := 0
	for _, err := range top.Records(nil) {
		require.NoError(t, err)
		n++
	}
	require.Equal(t, 4, n)
	_, err = PlanDelete("orders", Deletion{}, opts)
	require.NoError(t, err)
	require.NoError(t, top.Close())
	_, err = Hide("orders", 0, Producers, opts)
	require.ErrorIs(t, err, syscall.EROFS)
	_, err = Open("orders", opts)
	require.ErrorIs(t, err, syscall.EROFS)
}

// TestChangeAgainIsDurable: a change whose process was killed before it ended is
// made again. That topic.json says so already does not say that this is on the
// disk: what the second one returns for stays, and what it removes is named no
// more.
func TestChangeAgainIsDurable(t *testing.T) {
	for _, c := range changes {
		if c.after.Format == 0 || c.name == "add" { // a second add adds more
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			base := standing(t)
			whole := vfs.NewFault(again(base), nil)
			require.NoError(t, c.do(inMemory(whole)))
			var renamed vfs.Op
			for _, op := range whole.Ops() {
				if op.Kind == vfs.OpRename && filepath.Base(op.To) == segment.TopicName {
					renamed = op
				}
			}
			mem := again(base)
			require.Error(t, c.do(inMemory(vfs.NewFault(mem, vfs.CrashAt(renamed.N+1)))))
			mem = mem.Kill()
			if err := c.do(inMemory(mem)); err != nil {
				require.Len(t, c.done, 1)
				require.ErrorIs(t, err, c.done[0])
			}
			m, err := ReadMeta(mem.Crash(vfs.CrashConfig{}), "orders")
			require.NoError(t, err)
			require.Equal(t, c.after, m)
		})
	}
}

// TestNamesOfTheDirectory: however the directory was written, its topic is made
// for good, and goes without an error.
func TestNamesOfTheDirectory(t *testing.T) {
	for _, dir := range []string{"new", "new/", "new/.", "./new//"} {
		mem := vfs.NewMem()
		require.NoError(t, Create(dir, 1, &Options{Name: "new", Partition: inMemory(mem).Partition}), dir)
		after := mem.Crash(vfs.CrashConfig{})
		_, err := ReadMeta(after, "new")
		require.NoError(t, err, dir)
		_, err = Delete(dir, Deletion{Force: true}, inMemory(after))
		require.NoError(t, err, dir)
		_, err = after.Stat("new")
		require.ErrorIs(t, err, fs.ErrNotExist, dir)
	}
}
