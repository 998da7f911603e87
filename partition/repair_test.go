package partition_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// write makes a partition of n records in a closed state.
func writeLog(t require.TestingT, fsys vfs.FS, opts partition.Options, recs ...string) {
	opts.FS = fsys
	p, err := partition.Open("log", &opts)
	require.NoError(t, err)
	for _, rec := range recs {
		_, err := p.Append([]byte(rec))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
}

func numbered(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`{"n":%d}`, i))
	}
	return out
}

var logPair = segment.PairAt("log", 0)

func slurp(t require.TestingT, fsys vfs.FS, name string) []byte {
	data, err := vfs.ReadFile(fsys, name, 1<<30)
	require.NoError(t, err)
	return data
}

func overwrite(t require.TestingT, fsys vfs.FS, name string, position int64, data string) {
	f, err := fsys.Open(name, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte(data), position)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
}

func cutFile(t require.TestingT, fsys vfs.FS, name string, size int64) {
	f, err := fsys.Open(name, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(size))
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
}

func repair(t require.TestingT, fsys vfs.FS, how partition.RepairOptions) partition.RepairReport {
	report, err := partition.Repair(context.Background(), "log", &partition.Options{FS: fsys}, how)
	require.NoError(t, err)
	return report
}

var execute = partition.RepairOptions{Execute: true}

// requireSound: verify has nothing but notes to say, and an append gets the
// next offset.
func requireSound(t require.TestingT, fsys vfs.FS, next uint64) {
	requireSoundAs(t, fsys, next, partition.Strict)
}

func requireSoundAs(t require.TestingT, fsys vfs.FS, next uint64, validate partition.Validate) {
	requireVerified(t, fsys)
	p, err := partition.Open("log", &partition.Options{FS: fsys, Validate: validate})
	require.NoError(t, err)
	require.Empty(t, p.Recovery().Lines())
	offset, err := p.Append([]byte(`{"new":true}`))
	require.NoError(t, err)
	require.Equal(t, next, offset)
	require.NoError(t, p.Close())
	requireVerified(t, fsys)
	require.False(t, len(repair(t, fsys, partition.RepairOptions{}).Actions) > 0, "a repaired log needs no repair")
}

func requireVerified(t require.TestingT, fsys vfs.FS) {
	p, err := partition.OpenReader("log", &partition.Options{FS: fsys})
	require.NoError(t, err)
	defer p.Close()
	for problem, err := range p.Verify(context.Background()) {
		require.NoError(t, err)
		require.True(t, problem.Note, "%+v", problem)
	}
}

func actionsOf(r partition.RepairReport) string {
	var kinds []string
	for _, a := range r.Actions {
		kinds = append(kinds, a.Action)
	}
	return strings.Join(kinds, " ")
}

// TestRepairMiddle: records behind damage keep their offsets; what was lost
// reads as a blank line; damage below the promise no longer keeps the log from
// being opened.
func TestRepairMiddle(t *testing.T) {
	for _, sync := range []partition.SyncMode{partition.SyncAlways, partition.SyncOS} {
		fsys := vfs.NewMem()
		writeLog(t, fsys, partition.Options{Sync: sync}, numbered(10)...)
		overwrite(t, fsys, logPair.Records, 20, strings.Repeat("\x00", 10))
		before := slurp(t, fsys, logPair.Records)

		r := repair(t, fsys, partition.RepairOptions{})
		require.Equal(t, "fill", actionsOf(r))
		require.False(t, r.Done)
		require.Equal(t, before, slurp(t, fsys, logPair.Records), "a plan changes nothing")

		r = repair(t, fsys, execute)
		require.True(t, r.Done)
		require.Equal(t, uint64(2), r.Actions[0].Offset)
		require.Equal(t, uint64(2), r.Actions[0].Lost)
		require.Equal(t, string(before[16:32]), string(slurp(t, fsys, r.Actions[0].Saved)))
		p, err := partition.OpenReader("log", &partition.Options{FS: fsys})
		require.NoError(t, err)
		for i, want := range numbered(10) {
			got, err := p.Get(uint64(i))
			require.NoError(t, err)
			if i == 2 || i == 3 {
				want = "       "
			}
			require.Equal(t, want, string(got))
		}
		require.NoError(t, p.Close())
		requireSound(t, fsys, 10)
	}
}

// promising changes what partition.json says.
func promising(change func(*segment.Meta)) func(*testing.T, vfs.FS) {
	return func(t *testing.T, fsys vfs.FS) {
		m, _, err := segment.ReadMeta(fsys, "log")
		require.NoError(t, err)
		change(&m)
		require.NoError(t, segment.WriteMeta(fsys, "log", m, 0o600))
	}
}

// TestRepairPromise: what was synced and is gone is reported once, by repair,
// and the log goes on from what is there.
func TestRepairPromise(t *testing.T) {
	for name, c := range map[string]struct {
		damage  func(t *testing.T, fsys vfs.FS)
		actions string
		next    uint64
	}{
		"cut in a record":     {func(t *testing.T, fsys vfs.FS) { cutFile(t, fsys, logPair.Records, 77) }, "cut index promise", 9},
		"cut between records": {func(t *testing.T, fsys vfs.FS) { cutFile(t, fsys, logPair.Records, 72) }, "lost index promise", 9},
		"both files cut between records": {func(t *testing.T, fsys vfs.FS) {
			cutFile(t, fsys, logPair.Records, 72)
			cutFile(t, fsys, logPair.Index, 80)
		}, "promise", 9},
		"emptied":         {func(t *testing.T, fsys vfs.FS) { cutFile(t, fsys, logPair.Records, 0) }, "lost index promise", 0},
		"newline cut off": {func(t *testing.T, fsys vfs.FS) { cutFile(t, fsys, logPair.Records, 79) }, "newline", 10},
		"nothing but NUL bytes": {func(t *testing.T, fsys vfs.FS) {
			overwrite(t, fsys, logPair.Records, 0, strings.Repeat("\x00", 80))
		}, "cut index promise", 0},
		"partition.json does not parse": {func(t *testing.T, fsys vfs.FS) {
			require.NoError(t, vfs.ReplaceFile(fsys, "log/partition.json", []byte("{"), 0o600))
		}, "meta", 10},
		"partition.json promises too much":              {promising(func(m *segment.Meta) { m.Synced.Position = 200 }), "promise", 10},
		"partition.json names no line end":              {promising(func(m *segment.Meta) { m.Synced.Position = 75 }), "promise", 10},
		"partition.json begins where no segment does":   {promising(func(m *segment.Meta) { m.Start = 500 }), "promise", 10},
		"partition.json names a segment that never was": {promising(func(m *segment.Meta) { m.Synced = segment.Mark{Base: 7} }), "promise", 10},
		"partition.json is huge": {func(t *testing.T, fsys vfs.FS) {
			require.NoError(t, vfs.ReplaceFile(fsys, "log/partition.json", bytes.Repeat([]byte(" "), 2<<20), 0o600))
		}, "meta", 10},
		"index removed": {func(t *testing.T, fsys vfs.FS) { require.NoError(t, fsys.Remove(logPair.Index)) }, "index", 10},
		"index shuffled": {func(t *testing.T, fsys vfs.FS) {
			overwrite(t, fsys, logPair.Index, 24, string(index.AppendEntry(index.AppendEntry(nil, 32), 24)))
		}, "index", 10},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			writeLog(t, fsys, partition.Options{}, numbered(10)...)
			c.damage(t, fsys)
			require.Equal(t, c.actions, actionsOf(repair(t, fsys, partition.RepairOptions{})))
			require.True(t, repair(t, fsys, execute).Done)
			if c.actions == "meta" {
				// The next writer makes the promise anew.
				writeLog(t, fsys, partition.Options{})
			}
			requireSound(t, fsys, c.next)
		})
	}
}

// TestRepairUnchecked: records that were checked by frame only, or by nobody
// knows whom, are no damage when a strict writer has followed.
func TestRepairUnchecked(t *testing.T) {
	for name, first := range map[string]func(t *testing.T, fsys vfs.FS){
		"frame": func(t *testing.T, fsys vfs.FS) {
			writeLog(t, fsys, partition.Options{Validate: partition.Frame}, "plain text", "more of it")
		},
		"no partition.json": func(t *testing.T, fsys vfs.FS) {
			writeLog(t, fsys, partition.Options{Validate: partition.Frame}, "plain text", "more of it")
			require.NoError(t, fsys.Remove("log/partition.json"))
		},
		"partition.json repaired": func(t *testing.T, fsys vfs.FS) {
			writeLog(t, fsys, partition.Options{Validate: partition.Frame}, "plain text", "more of it")
			require.NoError(t, vfs.ReplaceFile(fsys, "log/partition.json", nil, 0o600))
			require.Equal(t, "meta", actionsOf(repair(t, fsys, execute)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewMem()
			first(t, fsys)
			writeLog(t, fsys, partition.Options{}, "1", "2")
			writeLog(t, fsys, partition.Options{}, "3")
			before := slurp(t, fsys, logPair.Records)
			require.Empty(t, repair(t, fsys, execute).Actions)
			require.Equal(t, before, slurp(t, fsys, logPair.Records))
			requireVerified(t, fsys)

			overwrite(t, fsys, logPair.Records, int64(len(before))-4, "x")
			require.Equal(t, "fill", actionsOf(repair(t, fsys, execute)), "what the strict writer wrote is strict")
		})
	}
}

// TestRepairLargeRecords: a partition.json that was lost does not make damage
// of records that were larger than usual.
func TestRepairLargeRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	fsys := vfs.NewMem()
	large := `"` + strings.Repeat("x", 17<<20) + `"`
	writeLog(t, fsys, partition.Options{MaxRecordBytes: 32 << 20}, "1", large, "3")
	require.NoError(t, vfs.ReplaceFile(fsys, "log/partition.json", nil, 0o600))
	require.Equal(t, "meta", actionsOf(repair(t, fsys, execute)))
	writeLog(t, fsys, partition.Options{}, "4")
	require.Empty(t, repair(t, fsys, execute).Actions)
	requireSound(t, fsys, 4)
}

// TestRepairForeignWrite: what another program appends to a bare file while it
// is repaired is neither cut nor overwritten.
func TestRepairForeignWrite(t *testing.T) {
	for name, text := range map[string]string{
		"cut":  "{\"n\":1}\n{\"n\":",
		"fill": "{\"n\":1}\n\x00\x00\x00\x00\n{\"n\":2}\n",
	} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			require.NoError(t, vfs.ReplaceFile(mem, "app.jsonl", []byte(text), 0o600))
			const more = "2}\n{\"n\":3}\n"
			appended := false
			fault := vfs.NewFault(mem, func(op vfs.Op) error {
				if op.Kind == vfs.OpSync && strings.Contains(op.Path, ".torn-") && !appended {
					appended = true
					f, err := mem.Open("app.jsonl", os.O_RDWR|os.O_APPEND, 0)
					require.NoError(t, err)
					_, err = f.Write([]byte(more))
					require.NoError(t, err)
					require.NoError(t, f.Close())
				}
				return nil
			})
			_, err := partition.Repair(context.Background(), "app.jsonl", &partition.Options{FS: fault}, partition.RepairOptions{Execute: true, Renumber: true})
			require.ErrorIs(t, err, partition.ErrForeignWrite)
			require.True(t, appended)
			require.Equal(t, text+more, string(slurp(t, mem, "app.jsonl")))
		})
	}
}

// TestRepairShift: where nothing proves the offsets, nothing is done without
// the word of the user.
func TestRepairShift(t *testing.T) {
	fsys := vfs.NewMem()
	writeLog(t, fsys, partition.Options{}, numbered(10)...)
	data := slurp(t, fsys, logPair.Records)
	edited := append(append(bytes.Clone(data[:32]), `{"by":"hand"}`+"\n"...), data[32:]...)
	require.NoError(t, vfs.ReplaceFile(fsys, logPair.Records, edited, 0o600))

	r := repair(t, fsys, execute)
	require.False(t, r.Done)
	require.Len(t, r.Shifts, 1)
	require.Contains(t, r.Shifts[0], "from offset 4 on")
	require.Equal(t, edited, slurp(t, fsys, logPair.Records))

	r = repair(t, fsys, partition.RepairOptions{Execute: true, Renumber: true})
	require.True(t, r.Done)
	require.Equal(t, edited, slurp(t, fsys, logPair.Records))
	requireSound(t, fsys, 11)
}

// TestRepairLocked: a log that is being written is not repaired.
func TestRepairLocked(t *testing.T) {
	for _, path := range []string{"log", "log.jsonl"} {
		fsys := vfs.NewMem()
		p, err := partition.Open(path, &partition.Options{FS: fsys})
		require.NoError(t, err)
		_, err = partition.Repair(context.Background(), path, &partition.Options{FS: fsys}, execute)
		require.ErrorIs(t, err, partition.ErrLocked)
		require.NoError(t, p.Close())
		_, err = partition.Repair(context.Background(), path, &partition.Options{FS: fsys}, execute)
		require.NoError(t, err)
	}
}

// TestRepairSegments: damage in a sealed segment is filled up to the base of
// the next one; a segment that is away cannot be repaired.
func TestRepairSegments(t *testing.T) {
	put := func(t *testing.T) *vfs.Mem {
		fsys := vfs.NewMem()
		writeLog(t, fsys, partition.Options{}, numbered(4)...)
		second := segment.PairAt("log", 4)
		require.NoError(t, vfs.ReplaceFile(fsys, second.Records, []byte("{\"n\":4}\n{\"n\":5}\n"), 0o600))
		require.NoError(t, vfs.ReplaceFile(fsys, second.Index, index.AppendEntry(index.AppendEntry(index.AppendEntry(nil, 0), 8), 16), 0o600))
		m, _, err := segment.ReadMeta(fsys, "log")
		require.NoError(t, err)
		m.Synced = segment.Mark{Base: 4, Position: 16}
		require.NoError(t, segment.WriteMeta(fsys, "log", m, 0o600))
		return fsys
	}
	t.Run("hole in the first, its index gone", func(t *testing.T) {
		fsys := put(t)
		overwrite(t, fsys, logPair.Records, 4, strings.Repeat("\x00", 10))
		require.NoError(t, fsys.Remove(logPair.Index))
		require.Equal(t, "fill index", actionsOf(repair(t, fsys, execute)))
		require.Equal(t, strings.Repeat("       \n", 2)+"{\"n\":2}\n{\"n\":3}\n", string(slurp(t, fsys, logPair.Records)))
		requireSound(t, fsys, 6)
	})
	t.Run("the first is cut short", func(t *testing.T) {
		fsys := put(t)
		cutFile(t, fsys, logPair.Records, 16)
		require.Equal(t, "fill index", actionsOf(repair(t, fsys, execute)))
		require.Equal(t, "{\"n\":0}\n{\"n\":1}\n\n\n", string(slurp(t, fsys, logPair.Records)))
		requireSound(t, fsys, 6)
	})
	t.Run("the first is away", func(t *testing.T) {
		fsys := put(t)
		require.NoError(t, fsys.Remove(logPair.Records))
		r := repair(t, fsys, execute)
		require.Len(t, r.Left, 1)
		require.Contains(t, r.Left[0], "away")
	})
	t.Run("the last is away", func(t *testing.T) {
		fsys := put(t)
		require.NoError(t, fsys.Remove(segment.PairAt("log", 4).Records))
		require.Contains(t, strings.Join(repair(t, fsys, execute).Left, " "), "away")
	})
	t.Run("too many records in the first", func(t *testing.T) {
		fsys := put(t)
		require.NoError(t, vfs.ReplaceFile(fsys, logPair.Records, []byte(strings.Repeat("{}\n", 5)), 0o600))
		require.Contains(t, strings.Join(repair(t, fsys, execute).Left, " "), "holds 5 records")
	})
}

// TestOpenSegments: a log is not appended to over what was promised of a
// segment that is sealed, or of one that is away.
func TestOpenSegments(t *testing.T) {
	put := func(t *testing.T) *vfs.Mem {
		fsys := vfs.NewMem()
		writeLog(t, fsys, partition.Options{}, numbered(4)...)
		second := segment.PairAt("log", 4)
		require.NoError(t, vfs.ReplaceFile(fsys, second.Records, []byte("{\"n\":4}\n"), 0o600))
		require.NoError(t, vfs.ReplaceFile(fsys, second.Index, index.AppendEntry(index.AppendEntry(nil, 0), 8), 0o600))
		return fsys
	}
	t.Run("sealed and cut", func(t *testing.T) {
		fsys := put(t)
		cutFile(t, fsys, logPair.Records, 29)
		_, err := partition.Open("log", &partition.Options{FS: fsys})
		corrupt, ok := errors.AsType[*partition.CorruptError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, []int64{29, 32}, []int64{corrupt.Position, corrupt.End})
	})
	t.Run("the records of the last are away", func(t *testing.T) {
		fsys := put(t)
		require.NoError(t, fsys.Remove(segment.PairAt("log", 4).Records))
		_, err := partition.Open("log", &partition.Options{FS: fsys})
		away, ok := errors.AsType[*partition.SegmentAwayError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, uint64(4), away.Base)
	})
	t.Run("the records of one are away that begins within another", func(t *testing.T) {
		fsys := vfs.NewMem()
		writeLog(t, fsys, partition.Options{}, numbered(4)...)
		widow := segment.PairAt("log", 2)
		entries := index.AppendEntry(index.AppendEntry(nil, 0), 8)
		require.NoError(t, vfs.ReplaceFile(fsys, widow.Index, entries, 0o600))
		_, err := partition.Open("log", &partition.Options{FS: fsys})
		away, ok := errors.AsType[*partition.SegmentAwayError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, uint64(2), away.Base)
		require.Equal(t, entries, slurp(t, fsys, widow.Index))
	})
}

// TestOpenSharedIndex: no file is a log of its own whose index is that of a
// segment.
func TestOpenSharedIndex(t *testing.T) {
	fsys := vfs.NewMem()
	writeLog(t, fsys, partition.Options{}, numbered(4)...)
	want := slurp(t, fsys, logPair.Index)
	_, err := partition.Open("log/00000000000000000000.records", &partition.Options{FS: fsys})
	require.ErrorContains(t, err, "name the directory it lies in")
	for _, name := range []string{"log/00000000000000000000.records", "log/00000000000000000000"} {
		require.NoError(t, vfs.ReplaceFile(fsys, name, []byte("1\n"), 0o600))
		_, err := partition.Open(name, &partition.Options{FS: fsys})
		require.ErrorContains(t, err, "name the directory it lies in", name)
	}
	require.Equal(t, want, slurp(t, fsys, logPair.Index))
}

// TestRepairBare: a file that is no partition keeps every line and needs no
// index.
func TestRepairBare(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "app.jsonl")
	text := "text\n\n{\"n\":2}\n{\"n\":"
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	r, err := partition.Repair(context.Background(), name, nil, execute)
	require.NoError(t, err)
	require.Equal(t, "cut", actionsOf(r))
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, text[:14], string(got))
	saved, err := os.ReadFile(name + ".torn-14")
	require.NoError(t, err)
	require.Equal(t, text[14:], string(saved))
	_, err = os.Stat(name + ".index")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestRepairHole: 100 MB of NUL bytes under 800,000 clean entries, between
// records, are filled with as many blank lines, and are saved without taking
// room.
func TestRepairHole(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100 MB")
	}
	const before, lost, behind, size = 1000, 800_000, 1000, 125
	dir := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.Mkdir(dir, 0o700))
	pair := segment.PairAt(dir, 0)
	line := func(i int) string { return fmt.Sprintf(`{"n":%*d}`+"\n", size-7, i) }
	f, err := os.Create(pair.Records)
	require.NoError(t, err)
	for i := range before + behind {
		at := i
		if i >= before {
			at += lost
		}
		_, err := f.WriteAt([]byte(line(at)), int64(at*size))
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	var entries []byte
	for i := range before + lost + behind + 1 {
		entries = index.AppendEntry(entries, int64(i*size))
	}
	require.NoError(t, os.WriteFile(pair.Index, entries, 0o600))
	meta := segment.Meta{Sync: "os", Validate: "strict", Synced: segment.Mark{Position: 500 * size}}
	require.NoError(t, segment.WriteMeta(vfs.OS, dir, meta, 0o600))

	r, err := partition.Repair(context.Background(), dir, nil, execute)
	require.NoError(t, err)
	require.True(t, r.Done)
	require.Equal(t, "fill", actionsOf(r))
	require.Equal(t, uint64(lost), r.Actions[0].Lost)
	got, err := os.ReadFile(pair.Index)
	require.NoError(t, err)
	require.True(t, bytes.Equal(entries, got))
	p, err := partition.Open(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	rec, err := p.Get(before + lost + 7)
	require.NoError(t, err)
	require.Equal(t, line(before+lost+7), string(rec)+"\n")
	require.Empty(t, p.Recovery().Lines())
	requireSparse(t, r.Actions[0].Saved)
}

// TestRepairSurvivors: whatever is overwritten, every record whose bytes are
// as they were keeps its offset.
func TestRepairSurvivors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := vfs.NewMem()
		var recs []string
		for i := range rapid.IntRange(1, 30).Draw(t, "records") {
			recs = append(recs, fmt.Sprintf(`{"n":%d,"pad":"%s"}`, i, strings.Repeat("x", rapid.IntRange(0, 20).Draw(t, "pad"))))
		}
		validate := partition.Validate(rapid.IntRange(0, 1).Draw(t, "validate"))
		writeLog(t, fsys, partition.Options{Validate: validate}, recs...)
		before := slurp(t, fsys, logPair.Records)
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			at := rapid.IntRange(0, len(before)-1).Draw(t, "at")
			n := min(rapid.IntRange(1, 60).Draw(t, "length"), len(before)-at)
			with := rapid.SampledFrom([]string{"\x00", "z", "\n", "}", " "}).Draw(t, "with")
			overwrite(t, fsys, logPair.Records, int64(at), strings.Repeat(with, n))
		}
		damaged := slurp(t, fsys, logPair.Records)

		r := repair(t, fsys, partition.RepairOptions{Execute: true, Renumber: true})
		require.True(t, r.Done)
		after := slurp(t, fsys, logPair.Records)
		end := int64(0)
		for i, rec := range recs {
			start := end
			end += int64(len(rec)) + 1
			if len(r.Shifts) > 0 {
				break
			}
			if bytes.Equal(before[start:end-1], damaged[start:end-1]) && (i == 0 || start <= int64(len(after)) && after[start-1] == '\n') && end <= int64(len(after)) {
				require.Equal(t, string(before[start:end]), string(after[start:end]), "record %d", i)
			}
		}
		requireSoundAs(t, fsys, uint64(bytes.Count(after, []byte("\n"))), validate)
	})
}

// TestRepairBrokenOffRoll: the empty files of a roll are neither damage nor an
// end of the records before them, and repair leaves them to opening. Only where
// they lie behind the end do they prove that records are lost, which then hold
// their offsets as blank lines.
func TestRepairBrokenOffRoll(t *testing.T) {
	for base, c := range map[uint64]struct {
		actions string
		next    uint64
	}{2: {"", 4}, 4: {"", 4}} {
		fsys := vfs.NewMem()
		writeLog(t, fsys, partition.Options{}, numbered(4)...)
		pair := segment.PairAt("log", base)
		require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, nil, 0o600))
		require.NoError(t, vfs.ReplaceFile(fsys, pair.Index, nil, 0o600))
		r, err := partition.Repair(t.Context(), "log", &partition.Options{FS: fsys}, execute)
		require.NoError(t, err)
		require.Empty(t, r.Left)
		require.Equal(t, c.actions, actionsOf(r), "%d", base)
		p, err := partition.Open("log", &partition.Options{FS: fsys})
		require.NoError(t, err)
		_, next := p.Bounds()
		require.Equal(t, c.next, next)
		require.NoError(t, p.Close())
	}
}

// TestRepairBeyondTheEnd: where an empty segment proves that records before it
// are lost, repair says so and what it can do.
func TestRepairBeyondTheEnd(t *testing.T) {
	fsys := vfs.NewMem()
	writeLog(t, fsys, partition.Options{}, numbered(4)...)
	pair := segment.PairAt("log", 7)
	require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, nil, 0o600))
	require.NoError(t, vfs.ReplaceFile(fsys, pair.Index, make([]byte, 8), 0o600))
	r, err := partition.Repair(t.Context(), "log", &partition.Options{FS: fsys}, execute)
	require.NoError(t, err)
	require.Empty(t, r.Actions)
	require.Len(t, r.Left, 1)
	require.Contains(t, r.Left[0], "the next segment begins at offset 7 where 4 would follow")
}

// TestRepairSealedIndex: the index of a sealed segment that is gone, or behind,
// is made again.
func TestRepairSealedIndex(t *testing.T) {
	for _, left := range [][]byte{nil, make([]byte, 8)} {
		fsys := vfs.NewMem()
		p, err := partition.Open("log", &partition.Options{FS: fsys, SegmentRecords: 2})
		require.NoError(t, err)
		for _, rec := range numbered(5) {
			_, err := p.Append([]byte(strings.TrimSuffix(rec, "\n")))
			require.NoError(t, err)
		}
		require.NoError(t, p.Close())
		pair := segment.PairAt("log", 2)
		want := slurp(t, fsys, pair.Index)
		require.NoError(t, fsys.Remove(pair.Index))
		if left != nil {
			require.NoError(t, vfs.ReplaceFile(fsys, pair.Index, left, 0o600))
		}
		r, err := partition.Repair(t.Context(), "log", &partition.Options{FS: fsys}, execute)
		require.NoError(t, err)
		require.Equal(t, "index", actionsOf(r))
		require.Equal(t, want, slurp(t, fsys, pair.Index))
	}
}
