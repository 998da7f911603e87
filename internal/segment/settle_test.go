package segment

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// broken is a file system whose cache holds bytes that its disk does not, and
// that counts them as written: an fsync failed once, and succeeds now.
type broken struct {
	*vfs.Mem
	disk    map[string]string // what the disk holds, where it is not what the cache does
	deaf    bool              // direct writes do not help
	refuses error             // of opening directly
	looked  []int64           // positions that were read directly
}

func (b *broken) OpenDirect(name string) (vfs.File, error) {
	if b.refuses != nil {
		return nil, b.refuses
	}
	f, err := b.Open(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &brokenFile{f, b}, nil
}

type brokenFile struct {
	vfs.File
	fs *broken
}

func (f *brokenFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.looked = append(f.fs.looked, off)
	disk, differs := f.fs.disk[f.Name()]
	if !differs {
		return f.File.ReadAt(p, off)
	}
	return strings.NewReader(disk).ReadAt(p, off)
}

// WriteAt empties the cache of the whole file first, as a direct write does to
// what lies around it.
func (f *brokenFile) WriteAt(p []byte, off int64) (int, error) {
	if off%vfs.DirectAlign != 0 || len(p)%vfs.DirectAlign != 0 {
		return 0, errors.New("not aligned")
	}
	if f.fs.deaf {
		// The file gets its size all the same.
		return f.File.WriteAt(p, off)
	}
	if disk, differs := f.fs.disk[f.Name()]; differs {
		if _, err := f.File.WriteAt([]byte(disk), 0); err != nil {
			return 0, err
		}
		delete(f.fs.disk, f.Name())
	}
	return f.File.WriteAt(p, off)
}

// TestSettleRecords: what the cache alone holds of the records is on the disk
// after recovery, and the file is as long as before.
func TestSettleRecords(t *testing.T) {
	long := strings.Repeat(`{"n":0}`+"\n", 2000)
	for name, c := range map[string]struct {
		recs string
		from int // where the disk begins to hold NULs
	}{
		"one page":       {three, 8},
		"all":            {three, 0},
		"short file":     {long, 9000},
		"a page and two": {long[:8192], 4096},
	} {
		for _, cut := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				disk := c.recs[:c.from]
				if !cut {
					disk += strings.Repeat("\x00", len(c.recs)-c.from)
				}
				records := PairAt("p", 0).Records
				fsys := &broken{Mem: vfs.NewMem(), disk: map[string]string{records: disk}}
				s := state{recs: c.recs, meta: weak(int64(c.from))}
				s.put(t, fsys)
				require.NoError(t, fsys.SyncDir("."))
				a, next, _, err := recoverState(fsys, s.meta)
				require.NoError(t, err)
				require.NoError(t, a.Close())
				require.Equal(t, uint64(len(c.recs)/8), next)
				require.NotContains(t, fsys.disk, records)
				require.Equal(t, c.recs, read(t, fsys, records))
				require.Equal(t, c.recs, read(t, fsys.Crash(vfs.CrashConfig{}), records))
			})
		}
	}
}

// TestSettleNotKept: a disk that does not take the bytes either way is not
// promised upon.
func TestSettleNotKept(t *testing.T) {
	records := PairAt("p", 0).Records
	fsys := &broken{Mem: vfs.NewMem(), disk: map[string]string{records: three[:8]}, deaf: true}
	state{recs: three, idx: []uint64{0, 8}, meta: always(8)}.put(t, fsys)
	_, _, _, err := recoverState(fsys, always(8))
	require.ErrorIs(t, err, errNotKept)
	meta, _, err := ReadMeta(fsys, "p")
	require.NoError(t, err)
	require.Equal(t, int64(8), meta.Synced.Position)
	require.Equal(t, three, read(t, fsys, records))
}

// TestSettleRefused: a file system without a way past its cache is believed,
// an error of the disk is not passed over.
func TestSettleRefused(t *testing.T) {
	for _, refuses := range []error{errors.ErrUnsupported, io.ErrUnexpectedEOF} {
		fsys := &broken{Mem: vfs.NewMem(), refuses: refuses}
		state{recs: three, idx: []uint64{0, 8}, meta: always(8)}.put(t, fsys)
		a, _, _, err := recoverState(fsys, always(8))
		if refuses != errors.ErrUnsupported {
			require.ErrorIs(t, err, refuses)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, a.Close())
	}
}

// TestSettleIndex: entries that the cache alone holds come into a new index.
// One that is on the disk stays the file that it is.
func TestSettleIndex(t *testing.T) {
	name := PairAt("p", 0).Index
	for _, idx := range [][]uint64{{0, 8, 16, 24}, {0, 8, 16}} {
		for _, lost := range []bool{false, true} {
			fsys := &broken{Mem: vfs.NewMem(), disk: map[string]string{}}
			state{recs: three, idx: idx, meta: always(8)}.put(t, fsys)
			before, err := fsys.Stat(name)
			require.NoError(t, err)
			if lost {
				fsys.disk[name] = string(entriesOf(0, 8, 0, 0))
			}
			a, _, _, err := recoverState(fsys, always(8))
			require.NoError(t, err)
			require.NoError(t, a.Close())
			after, err := fsys.Stat(name)
			require.NoError(t, err)
			require.Equal(t, !lost, before.Same(after))
			require.Equal(t, string(entriesOf(0, 8, 16, 24)), read(t, fsys, name))
		}
	}
}

// TestSettleTorn: a copy of a torn tail that never reached the disk is not used
// again.
func TestSettleTorn(t *testing.T) {
	pair := PairAt("p", 0)
	for _, lost := range []bool{false, true} {
		fsys := &broken{Mem: vfs.NewMem(), disk: map[string]string{}}
		state{recs: three + `{"n":`, idx: []uint64{0, 8, 16, 24}, meta: always(24)}.put(t, fsys)
		require.NoError(t, vfs.ReplaceFile(fsys, pair.tornAt(24), []byte(`{"n":`), 0o600))
		want := pair.tornAt(24)
		if lost {
			fsys.disk[want] = "\x00\x00\x00\x00\x00"
			want += "-1"
		}
		a, _, report, err := recoverState(fsys, always(24))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		require.Equal(t, want, report.TornPath)
	}
}

// TestSettleBare: of a bare file all is looked at that no writer vouched for,
// whatever its index says: entries are published before their records are
// synced.
func TestSettleBare(t *testing.T) {
	for name, known := range map[string]int{"index at the end": 2000, "index behind": 1000, "no index": 0} {
		t.Run(name, func(t *testing.T) {
			fsys := &broken{Mem: vfs.NewMem(), disk: map[string]string{}}
			pair := putBare(t, fsys, known)
			fsys.disk[pair.Records] = longBare[:8] + strings.Repeat("\x00", len(longBare)-8)
			a := recoverBare(t, fsys, pair)
			require.NoError(t, a.Close())
			require.NotContains(t, fsys.disk, pair.Records)
			require.Equal(t, longBare, read(t, fsys, pair.Records))
		})
	}
}
