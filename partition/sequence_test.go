package partition

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// States that only a sequence of crashes leads to.

var recordsFile, indexFile = segment.PairAt("p", 0).Records, segment.PairAt("p", 0).Index

// overwrite changes bytes of a file in place, or adds them at its end.
func overwrite(t *testing.T, fsys vfs.FS, name string, at int64, content string) {
	f, err := fsys.Open(name, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte(content), at)
	require.NoError(t, err)
	require.NoError(t, errors.Join(f.Sync(), f.Close()))
}

// TestModeChanged: a log written in a weak mode and killed, then opened under
// always. What the new writer found counts as promised from then on, also when
// the power fails at once; damage above it is a torn tail, damage below is not.
func TestModeChanged(t *testing.T) {
	weak := func() *vfs.Mem {
		fsys := vfs.NewMem()
		p := mustOpen(t, "p", &Options{FS: fsys, Sync: SyncOS})
		for _, rec := range []string{`{"n":0}`, `{"n":1}`, `{"n":2}`} {
			_, err := p.Append([]byte(rec))
			require.NoError(t, err)
		}
		require.NoError(t, p.Sync())
		_, err := p.AppendBatch([][]byte{[]byte(`{"n":3}`), []byte(`{"n":4}`)})
		require.NoError(t, err)
		killed := fsys.Kill()
		require.Error(t, p.Close())
		return killed
	}
	const five = "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n"
	// changed opens under always and lets the power fail.
	changed := func(loss vfs.DataLoss) *vfs.Mem {
		fsys := weak()
		p := mustOpen(t, "p", &Options{FS: fsys})
		after := fsys.Crash(vfs.CrashConfig{Data: loss})
		require.Error(t, p.Close())
		return after
	}
	for _, loss := range []vfs.DataLoss{vfs.DataLost, vfs.DataZeroed, vfs.DataGarbage} {
		fsys := changed(loss)
		require.Equal(t, five, taken(t, fsys)["00000000000000000000.jsonl"])

		overwrite(t, fsys, recordsFile, int64(len(five)), "\x00\x00\x00{\"n\":6}\n")
		report, err := openState(fsys, "p")
		require.NoError(t, err)
		require.Contains(t, report, "a torn tail of 11 bytes (NUL bytes)")
		require.Contains(t, report, "the next offset is 5")

		overwrite(t, fsys, recordsFile, int64(len(five)), "torn")
		overwrite(t, fsys, recordsFile, 28, "\x00\x00\x00\x00\x00\x00\x00")
		before := taken(t, fsys)
		report, err = openState(fsys, "p")
		corrupt, is := errors.AsType[*CorruptError](err)
		require.True(t, is, "%v", err)
		require.Equal(t, []int64{24, 40}, []int64{corrupt.Position, corrupt.End})
		require.Contains(t, report, "NUL bytes")
		require.Equal(t, before, taken(t, fsys), "the torn tail stays as well")
	}
}

// TestAdoptedTwice: lines that a writer adopted are on the disk once it is
// open, although they were not when they were written: a second power cut
// takes none of them, nor what was appended behind them.
func TestAdoptedTwice(t *testing.T) {
	for _, mode := range []SyncMode{SyncAlways, SyncInterval, SyncOS, SyncBuffered} {
		for _, acknowledged := range []bool{false, true} {
			fsys := vfs.NewMem()
			put(t, fsys, map[string]string{
				"00000000000000000000.jsonl": "{\"n\":0}\n",
				"00000000000000000000.index": parseIndex(t, "0 8"),
				"partition.json":             `{"format":1,"sync":"os","validate":"strict","batch":64,"start":0,"synced":{"base":0,"position":8}}`,
			})
			f, err := fsys.Open(recordsFile, os.O_RDWR|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.Write([]byte("{\"n\":1}\n{\"n\":2}\n")) // and never synced
			require.NoError(t, err)
			require.NoError(t, f.Close())

			p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode})
			require.Equal(t, uint64(2), p.Recovery().Adopted)
			want := []string{`{"n":0}`, `{"n":1}`, `{"n":2}`}
			if acknowledged {
				_, err := p.Append([]byte(`{"n":3}`))
				require.NoError(t, err)
				require.NoError(t, p.Sync())
				want = append(want, `{"n":3}`)
			}
			after := fsys.Crash(vfs.CrashConfig{Data: vfs.DataLost, Names: vfs.NamesLost})
			require.Error(t, p.Close())
			again := mustOpen(t, "p", &Options{FS: after})
			require.Equal(t, want, read(t, again, 0))
			require.NoError(t, again.Close())
		}
	}
}

// TestNewNamesLost: a power cut right after a log was made takes its names or
// leaves them; it opens all the same. Once something is acknowledged under
// always, the names stay.
func TestNewNamesLost(t *testing.T) {
	for _, names := range []vfs.NameLoss{vfs.NamesLost, vfs.NamesKept, vfs.NamesSubset} {
		for n := 1; ; n++ {
			fsys := vfs.NewMem()
			acked := 0
			p, err := Open("p", &Options{FS: vfs.NewFault(fsys, vfs.CrashAt(n))})
			if err == nil {
				if _, err = p.Append([]byte(`{"n":0}`)); err == nil {
					acked = 1
				}
				err = errors.Join(err, p.Close())
			}
			after := fsys.Crash(vfs.CrashConfig{Names: names, Seed: uint64(n)})
			again := mustOpen(t, "p", &Options{FS: after})
			stored := read(t, again, 0)
			require.GreaterOrEqual(t, len(stored), acked, "crash at %d", n)
			require.LessOrEqual(t, len(stored), 1)
			require.NoError(t, again.Close())
			if err == nil {
				require.Greater(t, n, 20)
				break
			}
		}
	}
}

// TestSyncedIndexOfLostRecords: in a weak mode Sync takes the records, then
// the index; records appended between the two have durable entries and may be
// lost themselves. They are told as lost, and what was synced is there.
func TestSyncedIndexOfLostRecords(t *testing.T) {
	for _, mode := range []SyncMode{SyncInterval, SyncOS} {
		mem := vfs.NewMem()
		var p *Partition
		between := false
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			// The entries of these records are written by the time the index
			// is synced; the hook runs before that.
			if between && op.Kind == vfs.OpSync && op.Path == indexFile {
				between = false
				f, err := mem.Open(recordsFile, os.O_RDWR|os.O_APPEND, 0)
				require.NoError(t, err)
				_, err = f.Write([]byte("{\"n\":1}\n"))
				require.NoError(t, err)
				require.NoError(t, f.Close())
				i, err := mem.Open(indexFile, os.O_RDWR|os.O_APPEND, 0)
				require.NoError(t, err)
				_, err = i.Write([]byte(parseIndex(t, "16")))
				require.NoError(t, err)
				require.NoError(t, i.Close())
			}
			return nil
		})
		p = mustOpen(t, "p", &Options{FS: fault, Sync: mode})
		_, err := p.Append([]byte(`{"n":0}`))
		require.NoError(t, err)
		between = true
		require.NoError(t, p.Sync())
		require.False(t, between)
		after := mem.Crash(vfs.CrashConfig{Data: vfs.DataLost})
		require.Error(t, p.Close())
		require.Equal(t, "0 8 16\n", showIndex(taken(t, after)["00000000000000000000.index"]))
		report, err := openState(after, "p")
		require.NoError(t, err)
		require.Equal(t, "lost: record 1, in the index but not in the records file\nthe next offset is 1\n", report)
		require.Equal(t, "{\"n\":0}\n", taken(t, after)["00000000000000000000.jsonl"])
	}
}

// TestCutUnderWriter: a records file that is truncated, emptied or grown under
// a writer stops it; what it acknowledged before is not touched further.
func TestCutUnderWriter(t *testing.T) {
	for _, mode := range []SyncMode{SyncAlways, SyncInterval, SyncOS} {
		for name, change := range map[string]func(f vfs.File) error{
			"truncated":            func(f vfs.File) error { return f.Truncate(12) },
			"emptied":              func(f vfs.File) error { return f.Truncate(0) },
			"line added by hand":   func(f vfs.File) error { _, err := f.WriteAt([]byte("[]\n"), 16); return err },
			"line without newline": func(f vfs.File) error { _, err := f.WriteAt([]byte("[]"), 16); return err },
		} {
			t.Run(mode.String()+" "+name, func(t *testing.T) {
				fsys := vfs.NewMem()
				p := mustOpen(t, "p", &Options{FS: fsys, Sync: mode})
				_, err := p.AppendBatch([][]byte{[]byte(`{"n":0}`), []byte(`{"n":1}`)})
				require.NoError(t, err)
				require.NoError(t, p.Sync())
				f, err := fsys.Open(recordsFile, os.O_RDWR, 0)
				require.NoError(t, err)
				require.NoError(t, change(f))
				require.NoError(t, f.Close())
				changed := taken(t, fsys)["00000000000000000000.jsonl"]

				_, err = p.Append([]byte(`{"n":2}`))
				err = errors.Join(err, p.Sync())
				require.ErrorIs(t, err, ErrForeignWrite)
				_, err = p.Append([]byte(`{"n":3}`))
				require.ErrorIs(t, err, ErrPoisoned)
				require.ErrorIs(t, p.Close(), ErrForeignWrite)
				after := taken(t, fsys)["00000000000000000000.jsonl"]
				require.True(t, strings.HasPrefix(after, changed), "nothing is cut: %q, then %q", changed, after)
			})
		}
	}
}
