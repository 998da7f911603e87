package reader

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWays reads every fixture in every way: all give the same records.
func TestWays(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				name := f.build(t, d)
				for _, w := range ways() {
					t.Run(w.name, func(t *testing.T) {
						log := d.open(t, name, Options{})
						checkRecords(t, &f, w.name, w.read(t, log, &f))
						// Once more: tables and mappings are warm now.
						checkRecords(t, &f, w.name, w.read(t, log, &f))
						require.NoError(t, log.Close())
					})
				}
			})
		})
	}
}

// checkRecords compares what was read with what the log holds. Positions
// follow from the lengths, within a segment.
func checkRecords(t testing.TB, f *fixture, way string, got []kept) {
	t.Helper()
	want := f.want
	if way == "follow" && f.open {
		want = want[:len(want)-1]
	}
	require.Len(t, got, len(want))
	for i, k := range got {
		if k.data != want[i] {
			t.Fatalf("record %d: got %.60q, want %.60q", i, k.data, want[i])
		}
		if want := f.start + uint64(i); k.offset != want {
			t.Fatalf("record %d has offset %d", want, k.offset)
		}
		if i == 0 || k.position <= 0 || got[i-1].position < 0 {
			continue
		}
		if want := got[i-1].position + int64(len(got[i-1].data)) + 1; k.position != want {
			t.Fatalf("record %d is said to be at %d, not %d", k.offset, k.position, want)
		}
	}
}

// TestWaysBounds asks every fixture for its bounds.
func TestWaysBounds(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				log := d.open(t, f.build(t, d), Options{})
				for range 2 {
					start, next, err := log.Bounds(t.Context())
					require.NoError(t, err)
					require.Equal(t, fmt.Sprint(f.start, f.next()), fmt.Sprint(start, next))
				}
				lines, size, err := log.Behind()
				require.NoError(t, err)
				require.Zero(t, lines)
				require.Zero(t, size)
			})
		})
	}
}

// TestWaysWhole reads without a last line that has no newline.
func TestWaysWhole(t *testing.T) {
	for _, f := range fixtures() {
		if !f.open {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			d := osDisk(t)
			name := f.build(t, d)
			f.want, f.open = f.want[:len(f.want)-1], false
			for _, w := range ways() {
				t.Run(w.name, func(t *testing.T) {
					log := d.open(t, name, Options{WholeLines: true})
					checkRecords(t, &f, w.name, w.read(t, log, &f))
				})
			}
			log := d.open(t, name, Options{WholeLines: true})
			_, next, err := log.Bounds(t.Context())
			require.NoError(t, err)
			require.Equal(t, f.next(), next)
		})
	}
}

// TestWaysRetain reads into memory that is never used again.
func TestWaysRetain(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			d := osDisk(t)
			log := d.open(t, f.build(t, d), Options{Retain: true})
			var data [][]byte
			for rec, err := range log.Records(f.start) {
				keep(t, rec, err)
				data = append(data, rec.Data)
			}
			require.Len(t, data, len(f.want))
			for i := range data {
				if string(data[i]) != f.want[i] {
					t.Fatalf("record %d: got %.60q, want %.60q", i, data[i], f.want[i])
				}
			}
		})
	}
}

// TestRangeClamps asks for ranges that are not wholly there.
func TestRangeClamps(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			d := osDisk(t)
			log := d.open(t, f.build(t, d), Options{})
			n := len(f.want)
			for _, c := range []struct{ from, to, first, last int }{
				{-1 << 30, 1 << 30, 0, n},
				{n, n + 5, n, n},
				{n + 1, n + 5, n, n},
				{n - 1, n + 5, n - 1, n},
				{2, 1, 2, 2},
				{0, 0, 0, 0},
				{n / 2, n/2 + 1, n / 2, n/2 + 1},
			} {
				first := min(max(c.first, 0), n)
				last := max(first, min(c.last, n))
				from := uint64(max(0, int64(f.start)+int64(c.from)))
				to := uint64(max(0, int64(f.start)+int64(c.to)))
				got := collect(t, log.Range(from, to))
				require.Len(t, got, last-first, "%d:%d", c.from, c.to)
				for i, k := range got {
					if k.data != f.want[first+i] {
						t.Fatalf("%d:%d: record %d: got %.60q", c.from, c.to, i, k.data)
					}
				}
				blocks := linesOf(t, log.Blocks(from, to))
				pieces := 0
				for piece := range log.Pieces(t.Context(), from, to) {
					pieces += len(linesOf(t, piece))
				}
				require.Equal(t, len(got), pieces, "%d:%d", c.from, c.to)
				require.Len(t, blocks, len(got), "%d:%d", c.from, c.to)
				for i := range got {
					require.Equal(t, got[i].offset, blocks[i].offset)
					require.Equal(t, got[i].data, blocks[i].data)
				}
			}
		})
	}
}

// TestNotThere asks for offsets that are not there.
func TestNotThere(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				log := d.open(t, f.build(t, d), Options{})
				require.Empty(t, collect(t, log.Records(f.next())))
				missing := []uint64{f.next(), f.next() + 1, f.next() + 1_000_000, UnknownOffset, UnknownOffset - 1}
				if f.start > 0 {
					missing = append(missing, 0, f.start-1)
				}
				for _, offset := range missing {
					_, err := log.Get(offset)
					requireRange(t, err, offset, f.start, f.next())
					if offset == f.next() {
						continue // is where a reader that has read all stands
					}
					for rec, err := range log.Records(offset) {
						require.Zero(t, rec)
						requireRange(t, err, offset, f.start, f.next())
					}
					_, err = log.Reader(offset).Next()
					requireRange(t, err, offset, f.start, f.next())
				}
			})
		})
	}
}
