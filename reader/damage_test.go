package reader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

const (
	recordsName = "00000000000000000000.jsonl"
	indexName   = "00000000000000000000.index"
)

// setEntry overwrites one entry of an index.
func setEntry(idx []byte, i int, position int64) []byte {
	idx = bytes.Clone(idx)
	copy(idx[8*i:], index.AppendEntry(nil, position))
	return idx
}

// damage is a partition of 100 records, a part of which is not what it was.
type damage struct {
	name string
	do   func(recs, idx []byte) ([]byte, []byte)
	bad  []uint64 // the records that cannot be read, in order
}

func damages() []damage {
	records := numbered(0, 100)
	at := func(i int) int { return len(text(records[:i]...)) }
	entry := func(i int, to func(int64) int64) func(recs, idx []byte) ([]byte, []byte) {
		return func(recs, idx []byte) ([]byte, []byte) { return recs, setEntry(idx, i, to(int64(at(i)))) }
	}
	edit := func(f func(recs []byte)) func(recs, idx []byte) ([]byte, []byte) {
		return func(recs, idx []byte) ([]byte, []byte) {
			recs = bytes.Clone(recs)
			f(recs)
			return recs, idx
		}
	}
	return []damage{
		{"entry shifted up", entry(40, func(p int64) int64 { return p + 1 }), []uint64{39, 40}},
		{"entry shifted down", entry(40, func(p int64) int64 { return p - 1 }), []uint64{39, 40}},
		{"entry of the next record", entry(40, func(int64) int64 { return int64(at(41)) }), []uint64{39, 40}},
		{"entry 0", entry(40, func(int64) int64 { return 0 }), []uint64{39, 40}},
		{"entry within another record", entry(40, func(int64) int64 { return 9 }), []uint64{39, 40}},
		{"entry beyond the file", entry(40, func(int64) int64 { return 1 << 50 }), []uint64{39, 40}},
		{"entry beyond any position", entry(40, func(int64) int64 { return -1 }), []uint64{39, 40}},
		{"first entry", entry(0, func(int64) int64 { return 1 }), []uint64{0}},
		{"last entry", entry(100, func(p int64) int64 { return p - 2 }), []uint64{99}},
		{"last entry beyond the file", entry(100, func(p int64) int64 { return p + 2 }), []uint64{99}},
		{"line split", edit(func(recs []byte) { recs[at(50)+5] = '\n' }), []uint64{50}},
		{"lines joined", edit(func(recs []byte) { recs[at(51)-1] = ' ' }), []uint64{50, 51}},
		{"newline moved", edit(func(recs []byte) { recs[at(51)-1], recs[at(51)-2] = '}', '\n' }), []uint64{50, 51}},
		{"records cut", func(recs, idx []byte) ([]byte, []byte) { return recs[:len(recs)-4], idx }, []uint64{99}},
		{"records cut at a line", func(recs, idx []byte) ([]byte, []byte) { return recs[:at(98)], idx }, []uint64{98, 99}},
	}
}

// TestDamage reads damaged partitions in every direction: what is whole is
// read, what is not is an error with its offset, and never other bytes.
func TestDamage(t *testing.T) {
	records := numbered(0, 100)
	for _, c := range damages() {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				recs, idx := c.do(text(records...), entries(text(records...)))
				d.write(t, recordsName, recs)
				d.write(t, indexName, idx)
				log := d.open(t, "", Options{})
				for range 2 {
					checkSkipping(t, log, records, c.bad)
					checkGets(t, log, records, c.bad)
				}
				checkStops(t, log, records, c.bad)
			})
		})
	}
}

// checkSkipping reads on behind the error, which is one for all that is bad.
func checkSkipping(t *testing.T, log *Log, records []string, bad []uint64) {
	t.Helper()
	r := log.Reader(0)
	for offset := range uint64(len(records)) {
		if slices.Contains(bad[1:], offset) {
			continue
		}
		rec, err := r.Next()
		if offset == bad[0] {
			requireBounds(t, err, records, bad)
			require.Zero(t, rec)
			require.NoError(t, r.Skip())
			continue
		}
		require.NoError(t, err)
		require.Equal(t, records[offset], string(rec.Data))
		require.Equal(t, offset, rec.Offset)
	}
	_, err := r.Next()
	require.Equal(t, io.EOF, err)
	require.NoError(t, r.Skip()) // does nothing
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
}

// requireBounds wants an error about all that is bad: its offsets, and where
// their lines were before the damage, as far as the file still reaches.
func requireBounds(t *testing.T, err error, records []string, bad []uint64) {
	t.Helper()
	e := requireCorrupt(t, err, segment.ErrIndexMismatch, bad[0])
	first, past := bad[0], bad[0]+uint64(len(bad))
	require.Equal(t, past-first, e.Records)
	require.EqualValues(t, len(text(records[:first]...)), e.Position)
	if past < uint64(len(records)) {
		require.EqualValues(t, len(text(records[:past]...)), e.End)
	}
}

func checkGets(t *testing.T, log *Log, records []string, bad []uint64) {
	t.Helper()
	for offset := range uint64(len(records)) {
		data, err := log.Get(offset)
		if slices.Contains(bad, offset) {
			requireCorrupt(t, err, segment.ErrIndexMismatch, offset)
			require.Nil(t, data)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, records[offset], string(data))
	}
}

// checkStops reads up to the first error, from both ends.
func checkStops(t *testing.T, log *Log, records []string, bad []uint64) {
	t.Helper()
	next := uint64(0)
	for rec, err := range log.Records(0) {
		if next == bad[0] {
			require.Zero(t, rec)
			requireBounds(t, err, records, bad)
			break
		}
		require.NoError(t, err)
		require.Equal(t, records[next], string(rec.Data))
		next++
	}
	require.Equal(t, bad[0], next)
	var out bytes.Buffer
	_, err := log.Reader(0).WriteTo(&out)
	requireCorrupt(t, err, segment.ErrIndexMismatch, bad[0])
	require.Equal(t, string(text(records[:bad[0]]...)), out.String())

	next = uint64(len(records))
	for rec, err := range log.Backward(UnknownOffset) {
		next--
		if slices.Contains(bad, next) {
			require.Zero(t, rec)
			requireBounds(t, err, records, bad)
			break
		}
		require.NoError(t, err)
		require.Equal(t, records[next], string(rec.Data))
	}
	require.Equal(t, bad[len(bad)-1], next)
}

// TestForeignIndex reads partitions beside which the index of another log
// lies.
func TestForeignIndex(t *testing.T) {
	records := text(numbered(0, 5000)...)
	noise := make([]byte, 8*5001)
	rng := rand.NewChaCha8([32]byte{1})
	rng.Read(noise)
	for _, c := range []struct {
		name string
		idx  []byte
	}{
		{"noise", noise},
		{"of longer lines", entries(text(slices.Repeat([]string{strings.Repeat("z", 500)}, 400)...))},
		{"of shorter lines", entries(bytes.Repeat([]byte("{}\n"), 5000))},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := osDisk(t)
			d.write(t, recordsName, records)
			d.write(t, indexName, c.idx)
			log := d.open(t, "", Options{})
			for rec, err := range log.Records(0) {
				require.Zero(t, rec)
				requireCorrupt(t, err, segment.ErrIndexMismatch, 0)
			}
			for rec, err := range log.Backward(UnknownOffset) {
				require.Zero(t, rec)
				require.ErrorIs(t, err, segment.ErrIndexMismatch)
			}
			_, err := log.Get(17)
			require.ErrorIs(t, err, segment.ErrIndexMismatch)
		})
	}
}

// TestIndexTail reads partitions whose index goes on behind the last record:
// zeros and entries that do not increase are not there for anybody, others are
// damage for who reads up to them, and neither counts.
func TestIndexTail(t *testing.T) {
	records := numbered(0, 100)
	recs, cut := text(records...), len(text(records[:70]...))
	idx := entries(recs)
	end := int64(len(recs))
	more := func(positions ...int64) []byte {
		tail := bytes.Clone(idx)
		for _, p := range positions {
			tail = index.AppendEntry(tail, p)
		}
		return tail
	}
	for _, c := range []struct {
		name  string
		recs  []byte
		idx   []byte
		count uint64
		bad   uint64 // records that the index has beyond that
	}{
		{"one zero", recs, more(0), 100, 0},
		{"zeros", recs, append(more(), make([]byte, 8*50_000)...), 100, 0},
		{"the same again", recs, more(end, end), 100, 0},
		{"an earlier entry", recs, more(17), 100, 0},
		{"beyond any position", recs, more(-1, -5), 100, 0},
		{"zeros in place of the last ten", recs, append(bytes.Clone(idx[:8*91]), make([]byte, 80)...), 90, 0},
		{"all zeros", recs, make([]byte, 8*101), 0, 0},
		{"beyond the file", recs, more(end+9, end+18), 100, 2},
		{"noise", recs, more(1<<50, 3, 1<<40, 1<<41, 0, 0), 100, 4},
		{"within a line", append(bytes.Clone(recs), `{"n":100}`...), more(end + 4), 100, 1},
		{"records cut in a line", recs[:end-4], idx, 99, 1},
		{"records cut between lines", recs[:cut], idx, 70, 30},
		{"records emptied", nil, idx, 0, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				d.write(t, recordsName, c.recs)
				d.write(t, indexName, c.idx)
				checkTail(t, d, records[:c.count], c.bad)
			})
		})
	}
}

func checkTail(t *testing.T, d disk, records []string, bad uint64) {
	t.Helper()
	log, count := d.open(t, "", Options{}), uint64(len(records))
	st, err := d.fs.Stat(d.path(indexName))
	require.NoError(t, err)
	ahead, err := log.Ahead()
	require.NoError(t, err)
	require.Equal(t, index.Count(st.Size)-count, ahead)
	require.Equal(t, count, log.Info().Segments[0].Count)
	_, next, err := log.Bounds(t.Context())
	require.NoError(t, err)
	require.Equal(t, count, next)
	r := log.Tail(5)
	for i := count - min(count, 5); i < count; i++ {
		rec, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, i, rec.Offset)
		require.Equal(t, records[i], string(rec.Data))
	}
	_, getErr := log.Get(count)
	_, err = r.Next()
	if bad == 0 {
		require.Equal(t, io.EOF, err)
		_, gone := errors.AsType[*segment.RangeError](getErr)
		require.True(t, gone, "%v", getErr)
		require.Len(t, collect(t, log.Records(0)), int(count))
		require.Len(t, collect(t, log.Backward(UnknownOffset)), int(count))
		return
	}
	requireCorrupt(t, getErr, segment.ErrIndexMismatch, count)
	e := requireCorrupt(t, err, segment.ErrIndexMismatch, count)
	require.Equal(t, bad, e.Records)
	require.NoError(t, r.Skip())
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
	log = d.open(t, "", Options{Skip: func(Damage) error { return nil }})
	require.Len(t, collect(t, log.Records(0)), int(count))
	require.Len(t, collect(t, log.Backward(UnknownOffset)), int(count))
}

// TestIndexTailGrows: what lies behind zeros is seen once they are gone.
func TestIndexTailGrows(t *testing.T) {
	d := osDisk(t)
	recs := text(numbered(0, 100)...)
	idx := entries(recs)
	d.write(t, recordsName, recs)
	d.write(t, indexName, append(bytes.Clone(idx[:8*51]), make([]byte, 80)...))
	log := d.open(t, "", Options{})
	for _, want := range []int{50, 90, 100} {
		require.Len(t, collect(t, log.Records(0)), want)
		_, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, want, next)
		d.write(t, indexName, idx[:8*min(101, want+41)])
	}
}

// TestBareForeignIndex reads bare files by their lines where the index beside
// them is not theirs.
func TestBareForeignIndex(t *testing.T) {
	records := numbered(0, 5000)
	for _, c := range []struct {
		name string
		idx  []byte
	}{
		{"zero", make([]byte, 8*5001)},
		{"of shorter lines", entries(bytes.Repeat([]byte("{}\n"), 5000))},
		{"longer than the file", entries(text(numbered(0, 6000)...))},
		{"empty", nil},
		{"shorter than an entry", []byte{0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := osDisk(t)
			d.write(t, "app.jsonl", text(records...))
			d.write(t, "app.jsonl.index", c.idx)
			log := d.open(t, "app.jsonl", Options{})
			f := fixture{want: records}
			for _, w := range ways() {
				checkRecords(t, &f, w.name, w.read(t, log, &f))
			}
		})
	}
}

// TestBareCut: a bare file that is cut or written anew in place, as
// copytruncate does, has the bounds and records of what it is now.
func TestBareCut(t *testing.T) {
	records := numbered(0, 1000)
	for _, indexed := range []bool{false, true} {
		for _, c := range []struct {
			name string
			now  []string
			do   func(t *testing.T, d disk)
		}{
			{"emptied", nil, func(t *testing.T, d disk) { d.cut(t, "app.jsonl", 0) }},
			{"cut", records[:400], func(t *testing.T, d disk) {
				d.cut(t, "app.jsonl", int64(len(text(records[:400]...))))
			}},
			{"copytruncate", numbered(1000, 30), func(t *testing.T, d disk) {
				d.cut(t, "app.jsonl", 0)
				d.append(t, "app.jsonl", text(numbered(1000, 30)...))
			}},
			{"saved anew in place", numbered(5000, 2000), func(t *testing.T, d disk) {
				d.write(t, "app.jsonl", text(numbered(5000, 2000)...))
			}},
			{"replaced", numbered(7, 900), func(t *testing.T, d disk) {
				d.rename(t, "app.jsonl", text(numbered(7, 900)...))
			}},
		} {
			t.Run(fmt.Sprint(c.name, " ", indexed), func(t *testing.T) {
				d := osDisk(t)
				d.write(t, "app.jsonl", text(records...))
				if indexed {
					d.write(t, "app.jsonl.index", entries(text(records...)))
				}
				log := d.open(t, "app.jsonl", Options{})
				_, next, err := log.Bounds(t.Context())
				require.NoError(t, err)
				require.Equal(t, uint64(1000), next)
				c.do(t, d)
				_, next, err = log.Bounds(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, len(c.now), next)
				f := fixture{want: c.now}
				for _, w := range ways() {
					checkRecords(t, &f, w.name, w.read(t, log, &f))
				}
			})
		}
	}
}

// TestTooLarge reads records that are larger than they may be, by the index
// and by lines.
func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int
		large int
	}{
		{"smaller than a block", 100, 101},
		{"larger than a block", 3 * blockBytes, 3*blockBytes + 1},
		{"much larger", blockBytes, 20 * blockBytes},
	} {
		for _, name := range []string{"", "app.jsonl"} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				d := osDisk(t)
				largest := strings.Repeat("b", c.limit)
				records := []string{"a", largest, strings.Repeat("c", c.large), "d", strings.Repeat("e", c.large), "f"}
				d.pair(t, 0, text(records...))
				d.write(t, "app.jsonl", text(records...))
				log := d.open(t, name, Options{MaxRecordBytes: c.limit})
				_, next, err := log.Bounds(t.Context())
				require.NoError(t, err)
				require.Equal(t, uint64(6), next)
				checkTooLarge(t, log, records)
			})
		}
	}
}

func checkTooLarge(t *testing.T, log *Log, records []string) {
	t.Helper()
	r := log.Reader(0)
	for i, want := range records {
		rec, err := r.Next()
		data, getErr := log.Get(uint64(i))
		if i == 2 || i == 4 {
			require.ErrorIs(t, err, jsonl.ErrTooLarge)
			require.ErrorIs(t, getErr, jsonl.ErrTooLarge)
			require.ErrorContains(t, err, "offset")
			require.NoError(t, r.Skip())
			continue
		}
		require.NoError(t, err)
		require.NoError(t, getErr)
		require.Equal(t, uint64(i), rec.Offset)
		require.Equal(t, want, string(rec.Data))
		require.Equal(t, want, string(data))
	}
	_, err := r.Next()
	require.Equal(t, io.EOF, err)
	for rec, err := range log.Backward(UnknownOffset) {
		if rec.Data == nil {
			require.ErrorIs(t, err, jsonl.ErrTooLarge)
		}
	}
}

// TestLimitOfWriter takes the limit from partition.json, also from one that
// came later.
func TestLimitOfWriter(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text("{}", strings.Repeat("x", 17<<20)))
	log := d.open(t, "", Options{})
	_, err := log.Get(1)
	require.ErrorIs(t, err, jsonl.ErrTooLarge)
	d.write(t, segment.MetaName, []byte(`{"format":1,"sync":"always","validate":"strict","batch":18000000}`))
	data, err := log.Get(1)
	require.NoError(t, err)
	require.Len(t, data, 17<<20)
}

// TestHole counts and skips a hole that copytruncate left, in little memory.
func TestHole(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text(`{"n":0}`))
	const size = 1 << 28
	d.cut(t, "app.jsonl", size)
	d.append(t, "app.jsonl", text("", `{"n":2}`))
	log := d.open(t, "app.jsonl", Options{MaxRecordBytes: 1 << 20})
	_, next, err := log.Bounds(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(3), next)
	r := log.Reader(1)
	_, err = r.Next()
	require.ErrorIs(t, err, jsonl.ErrTooLarge)
	require.NoError(t, r.Skip())
	rec, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, `{"n":2}`, string(rec.Data))
	require.Equal(t, uint64(2), rec.Offset)
	require.EqualValues(t, size+1, rec.Position)
	require.Less(t, cap(r.buf), 4<<20)
}

// TestSystemErrors passes on what the operating system says: an I/O error is
// not corruption.
func TestSystemErrors(t *testing.T) {
	for _, name := range []string{recordsName, indexName} {
		t.Run(name, func(t *testing.T) {
			d := osDisk(t)
			d.pair(t, 0, text(numbered(0, 10)...))
			faulty := &faults{}
			log, err := Open(d.dir, &Options{FS: faulty.over(d.fs)})
			require.NoError(t, err)
			defer log.Close()
			faulty.failReads(name)
			_, err = log.Get(3)
			requireSystem(t, err)
			for _, err := range log.Records(0) {
				requireSystem(t, err)
			}
			for _, err := range log.Backward(5) {
				requireSystem(t, err)
			}
			faulty.failReads("")
			data, err := log.Get(3)
			require.NoError(t, err)
			require.Equal(t, numbered(3, 1)[0], string(data))
		})
	}
}

func requireSystem(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, errDisk)
	_, corrupt := errors.AsType[*segment.CorruptError](err)
	require.False(t, corrupt, "%v", err)
}

// TestSkipLarge: what is larger than may be read is passed over in any direction, and
// has its place among the pieces, whether there is an index or not. Damage is none of
// that.
func TestSkipLarge(t *testing.T) {
	records := []string{`{"n":0}`, `"` + strings.Repeat("x", 99) + `"`, `{"n":2}`, `"` + strings.Repeat("y", 99) + `"`, `{"n":4}`}
	for _, indexed := range []bool{true, false} {
		d, name := osDisk(t), ""
		if indexed {
			d.write(t, recordsName, text(records...))
			d.write(t, indexName, entries(text(records...)))
		} else {
			name = "bare.jsonl"
			d.write(t, name, text(records...))
		}
		var told []uint64
		log := d.open(t, name, Options{MaxRecordBytes: 50, SkipLarge: func(d Damage) error {
			told = append(told, d.Offset)
			return nil
		}})
		var got []uint64
		for rec, err := range log.Records(0) {
			require.NoError(t, err)
			got = append(got, rec.Offset)
		}
		require.Equal(t, []uint64{0, 2, 4}, got)
		require.Equal(t, []uint64{1, 3}, told)
		got, told = nil, nil
		for rec, err := range log.Backward(UnknownOffset) {
			require.NoError(t, err)
			got = append(got, rec.Offset)
		}
		require.Equal(t, []uint64{4, 2, 0}, got)
		require.Equal(t, []uint64{3, 1}, told)
		told = nil
		require.Equal(t, "0 !1 2 !3 4", placesOf(t, log))
		require.Empty(t, told)
	}
}

// TestSkipLargeOnly: damage ends the range all the same.
func TestSkipLargeOnly(t *testing.T) {
	d := osDisk(t)
	d.write(t, recordsName, text("0", "1", "2"))
	d.write(t, indexName, entries(text("0", "11", "2")))
	log := d.open(t, "", Options{SkipLarge: func(Damage) error { return nil }})
	for _, err := range log.Records(0) {
		if err != nil {
			require.ErrorIs(t, err, segment.ErrIndexMismatch)
			return
		}
	}
	t.Fatal("it was passed over")
}

// placesOf are the offsets that Pieces come to, those of large records with a mark. It
// leaves the range once at a record and once at a large one, too.
func placesOf(t *testing.T, log *Log) string {
	t.Helper()
	var places []string
	for piece := range log.Pieces(t.Context(), 0, 5) {
		for lines, err := range piece {
			require.NoError(t, err)
			if lines.Large != nil {
				require.ErrorIs(t, lines.Large.Err, jsonl.ErrTooLarge)
				require.Empty(t, lines.Data)
				places = append(places, fmt.Sprintf("!%d", lines.First))
			}
			for i := range lines.Count {
				places = append(places, fmt.Sprint(lines.First+uint64(i)))
			}
		}
	}
	for _, err := range log.Blocks(0, 5) {
		require.NoError(t, err)
		break
	}
	for lines, err := range log.Blocks(0, 5) {
		require.NoError(t, err)
		if lines.Large != nil {
			break
		}
	}
	return strings.Join(places, " ")
}
