package reader

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// hole is a partition with records of which a run of bytes is damaged.
type hole struct {
	records  []string
	from, to uint64 // the records that are not what they were
	log      *Log
	told     []Damage // what Options.Skip was told
}

// openHole writes the records, lets do damage them and opens the log.
func openHole(t *testing.T, h *hole, do func(recs, idx []byte)) {
	d := osDisk(t)
	recs := text(h.records...)
	idx := entries(recs)
	do(recs, idx)
	d.write(t, recordsName, recs)
	d.write(t, indexName, idx)
	h.log = d.open(t, "", Options{RejectNUL: true, Skip: func(bad Damage) error {
		h.told = append(h.told, bad)
		return nil
	}})
}

// at is where record n begins.
func (h *hole) at(n uint64) int { return len(text(h.records[:n]...)) }

// sound reads on behind what is bad, in every direction, and wants everything
// else; told once each time.
func (h *hole) sound(t *testing.T, want error) {
	t.Helper()
	var good []kept
	position := int64(0)
	for i, rec := range h.records {
		if uint64(i) < h.from || uint64(i) >= h.to {
			good = append(good, kept{uint64(i), position, rec})
		}
		position += int64(len(rec)) + 1
	}
	requireKept(t, good, collect(t, h.log.Records(0)))
	requireKept(t, good, collect(t, h.log.Range(0, UnknownOffset)))
	requireKept(t, good, collect(t, h.log.Reader(0).Records()))
	back := collect(t, h.log.Backward(UnknownOffset))
	slices.Reverse(back)
	requireKept(t, good, back)
	var out bytes.Buffer
	_, err := h.log.Reader(0).WriteTo(&out)
	require.NoError(t, err)
	for _, rec := range good {
		if line, _ := out.ReadString('\n'); line != rec.data+"\n" {
			t.Fatalf("%q, not %q", line, rec.data)
		}
	}
	require.Zero(t, out.Len())
	require.Len(t, h.told, 5)
	for _, bad := range h.told {
		require.Equal(t, h.from, bad.Offset)
		require.Equal(t, h.to-h.from, bad.Records)
		require.EqualValues(t, h.at(h.from), bad.Position)
		require.EqualValues(t, h.at(h.to), bad.End)
		require.ErrorIs(t, bad.Err, want)
	}
}

// requireKept shows the first difference only.
func requireKept(t *testing.T, want, got []kept) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("%d: %v, not %v", i, got[i], want[i])
		}
	}
	if len(want) != len(got) {
		t.Fatalf("%d records, not %d", len(got), len(want))
	}
}

// TestHoleInTheMiddle reads past what a power loss left in the middle of the
// records: one error with all its bounds, in every direction.
func TestHoleInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	noise := rand.NewChaCha8([32]byte{7})
	records := numbered(0, 20_000)
	for _, c := range []struct {
		name     string
		from, to uint64
		want     error
		do       func(h *hole, recs, idx []byte)
	}{
		{"NUL over many lines", 5000, 15_000, jsonl.ErrNUL, func(h *hole, recs, _ []byte) {
			clear(recs[h.at(5000) : h.at(15_000)-1])
		}},
		{"NUL up to where a line begins", 5000, 15_000, jsonl.ErrNUL, func(h *hole, recs, _ []byte) {
			clear(recs[h.at(5000):h.at(15_000)])
		}},
		{"NUL over many lines and parts of two", 4999, 15_001, jsonl.ErrNUL, func(h *hole, recs, _ []byte) {
			clear(recs[h.at(5000)-3 : h.at(15_000)+3])
		}},
		{"NUL within one line", 5000, 5001, jsonl.ErrNUL, func(h *hole, recs, _ []byte) {
			clear(recs[h.at(5000)+1 : h.at(5001)-1])
		}},
		{"one NUL", 5000, 5001, jsonl.ErrNUL, func(h *hole, recs, _ []byte) {
			recs[h.at(5000)+1] = 0
		}},
		{"NUL from the beginning", 0, 15_000, jsonl.ErrNUL, func(h *hole, recs, _ []byte) {
			clear(recs[:h.at(15_000)-1])
		}},
		{"noise over many lines", 5000, 15_000, segment.ErrIndexMismatch, func(h *hole, recs, _ []byte) {
			noise.Read(recs[h.at(5000):h.at(15_000)])
			bad := recs[h.at(5000):h.at(15_000)]
			copy(bad, bytes.ReplaceAll(bad, []byte{0}, []byte{1}))
			bad[len(bad)-1] = '\n' // or the record behind it would be bad too
		}},
		{"noise in the index", 4999, 15_000, segment.ErrIndexMismatch, func(_ *hole, _, idx []byte) {
			noise.Read(idx[8*5000 : 8*15_000])
		}},
		{"zeros in the index", 4999, 15_000, segment.ErrIndexMismatch, func(_ *hole, _, idx []byte) {
			clear(idx[8*5000 : 8*15_000])
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &hole{records: records, from: c.from, to: c.to}
			openHole(t, h, func(recs, idx []byte) { c.do(h, recs, idx) })
			h.sound(t, c.want)
			_, err := h.log.Get(c.from)
			requireCorrupt(t, err, c.want, c.from)
			warm(t, h.log, 19_999)
			_, err = h.log.Get(c.from)
			requireCorrupt(t, err, c.want, c.from)
		})
	}
}

// TestStaleEntries: entries that were those of other records prove themselves
// one by one, but not behind what was read.
func TestStaleEntries(t *testing.T) {
	h := &hole{records: numbered(0, 3000), from: 999, to: 2000}
	openHole(t, h, func(_, idx []byte) { copy(idx[8*1000:8*2000], idx[:8*1000]) })
	got := collect(t, h.log.Records(0))
	require.Len(t, got, 1999)
	for i, rec := range got {
		if offset := uint64(i); offset >= h.from {
			require.Equal(t, offset+h.to-h.from, rec.offset)
		}
		require.Equal(t, h.records[rec.offset], rec.data)
	}
}

// TestNULStays: NUL within one line is looked for on request only, and never
// in a bare file, where every line is a record.
func TestNULStays(t *testing.T) {
	d := osDisk(t)
	records := []string{`{"n":0}`, "{\x00\x00\x00\x00\x00}", `{"n":2}`}
	d.pair(t, 0, text(records...))
	d.write(t, "app.jsonl", text(records...))
	for _, log := range []*Log{d.open(t, "", Options{}), d.open(t, "app.jsonl", Options{RejectNUL: true})} {
		data, err := log.Get(1)
		require.NoError(t, err)
		require.Equal(t, records[1], string(data))
		require.Len(t, collect(t, log.Records(0)), 3)
	}
}

// TestHugeHole passes 100 MB of NUL under 800,000 clean index entries, which a
// power loss in a weak mode leaves: one error, at once, in little memory.
func TestHugeHole(t *testing.T) {
	const n, size = 800_000, 125
	line := strings.Repeat("x", size-1) + "\n"
	d := osDisk(t)
	d.write(t, recordsName, []byte(strings.Repeat(line, 10)))
	d.cut(t, recordsName, (10+n)*size-1)
	d.append(t, recordsName, []byte("\n"+strings.Repeat(line, 10)))
	d.write(t, indexName, entries(bytes.Repeat([]byte(line), n+20)))
	log := d.open(t, "", Options{})
	r := log.Reader(0)
	begun := time.Now()
	for range 10 {
		_, err := r.Next()
		require.NoError(t, err)
	}
	_, err := r.Next()
	e := requireCorrupt(t, err, jsonl.ErrNUL, 10)
	require.Equal(t, fmt.Sprintf("%s: corrupt at offsets 10 to 800009 (800000 records), bytes 1250 to 100001250: NUL byte in a record",
		d.path(recordsName)), e.Error())
	require.NoError(t, r.Skip())
	for i := range uint64(10) {
		rec, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, n+10+i, rec.Offset)
		require.Equal(t, line[:size-1], string(rec.Data))
	}
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
	require.Less(t, time.Since(begun), 5*time.Second) // 0.1 s on an idle machine
	require.Less(t, cap(r.buf), 4<<20)
	t.Log(time.Since(begun))
}

// TestManyHoles reads the records between holes.
func TestManyHoles(t *testing.T) {
	records := numbered(0, 300)
	recs := text(records...)
	idx := entries(recs)
	var want []kept
	for i := range records {
		at := len(text(records[:i]...))
		if i%3 == 1 {
			recs[at+2] = '\n'
			continue
		}
		want = append(want, kept{uint64(i), int64(at), records[i]})
	}
	d := osDisk(t)
	d.write(t, recordsName, recs)
	d.write(t, indexName, idx)
	told := 0
	log := d.open(t, "", Options{Skip: func(bad Damage) error {
		require.Equal(t, uint64(1), bad.Records)
		told++
		return nil
	}})
	requireKept(t, want, collect(t, log.Records(0)))
	require.Equal(t, 100, told)
	require.Len(t, collect(t, log.Backward(UnknownOffset)), 200)
}

// TestSkipRefused ends a range with the error of Options.Skip.
func TestSkipRefused(t *testing.T) {
	d := osDisk(t)
	recs := text(numbered(0, 10)...)
	recs[3] = '\n'
	d.write(t, recordsName, recs)
	d.write(t, indexName, entries(text(numbered(0, 10)...)))
	log := d.open(t, "", Options{Skip: func(bad Damage) error { return fmt.Errorf("no: %w", io.ErrNoProgress) }})
	for rec, err := range log.Records(0) {
		require.Zero(t, rec)
		require.ErrorIs(t, err, io.ErrNoProgress)
	}
	for rec, err := range log.Backward(1) {
		require.Zero(t, rec)
		require.ErrorIs(t, err, io.ErrNoProgress)
	}
	for rec, err := range log.Follow(t.Context(), 0) {
		require.Zero(t, rec)
		require.ErrorIs(t, err, io.ErrNoProgress)
	}
}

// TestSkipTooLarge goes on behind records that are larger than they may be.
func TestSkipTooLarge(t *testing.T) {
	d := osDisk(t)
	records := []string{"a", strings.Repeat("b", 1000), "c"}
	d.pair(t, 0, text(records...))
	d.write(t, "app.jsonl", text(records...))
	for _, name := range []string{"", "app.jsonl"} {
		var told []Damage
		log := d.open(t, name, Options{MaxRecordBytes: 10, Skip: func(bad Damage) error {
			told = append(told, bad)
			return nil
		}})
		require.Equal(t, []kept{{0, 0, "a"}, {2, 1003, "c"}}, collect(t, log.Records(0)))
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0].Err, jsonl.ErrTooLarge)
		require.Equal(t, uint64(1), told[0].Offset)
		require.Equal(t, int64(2), told[0].Position)
	}
}

// TestSkipLostIndex goes on in the next segment where an index lost its end or
// goes on too far.
func TestSkipLostIndex(t *testing.T) {
	for _, c := range []struct {
		name  string
		index []byte
		read  int
		lost  uint64
	}{
		{"lost its end", entries(text(numbered(0, 60)...)), 160, 40},
		{"goes on", entries(text(numbered(0, 101)...)), 200, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := osDisk(t)
			hundreds(t, d, 0, 100)
			d.write(t, indexName, c.index)
			var told []Damage
			log := d.open(t, "", Options{Skip: func(bad Damage) error {
				told = append(told, bad)
				return nil
			}})
			require.Len(t, collect(t, log.Records(0)), c.read)
			require.Len(t, told, 1)
			require.Equal(t, c.lost, told[0].Records)
		})
	}
}
