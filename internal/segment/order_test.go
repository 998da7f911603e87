package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// steps returns what a recovery did to records, index, copy and partition.json
// that a crash could leave half done, in short.
func steps(ops []vfs.Op) (out []string) {
	pair := PairAt("p", 0)
	names := map[string]string{pair.Records: "records", pair.Index: "index", filepath.Join("p", MetaName): "meta", pair.tornAt(24): "copy"}
	for _, op := range ops {
		path := op.Path
		if op.Kind == vfs.OpRename {
			path = op.To
		}
		name := names[path]
		if name == "" || !op.Kind.Changes() || op.Kind == vfs.OpOpen || op.Kind == vfs.OpSyncDir {
			continue
		}
		step := fmt.Sprintf("%v %s", op.Kind, name)
		if len(out) == 0 || out[len(out)-1] != step {
			out = append(out, step)
		}
	}
	return out
}

// TestRecoverOrder: each step stands on those before it. Torn bytes are saved
// when they are cut, records are on the disk when the index describes them,
// and all of it is when partition.json promises it.
func TestRecoverOrder(t *testing.T) {
	s := state{recs: three + "torn", idx: []uint64{0, 8}, meta: weak(8)}
	mem := vfs.NewMem()
	s.put(t, mem)
	fault := vfs.NewFault(mem, nil)
	a, _, _, err := recoverState(fault, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, []string{
		"writeat copy", "truncate copy", "sync copy",
		"truncate records", "sync records",
		"writeat records", "sync records",
		"write index", "sync index",
		"rename meta",
	}, steps(fault.Ops()))
}

// TestRecoverSyncsRightIndex: an index that is right is on the disk, too,
// before partition.json names the entry that the next recovery begins from.
func TestRecoverSyncsRightIndex(t *testing.T) {
	s := state{recs: three, idx: []uint64{0, 8, 16, 24}, meta: weak(8)}
	mem := vfs.NewMem()
	s.put(t, mem)
	fault := vfs.NewFault(mem, nil)
	a, _, _, err := recoverState(fault, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, []string{"writeat records", "sync records", "sync index", "rename meta"}, steps(fault.Ops()))
}

// TestCreateOrder: a records file is never without an index, and neither is
// taken over from somebody who made it meanwhile.
func TestCreateOrder(t *testing.T) {
	mem := vfs.NewMem()
	state{recs: "-"}.put(t, mem)
	fault := vfs.NewFault(mem, nil)
	a, _, _, err := recoverState(fault, nil)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	var opened []string
	for _, op := range fault.Ops() {
		if op.Kind == vfs.OpOpen && len(opened) < 2 {
			opened = append(opened, op.Path)
		}
	}
	require.Equal(t, []string{PairAt("p", 0).Index, PairAt("p", 0).Records}, opened)

	mem = vfs.NewMem()
	state{recs: "-"}.put(t, mem)
	_, _, _, err = recoverState(vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && op.Path == PairAt("p", 0).Records {
			return createFile(mem, op.Path, 0o600)
		}
		return nil
	}), nil)
	require.ErrorIs(t, err, fs.ErrExist)
}

// TestRecordsAway: records that are missing are not made anew where the index
// or the promise says that there were some.
func TestRecordsAway(t *testing.T) {
	for name, s := range map[string]state{
		"index has entries":      {recs: "-", idx: []uint64{0, 8}, meta: always(0)},
		"something was synced":   {recs: "-", idx: []uint64{0}, meta: always(8)},
		"index has entries only": {recs: "-", idx: []uint64{0, 8}},
	} {
		mem := vfs.NewMem()
		s.put(t, mem)
		_, _, _, err := recoverState(mem, s.meta)
		_, away := errors.AsType[*SegmentAwayError](err)
		require.True(t, away, "%s: %v", name, err)
		_, err = mem.Stat(PairAt("p", 0).Records)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
}

// TestRecoverKeeps: opening a log keeps its start, and the larger bound on a
// batch, because a smaller one would promise more than holds.
func TestRecoverKeeps(t *testing.T) {
	mem := vfs.NewMem()
	old := weak(24)
	old.Start, old.Batch = 2, 1<<30
	state{recs: three, idx: []uint64{0, 8, 16, 24}, meta: old}.put(t, mem)
	a, _, _, err := recoverState(mem, old)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	meta, _, err := ReadMeta(mem, "p")
	require.NoError(t, err)
	require.Equal(t, "always", meta.Sync)
	require.Equal(t, uint64(2), meta.Start)
	require.Equal(t, int64(1<<30), meta.Batch)
}

// TestWrongIndexReplaced: readers of other processes may have read entries of
// a wrong index. They finish with the old file, whose mode the new one has.
func TestWrongIndexReplaced(t *testing.T) {
	mem := vfs.NewMem()
	s := state{recs: three, idx: []uint64{0, 5, 11, 24}, meta: weak(0)}
	s.put(t, mem)
	name := PairAt("p", 0).Index
	require.NoError(t, vfs.ReplaceFile(mem, name, entriesOf(s.idx...), 0o644))
	h, err := mem.Open(name, os.O_RDONLY, 0)
	require.NoError(t, err)
	defer h.Close()
	a, _, _, err := recoverState(mem, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	old := make([]byte, 32)
	_, err = h.ReadAt(old, 0)
	require.NoError(t, err)
	require.Equal(t, entriesOf(s.idx...), old)
	info, err := mem.Stat(name)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o644), info.Mode.Perm())
	require.Equal(t, string(entriesOf(0, 8, 16, 24)), read(t, mem, name))
}

// TestSyncedIsPromised: what was synced is not cut in any mode.
func TestSyncedIsPromised(t *testing.T) {
	mem := vfs.NewMem()
	damaged := three[:8] + "xxxxxxx\n" + three[16:]
	s := state{recs: damaged, idx: []uint64{0, 8}, meta: weak(24)}
	s.put(t, mem)
	_, _, _, err := recoverState(mem, s.meta)
	require.NoError(t, err, "what lies below is believed, and left to verify")

	damaged = three[:8] + "\x00\x00\x00\x00\x00\x00\x00\n" + three[16:]
	mem = vfs.NewMem()
	s = state{recs: damaged, idx: []uint64{0, 8}, meta: weak(24)}
	s.put(t, mem)
	_, _, _, err = recoverState(mem, s.meta)
	corrupt, is := errors.AsType[*CorruptError](err)
	require.True(t, is, "%v", err)
	require.Equal(t, int64(8), corrupt.Position)
	require.Equal(t, damaged, read(t, mem, PairAt("p", 0).Records))
}

// TestRecoverTooLong: a line that is longer than any record is none.
func TestRecoverTooLong(t *testing.T) {
	mem := vfs.NewMem()
	long := `"` + fmt.Sprintf("%02000d", 0) + "\"\n"
	s := state{recs: three + long, idx: []uint64{0, 8, 16, 24}, meta: weak(24)}
	s.put(t, mem)
	a, next, report, err := recoverState(mem, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, uint64(3), next)
	require.Equal(t, errTooLong.Error(), report.TornWhy)
	require.Equal(t, long, read(t, mem, report.TornPath))
}

// TestRecoverNUL: NUL bytes are part of no record, also where a writer checks
// frames only.
func TestRecoverNUL(t *testing.T) {
	mem := vfs.NewMem()
	meta := weak(24)
	meta.Validate = "frame"
	s := state{recs: three + "a\x00b\n", idx: []uint64{0, 8, 16, 24}, meta: meta}
	s.put(t, mem)
	a, next, report, err := recoverState(mem, s.meta)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Equal(t, uint64(3), next)
	require.Equal(t, "a\x00b\n", read(t, mem, report.TornPath))
}

// TestRecoverReplacedBeforeTheCut: a file of the same size that an editor saves
// after the survey is not cut.
func TestRecoverReplacedBeforeTheCut(t *testing.T) {
	mem := vfs.NewMem()
	s := state{recs: three + "torn", idx: []uint64{0, 8, 16, 24}, meta: always(24)}
	s.put(t, mem)
	name, saved := PairAt("p", 0).Records, three[:24]+"[1]\n"
	opens := 0
	_, _, _, err := recoverState(vfs.NewFault(mem, func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && op.Path == name {
			if opens++; opens == 2 {
				return vfs.ReplaceFile(mem, name, []byte(saved), 0o600)
			}
		}
		return nil
	}), s.meta)
	require.ErrorIs(t, err, ErrReplaced)
	require.Equal(t, saved, read(t, mem, name))
}
