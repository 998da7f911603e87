package partition

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// rollingLog is a log of three records, closed, in which a roll has made what
// made says, and synced none of it.
func rollingLog(t *testing.T, made map[string]string) *vfs.Mem {
	t.Helper()
	mem := vfs.NewMem()
	p := mustOpen(t, "p", &Options{FS: mem})
	for i := range 3 {
		_, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, i))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
	for name, content := range made {
		f, err := mem.Open("p/"+name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		require.NoError(t, err)
		if content != "" {
			_, err = f.Write([]byte(content))
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
	}
	return mem
}

// TestRollBrokenOffCrash crashes the opening that finishes a roll, before each
// of its changes, with each way to lose names and bytes. The next one comes to
// the same end.
func TestRollBrokenOffCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	const rec, idx = "00000000000000000003.jsonl", "00000000000000000003.index"
	for name, made := range map[string]map[string]string{
		"index":       {idx: ""},
		"entry":       {idx: "\x00\x00\x00\x00\x00\x00\x00\x00"},
		"both":        {rec: "", idx: "\x00\x00\x00\x00\x00\x00\x00\x00"},
		"records":     {rec: ""},
		"left behind": {"00000000000000000002.jsonl": "", "00000000000000000001.index": "", idx: ""},
	} {
		t.Run(name, func(t *testing.T) {
			mem := rollingLog(t, made)
			for at := 1; crashedRoll(t, mem, at); at++ {
			}
		})
	}
}

func crashedRoll(t *testing.T, mem *vfs.Mem, at int) (crashed bool) {
	dead, point := mem.Kill(), &crashPoint{at: at}
	p, err := Open("p", &Options{FS: vfs.NewFault(dead, point.hook)})
	if err == nil {
		require.Equal(t, uint64(3), p.live.Base())
		_, crashed = point.state()
		point.halt()
		_ = p.Close() // it has crashed
	} else {
		require.ErrorIs(t, err, vfs.ErrCrashed)
		crashed = true
	}
	ways := cuts(uint64(at))
	for seed := range uint64(16) { // a name that comes to the disk, and others that do not
		ways = append(ways, cut{fmt.Sprint("names ", seed), vfs.CrashConfig{Names: vfs.NamesSubset, Seed: seed}})
	}
	for _, c := range ways {
		what := fmt.Sprintf("crashed before change %d, %s", at, c.name)
		after := dead.Crash(c.config)
		p, err := Open("p", &Options{FS: after})
		require.NoError(t, err, what)
		require.Equal(t, []string{`{"n":0}`, `{"n":1}`, `{"n":2}`}, read(t, p, 0), what)
		offset, err := p.Append([]byte("3"))
		require.NoError(t, err, what)
		require.Equal(t, uint64(3), offset, what)
		require.NoError(t, p.Close(), what)
		p = mustOpen(t, "p", &Options{FS: after})
		require.Zero(t, p.Recovery(), what)
		require.NoError(t, p.Close())
		left, err := segment.Place{Path: "p"}.Files(after)
		require.NoError(t, err)
		require.LessOrEqual(t, len(left), 2, what)
	}
	return crashed
}

// TestRollBrokenOffNames: partition.json never comes to the disk before the names
// of the segment that it tells of, also where a process died within a roll and
// nobody has synced them yet: readers would take that segment for one that was
// moved away, and so would the next writer.
func TestRollBrokenOffNames(t *testing.T) {
	mem := rollingLog(t, map[string]string{
		"00000000000000000003.index": "\x00\x00\x00\x00\x00\x00\x00\x00", "00000000000000000003.jsonl": "",
	})
	for at, crashed := 1, true; crashed; at++ {
		dead, point := mem.Kill(), &crashPoint{at: at}
		p, err := Open("p", &Options{FS: vfs.NewFault(dead, point.hook)})
		if _, crashed = point.state(); err == nil {
			point.halt()
			_ = p.Close() // it has crashed
		}
		for seed := range uint64(64) {
			after := dead.Crash(vfs.CrashConfig{Names: vfs.NamesSubset, Seed: seed})
			r, err := OpenReader("p", &Options{FS: after})
			require.NoError(t, err)
			require.Equal(t, []string{`{"n":0}`, `{"n":1}`, `{"n":2}`}, read(t, r, 0), "crashed before change %d, names %d", at, seed)
			require.NoError(t, r.Close())
			p, err := Open("p", &Options{FS: after})
			require.NoError(t, err, "crashed before change %d, names %d", at, seed)
			require.NoError(t, p.Close())
		}
	}
}

// TestRollUnlocked: once a roll is finished, the records that were appended to
// before are locked no more, and the new ones are.
func TestRollUnlocked(t *testing.T) {
	mem := rollingLog(t, map[string]string{"00000000000000000003.index": "", "00000000000000000003.jsonl": ""})
	p := mustOpen(t, "p", &Options{FS: mem})
	lock, err := mem.Lock(segment.PairAt("p", 0).Records)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	_, err = mem.Lock(segment.PairAt("p", 3).Records)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, p.Close())
}

// TestRollLeavesNothingBehind: where the files of a roll that was put off cannot
// be removed, no other roll goes over them, because they would come to lie
// among the sealed segments. Readers in other processes see past them.
func TestRollLeavesNothingBehind(t *testing.T) {
	mem := vfs.NewMem()
	var syncs, removals bool
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		if syncs && op.Kind == vfs.OpSyncDir || removals && op.Kind == vfs.OpRemove {
			return syscall.EACCES
		}
		return nil
	})
	p := mustOpen(t, "p", &Options{FS: fsys})
	_, err := p.AppendBatch([][]byte{line(0), line(1)})
	require.NoError(t, err)
	syncs, removals = true, true
	require.ErrorIs(t, p.Roll(), syscall.EACCES)
	require.Equal(t, []uint64{0, 2}, bases(t, mem, "p"))
	_, err = p.Append(line(2))
	require.NoError(t, err)
	syncs = false
	require.ErrorIs(t, p.Roll(), syscall.EACCES)
	_, err = p.Append(line(3))
	require.NoError(t, err)
	require.Equal(t, []uint64{0, 2}, bases(t, mem, "p"))
	for range 2 {
		requireNumbered(t, p, 4)
		other, err := OpenReader("p", &Options{FS: mem})
		require.NoError(t, err)
		requireNumbered(t, other, 4)
		require.NoError(t, other.Close())
		if removals {
			removals = false
			require.NoError(t, p.Roll())
		}
	}
	require.Equal(t, []uint64{0, 4}, bases(t, mem, "p"))
	require.NoError(t, p.Close())
}
