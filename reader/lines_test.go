package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bigFile is a file without index of which more than countAhead is a hole, so
// that the offsets of its end are not counted. It holds n records behind that.
func bigFile(t testing.TB, d disk, n int, tail string) []string {
	t.Helper()
	records := numbered(2, n)
	d.write(t, "big.jsonl", text("first"))
	d.cut(t, "big.jsonl", countAhead+4096)
	d.append(t, "big.jsonl", append(text("", records[0]), text(records[1:]...)...))
	d.append(t, "big.jsonl", []byte(tail))
	return records
}

// TestTailUncounted finds the end of a large file without reading it all.
func TestTailUncounted(t *testing.T) {
	for _, tail := range []string{"", `{"open":1}`, `{"fragment":`} {
		for _, n := range []uint64{0, 1, 2, 3, 700, 20_000} {
			t.Run(fmt.Sprint(n, " ", tail), func(t *testing.T) {
				d := osDisk(t)
				want := bigFile(t, d, 20_000, tail)
				if strings.HasSuffix(tail, "}") {
					want = append(want, tail)
				}
				want = want[len(want)-int(min(n, uint64(len(want)))):]
				log := d.open(t, "big.jsonl", Options{})
				var got []string
				for rec, err := range log.Tail(n).Records() {
					require.NoError(t, err)
					if rec.Offset != UnknownOffset {
						t.Fatalf("offset %d", rec.Offset)
					}
					got = append(got, string(rec.Data))
				}
				require.Equal(t, len(want), len(got))
				for i := range want {
					if want[i] != got[i] {
						t.Fatalf("record %d is %q, not %q", i, got[i], want[i])
					}
				}
				require.Less(t, log.Stats().ScanBytes, uint64(blockBytes))
			})
		}
	}
}

// TestTailCounted knows the offsets once the lines have been counted.
func TestTailCounted(t *testing.T) {
	d := osDisk(t)
	bigFile(t, d, 10, "")
	log := d.open(t, "big.jsonl", Options{})
	_, next, err := log.Bounds(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 12, next)
	r := log.Tail(3)
	require.EqualValues(t, 9, r.Offset())
	rec, err := r.Next()
	require.NoError(t, err)
	require.EqualValues(t, 9, rec.Offset)
	require.Equal(t, numbered(9, 1)[0], string(rec.Data))
}

// TestTailGoesOn reads what is appended after the end was found.
func TestTailGoesOn(t *testing.T) {
	d := osDisk(t)
	want := bigFile(t, d, 3, "")
	r := d.open(t, "big.jsonl", Options{}).Tail(2)
	require.EqualValues(t, uint64(UnknownOffset), r.Offset())
	for _, w := range want[1:] {
		rec, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, w, string(rec.Data))
	}
	_, err := r.Next()
	require.Equal(t, io.EOF, err)
	d.append(t, "big.jsonl", text("more"))
	rec, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "more", string(rec.Data))
	require.EqualValues(t, uint64(UnknownOffset), rec.Offset)
}

// TestBackwardUncounted reads a large file from its end.
func TestBackwardUncounted(t *testing.T) {
	for _, tail := range []string{"", `{"open":1}`, `{"fragment":`} {
		d := osDisk(t)
		want := bigFile(t, d, 20_000, tail)
		if strings.HasSuffix(tail, "}") {
			want = append(want, tail)
		}
		log := d.open(t, "big.jsonl", Options{})
		i := len(want)
		for rec, err := range log.Backward(UnknownOffset) {
			require.NoError(t, err)
			i--
			if string(rec.Data) != want[i] || rec.Offset != UnknownOffset {
				t.Fatalf("record %d is %q, not %q", i, rec.Data, want[i])
			}
			if i == 0 {
				break
			}
		}
		require.Zero(t, i)
		require.Less(t, log.Stats().ScanBytes, uint64(blockBytes))
	}
}

// TestOpenLineGoesOn has a last line without newline, which was read already,
// get its newline, or more bytes.
func TestOpenLineGoesOn(t *testing.T) {
	const changed = "an error"
	for _, c := range []struct {
		name, more string
		next       string
	}{
		{"newline", "\n{\"n\":2}\n", `{"n":2}`},
		{"two newlines", "\n\n", ""},
		{"other bytes", " garbage\n{\"n\":2}\n", changed},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := osDisk(t)
			d.write(t, "app.jsonl", []byte("{\"n\":0}\n{\"n\":1}"))
			r := d.open(t, "app.jsonl", Options{}).Reader(0)
			for i := range 2 {
				rec, err := r.Next()
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), string(rec.Data))
			}
			for range 2 {
				_, err := r.Next()
				require.Equal(t, io.EOF, err)
			}
			d.append(t, "app.jsonl", []byte(c.more))
			rec, err := r.Next()
			if c.next == changed {
				requireCorrupt(t, err, ErrChanged, 2)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.next, string(rec.Data))
			require.EqualValues(t, 2, rec.Offset)
		})
	}
}

// TestChangedWhileRead cuts or rewrites a bare file under a one-shot reader:
// an error, and no byte of something else.
func TestChangedWhileRead(t *testing.T) {
	records := numbered(0, 30_000)
	data := text(records...)
	other := bytes.ToUpper(data)
	for _, c := range []struct {
		name string
		now  []byte
	}{
		{"cut", data[:len(data)/3]},
		{"empty", nil},
		{"rewritten", other},
		{"rewritten longer", append(bytes.Clone(other), other...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				d.write(t, "app.jsonl", data)
				log := d.open(t, "app.jsonl", Options{})
				n := 0
				for rec, err := range log.Records(0) {
					if n == 0 {
						d.write(t, "app.jsonl", c.now)
					}
					if err != nil {
						requireCorrupt(t, err, ErrChanged, uint64(n))
						n = -1
						break
					}
					if string(rec.Data) != records[n] {
						t.Fatalf("record %d is %q", n, rec.Data)
					}
					n++
				}
				require.Equal(t, -1, n)
			})
		})
	}
}

// TestTableRewritten counts anew a file that was rewritten since it was
// counted.
func TestTableRewritten(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		d.write(t, "app.jsonl", text(numbered(0, 20_000)...))
		log := d.open(t, "app.jsonl", Options{})
		_, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 20_000, next)
		now := make([]string, 500)
		for i := range now {
			now[i] = fmt.Sprintf(`{"new":%d,"pad":"%s"}`, i, strings.Repeat("y", 3000))
		}
		d.write(t, "app.jsonl", text(now...))
		for _, i := range []uint64{499, 0, 250} {
			data, err := log.Get(i)
			require.NoError(t, err)
			require.Equal(t, now[i], string(data))
		}
		_, next, err = log.Bounds(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 500, next)
	})
}

// TestTableGrowing counts only what was appended.
func TestTableGrowing(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text(numbered(0, 20_000)...))
	log := d.open(t, "app.jsonl", Options{})
	for i := range 5 {
		_, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 20_000+i, next)
		d.append(t, "app.jsonl", text("x"))
	}
	size := uint64(len(text(numbered(0, 20_000)...)))
	require.Less(t, log.Stats().ScanBytes, size+100)
	_, err := log.Get(19_999)
	require.NoError(t, err)
	require.Less(t, log.Stats().ScanBytes, size+4*blockBytes)
}

// TestTableThins keeps the table of a very large file small, and right.
func TestTableThins(t *testing.T) {
	var table lineTable
	table.start(mark{})
	const lines = 3 * maxMarks
	for i := 1; i <= lines; i++ {
		table.add(mark{uint64(i), int64(i) * markStride}, []byte("\n"))
	}
	require.LessOrEqual(t, len(table.marks), maxMarks)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		want := rng.Uint64N(lines + 100)
		m := table.before(want)
		require.LessOrEqual(t, m.offset, want)
		require.EqualValues(t, m.offset*markStride, m.pos)
		require.Less(t, min(want, lines)-m.offset, uint64(8))
	}
}

// TestBoundsStops ends counting with the context.
func TestBoundsStops(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text(numbered(0, 1000)...))
	log := d.open(t, "app.jsonl", Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the reason")
	cancel(why)
	_, _, err := log.Bounds(ctx)
	require.Equal(t, why, err)
}

// TestNthNewline compares with counting one by one.
func TestNthNewline(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	p := make([]byte, 30_000)
	for i := range p {
		p[i] = "abc\n"[rng.IntN(4)]
	}
	n := uint64(0)
	for i, c := range p {
		if c == '\n' {
			n++
			if got := nthNewline(p, n); got != i {
				t.Fatalf("newline %d is at %d, not at %d", n, i, got)
			}
		}
	}
}

// TestIndexGrows uses a bare file's index that is extended, made or replaced
// while the log is open.
func TestIndexGrows(t *testing.T) {
	d := osDisk(t)
	all := numbered(0, 300)
	d.write(t, "app.jsonl", text(all[:100]...))
	log := d.open(t, "app.jsonl", Options{})
	f := fixture{want: all[:100]}
	check := func(hasIndex bool) {
		t.Helper()
		for _, w := range ways() {
			checkRecords(t, &f, w.name, w.read(t, log, &f))
		}
		require.Equal(t, hasIndex, log.Info().HasIndex)
	}
	check(false)
	d.write(t, "app.jsonl.index", entries(text(all[:50]...)))
	check(true)
	d.append(t, "app.jsonl.index", entries(text(all[:80]...))[8*51:])
	check(true)
	f.want = all
	d.append(t, "app.jsonl", text(all[100:]...))
	check(true)
	d.rename(t, "app.jsonl.index", entries(text(all...)))
	check(true)
	d.rename(t, "app.jsonl.index", make([]byte, 800))
	check(false)
	require.NoError(t, d.fs.Remove(d.path("app.jsonl.index")))
	check(false)
}

// TestBackwardAt: stretches are read from their ends, and no further than they reach,
// whatever lies in front; a last line without newline is one where it is complete.
func TestBackwardAt(t *testing.T) {
	d := osDisk(t)
	large := `"` + strings.Repeat("x", 99) + `"`
	d.write(t, "b.jsonl", []byte("{\"n\":0}\n"+large+"\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}"))
	var told int
	log := d.open(t, "b.jsonl", Options{MaxRecordBytes: 50, Skip: func(Damage) error { told++; return nil }})
	at := func(n int64) int64 { return 8 + 102 + 8*(n-2) }
	back := func(s Stretch) (got []int64) {
		for rec, err := range log.BackwardAt(s) {
			require.NoError(t, err)
			require.Equal(t, uint64(UnknownOffset), rec.Offset)
			got = append(got, rec.Position)
		}
		return got
	}
	require.Equal(t, []int64{at(4), at(3), at(2)}, back(Stretch{at(2), at(4) + 7}))
	require.Equal(t, []int64{at(3), at(2)}, back(Stretch{at(2), at(4)}))
	require.Empty(t, back(Stretch{at(2), at(2)}))
	require.Zero(t, told, "what lies in front was not asked for")
	require.Equal(t, []int64{at(2), 0}, back(Stretch{0, at(3)}))
	require.Equal(t, 1, told)

	parts := []Stretch{{0, 8}, {at(2), at(4) + 7}}
	for n, want := range map[uint64][]Stretch{
		0: nil, 1: {{at(4), at(4) + 7}}, 3: parts[1:], 4: parts, 9: parts,
	} {
		got, err := log.LastAt(parts, n)
		require.NoError(t, err)
		require.Equal(t, want, got, "the last %d", n)
	}
	require.Equal(t, 1, told)
}

// TestCounting: who counts lines is told how far, and when it is over; nobody counts
// what an index covers.
func TestCounting(t *testing.T) {
	d := osDisk(t)
	d.write(t, "c.jsonl", bytes.Repeat([]byte("{\"n\":1}\n"), blockBytes/4))
	var at []int64
	log := d.open(t, "c.jsonl", Options{Counting: func(position, size int64) {
		require.Equal(t, int64(2*blockBytes), size)
		at = append(at, position)
	}})
	for range 2 { // the second time it is known
		_, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.Equal(t, uint64(blockBytes/4), next)
	}
	require.Equal(t, []int64{0, blockBytes, 2 * blockBytes}, at[:3])
	require.NotContains(t, at[3:], int64(0))
}
