package partition

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestSavedFileIsDurable: an editor saves by renaming, and does not sync the
// directory. What is appended to the new file must not be lost with its name,
// also where partition.json says all that there is to say already.
func TestSavedFileIsDurable(t *testing.T) {
	mem := vfs.NewMem()
	p := mustOpen(t, "p", &Options{FS: mem})
	_, err := p.Append([]byte("1"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	pair := segment.PairAt("p", 0)
	require.NoError(t, vfs.ReplaceFile(unsyncedNames{mem}, pair.Records, []byte("1\n"), 0o600))

	p = mustOpen(t, "p", &Options{FS: mem})
	_, err = p.Append([]byte("2"))
	require.NoError(t, err)
	after := mem.Crash(vfs.CrashConfig{})
	_ = p.Close()
	r := mustOpen(t, "p", &Options{FS: after})
	require.Equal(t, []string{"1", "2"}, read(t, r, 0))
	require.NoError(t, r.Close())
}

// unsyncedNames syncs no directory.
type unsyncedNames struct{ vfs.FS }

func (unsyncedNames) SyncDir(string) error { return nil }

// TestRepairKeepsBadMeta: a partition.json that cannot be read is kept under
// another name, which is on the disk before the first is given to a new file.
func TestRepairKeepsBadMeta(t *testing.T) {
	mem := vfs.NewMem()
	p := mustOpen(t, "p", &Options{FS: mem})
	_, err := p.Append([]byte("1"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	meta := filepath.Join("p", segment.MetaName)
	require.NoError(t, vfs.ReplaceFile(mem, meta, []byte("{bad"), 0o600))
	var moved, synced, renamed int
	fsys := vfs.NewFault(mem, func(op vfs.Op) error {
		switch {
		case op.Kind == vfs.OpRename && op.Path == meta:
			moved = op.N
		case op.Kind == vfs.OpSyncDir && moved > 0 && synced == 0:
			synced = op.N
		case op.Kind == vfs.OpRename && op.To == meta:
			renamed = op.N
		}
		return nil
	})
	_, err = Repair(t.Context(), "p", &Options{FS: fsys}, RepairOptions{Execute: true})
	require.NoError(t, err)
	require.Less(t, moved, synced)
	require.Less(t, synced, renamed)
	kept, err := vfs.ReadFile(mem, meta+".bad", 1<<20)
	require.NoError(t, err)
	require.Equal(t, "{bad", string(kept))

	// The next one gets the next name, and that is the one that is told.
	require.NoError(t, vfs.ReplaceFile(mem, meta, []byte("{worse"), 0o600))
	report, err := Repair(t.Context(), "p", &Options{FS: mem}, RepairOptions{Execute: true})
	require.NoError(t, err)
	require.Equal(t, ActionMeta, report.Actions[0].Action)
	require.Equal(t, meta+".bad-1", report.Actions[0].Saved)
	kept, err = vfs.ReadFile(mem, report.Actions[0].Saved, 1<<20)
	require.NoError(t, err)
	require.Equal(t, "{worse", string(kept))
}

// damagedLog is a partition with a damaged record in the middle.
func damagedLog(t *testing.T) *vfs.Mem {
	mem := vfs.NewMem()
	p := mustOpen(t, "p", &Options{FS: mem})
	_, err := p.AppendBatch([][]byte{[]byte(`"0"`), []byte(`"1"`), []byte(`"2"`)})
	require.NoError(t, err)
	require.NoError(t, p.Close())
	pair := segment.PairAt("p", 0)
	require.NoError(t, vfs.ReplaceFile(mem, pair.Records, []byte("\"0\"\n\x00\x00\x00\n\"2\"\n{torn"), 0o600))
	require.NoError(t, vfs.ReplaceFile(mem, pair.Index, make([]byte, 3), 0o600))
	return mem
}

// TestRepairPromisesLast: partition.json says what is on the disk already.
func TestRepairPromisesLast(t *testing.T) {
	mem := damagedLog(t)
	require.NoError(t, vfs.ReplaceFile(mem, filepath.Join("p", segment.MetaName), []byte("{bad"), 0o600))
	fsys := vfs.NewFault(mem, nil)
	_, err := Repair(t.Context(), "p", &Options{FS: fsys}, RepairOptions{Execute: true, Renumber: true})
	require.NoError(t, err)
	promised, last := 0, 0
	for _, op := range fsys.Ops() {
		switch {
		case op.Kind == vfs.OpLink, op.Kind == vfs.OpRename && op.To == filepath.Join("p", segment.MetaName):
			promised = max(promised, op.N)
			require.Less(t, last, op.N)
		case op.Kind == vfs.OpSync && op.Path == segment.PairAt("p", 0).Records,
			op.Kind == vfs.OpRename && op.To == segment.PairAt("p", 0).Index:
			last = op.N
			require.Zero(t, promised)
		}
	}
	require.NotZero(t, last)
	require.NotZero(t, promised)
}

// TestRepairLocksRecords: a writer that came to the records under another name
// has them locked, and not the directory.
func TestRepairLocksRecords(t *testing.T) {
	mem := damagedLog(t)
	records := segment.PairAt("p", 0).Records
	before, err := vfs.ReadFile(mem, records, 1<<20)
	require.NoError(t, err)
	lock, err := mem.Lock(records)
	require.NoError(t, err)
	_, err = Repair(t.Context(), "p", &Options{FS: mem}, RepairOptions{Execute: true, Renumber: true})
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, lock.Close())
	after, err := vfs.ReadFile(mem, records, 1<<20)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// TestRepairLeavesAlone: a segment of which it is not clear what it held stays
// as it is, also where some of its damage could be filled.
func TestRepairLeavesAlone(t *testing.T) {
	mem := damagedLog(t)
	first, next := segment.PairAt("p", 0), segment.PairAt("p", 2)
	content := "\"0\"\n\x00\x00\x00\n\"2\"\n\"3\"\n\"4\"\n"
	require.NoError(t, vfs.ReplaceFile(mem, first.Records, []byte(content), 0o600))
	require.NoError(t, vfs.ReplaceFile(mem, next.Records, []byte("\"5\"\n"), 0o600))
	report, err := Repair(t.Context(), "p", &Options{FS: mem}, RepairOptions{Execute: true, Renumber: true})
	require.NoError(t, err)
	require.NotEmpty(t, report.Left)
	after, err := vfs.ReadFile(mem, first.Records, 1<<20)
	require.NoError(t, err)
	require.Equal(t, content, string(after))
}
