package reader

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

var epoch = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)

// stamped makes n records, one a second; each that f returns 0 for has no
// time, the others are that many seconds away from their place.
func stampedRecords(n int, f func(i int) (shift int, ok bool)) ([]string, []time.Time) {
	records, times := make([]string, n), make([]time.Time, n)
	for i := range records {
		shift, ok := f(i)
		if !ok {
			records[i] = fmt.Sprintf(`{"n":%d}`, i)
			continue
		}
		times[i] = epoch.Add(time.Duration(i+shift) * time.Second)
		records[i] = fmt.Sprintf(`{"n":%d,"ts":%q}`, i, times[i].Format(time.RFC3339))
	}
	return records, times
}

// TestOffsetAt finds times in logs of several kinds, by comparison with looking
// at every record.
func TestOffsetAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	// Blocks of 1,025 records in reverse: none is more than 1,024 places
	// from where it belongs.
	reversed := func(i int) (int, bool) { return 1024 - 2*(i%1025), true }
	for _, c := range []struct {
		name string
		n    int
		f    func(i int) (int, bool)
	}{
		{"in order", 5000, func(int) (int, bool) { return 0, true }},
		{"one", 1, func(int) (int, bool) { return 0, true }},
		{"all equal", 3000, func(i int) (int, bool) { return -i, true }},
		{"steps", 5000, func(i int) (int, bool) { return -(i % 700), true }},
		{"reversed blocks", 1025 * 8, reversed},
		{"shuffled", 8000, func(int) (int, bool) { return rng.IntN(500), true }},
		{"one in ten has a time", 5000, func(i int) (int, bool) { return 0, i%10 == 3 }},
		{"one in 700 has a time", 8000, func(i int) (int, bool) { return 0, i%700 == 3 }},
		{"none in the middle", 9000, func(i int) (int, bool) { return 0, i < 1000 || i > 8000 }},
		{"none at the ends", 9000, func(i int) (int, bool) { return 0, i > 3000 && i < 6000 }},
	} {
		for _, name := range []string{"", "app.jsonl"} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				records, times := stampedRecords(c.n, c.f)
				d := osDisk(t)
				d.pair(t, 0, text(records[:c.n/2]...))
				d.pair(t, uint64(c.n/2), text(records[c.n/2:]...))
				if c.n == 1 {
					d.pair(t, 0, text(records...))
				}
				d.write(t, "app.jsonl", text(records...))
				log := d.open(t, name, Options{})
				for _, s := range []int{-5, 0, 1, c.n / 3, c.n / 2, c.n - 1, c.n, c.n + 9999, rng.IntN(c.n), rng.IntN(c.n)} {
					at := epoch.Add(time.Duration(s) * time.Second)
					got, err := log.OffsetAt(t.Context(), at, "")
					require.NoError(t, err)
					require.Equal(t, firstAt(times, at), got, "second %d", s)
				}
			})
		}
	}
}

func firstAt(times []time.Time, at time.Time) uint64 {
	for i, t := range times {
		if !t.IsZero() && !t.Before(at) {
			return uint64(i)
		}
	}
	return uint64(len(times))
}

// TestOffsetAtProbes reads a small part of a large log.
func TestOffsetAtProbes(t *testing.T) {
	records, _ := stampedRecords(200_000, func(int) (int, bool) { return 0, true })
	d := osDisk(t)
	d.pair(t, 0, text(records...))
	log := d.open(t, "", Options{})
	got, err := log.OffsetAt(t.Context(), epoch.Add(123_456*time.Second), "ts")
	require.NoError(t, err)
	require.EqualValues(t, 123_456, got)
	require.Less(t, log.Stats().Bytes, uint64(len(text(records...))/8))
}

// TestOffsetAtField asks for a field by name, and for one that is not there.
func TestOffsetAtField(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text(`{"ts":1000,"my":{"at":1}}`, `{"ts":2000,"created":"2024-01-01"}`, `{"created":"2024-01-02"}`))
	log := d.open(t, "", Options{})
	got, err := log.OffsetAt(t.Context(), time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC), "created")
	require.NoError(t, err)
	require.EqualValues(t, 2, got)
	_, err = log.OffsetAt(t.Context(), epoch, "creatde")
	require.ErrorIs(t, err, ErrNoTime)
	require.ErrorContains(t, err, `"creatde"`)

	d.write(t, "none.jsonl", text(numbered(0, 100_000)...))
	none := d.open(t, "none.jsonl", Options{})
	_, err = none.OffsetAt(t.Context(), epoch, "")
	require.ErrorIs(t, err, ErrNoTime)
	require.ErrorContains(t, err, strings.Join(timeFields, ", "))
	require.Less(t, none.Stats().Bytes, uint64(4<<20))

	d.write(t, "empty.jsonl", nil)
	got, err = d.open(t, "empty.jsonl", Options{}).OffsetAt(t.Context(), epoch, "")
	require.NoError(t, err)
	require.Zero(t, got)
}

// TestOffsetAtErrors passes on what stops the search.
func TestOffsetAtErrors(t *testing.T) {
	records, _ := stampedRecords(1000, func(int) (int, bool) { return 0, true })
	d := osDisk(t)
	d.write(t, recordsName, text(records...))
	d.write(t, indexName, setEntry(entries(text(records...)), 501, 3))
	log := d.open(t, "", Options{})
	_, err := log.OffsetAt(t.Context(), epoch.Add(500*time.Second), "")
	require.ErrorIs(t, err, segment.ErrIndexMismatch)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = log.OffsetAt(ctx, epoch, "")
	require.ErrorIs(t, err, context.Canceled)
}

// TestOffsetAtDamage finds times behind a hole where damage is skipped, and
// tells nobody; where it is not, the damage is the error.
func TestOffsetAtDamage(t *testing.T) {
	records, times := stampedRecords(5000, func(int) (int, bool) { return 0, true })
	recs := text(records...)
	from, to := len(text(records[:1000]...)), len(text(records[:4000]...))
	clear(recs[from : to-1])
	d := osDisk(t)
	d.write(t, recordsName, recs)
	d.write(t, indexName, entries(text(records...)))
	told := 0
	skipping := d.open(t, "", Options{Skip: func(Damage) error { told++; return nil }})
	for _, offset := range []uint64{0, 500, 999, 4000, 4500, 4999} {
		at, err := skipping.OffsetAt(t.Context(), times[offset], "")
		require.NoError(t, err)
		require.Equal(t, offset, at)
	}
	at, err := skipping.OffsetAt(t.Context(), times[2000], "")
	require.NoError(t, err)
	require.Equal(t, uint64(4000), at)
	require.Zero(t, told)
	_, err = d.open(t, "", Options{}).OffsetAt(t.Context(), times[2000], "")
	require.ErrorIs(t, err, jsonl.ErrNUL)
}

// stampedSegments writes n records with a time, one a second, in segments that
// begin with those bases.
func stampedSegments(t testing.TB, d disk, n int, bases ...int) {
	t.Helper()
	records, _ := stampedRecords(n, func(int) (int, bool) { return 0, true })
	for i, base := range bases {
		end := n
		if i+1 < len(bases) {
			end = bases[i+1]
		}
		d.pair(t, uint64(base), text(records[base:end]...))
	}
}

// TestOffsetAtSegments finds each time next to a joint of many segments, and
// counts what it reads: one record for each probe, and those before what the
// probes found, over all segments together.
func TestOffsetAtSegments(t *testing.T) {
	const n, each = 100_000, 1000
	d := osDisk(t)
	stampedSegments(t, d, n, multiples(each, n/each)...)
	line := uint64(len(text(`{"n":99999,"ts":"2024-05-01T00:00:00Z"}`)))
	log := d.open(t, "", Options{})
	for at := 0; at <= n; at += each {
		for _, want := range []int{at - 1, at, at + 1} {
			if want < 0 || want > n {
				continue
			}
			before := log.Stats()
			got, err := log.OffsetAt(t.Context(), epoch.Add(time.Duration(want)*time.Second), "")
			require.NoError(t, err)
			require.EqualValues(t, want, got)
			after := log.Stats()
			read := (after.Bytes - before.Bytes) / line
			// 17 halvings find one in 100,000; the first block says that there are times.
			require.LessOrEqual(t, read, uint64(17+neighbours+maxLate+1), "second %d", want)
			require.LessOrEqual(t, after.Blocks-before.Blocks, uint64(17+1+1+4), "second %d", want)
		}
	}
}

// multiples are the first n multiples of each.
func multiples(each, n int) []int {
	bases := make([]int, n)
	for i := range bases {
		bases[i] = i * each
	}
	return bases
}

// TestOffsetAtAway: a search says that a segment is away only where what it looks
// for may lie in that, or may have been displaced into it.
func TestOffsetAtAway(t *testing.T) {
	const n, each = 50_000, 5000
	for _, away := range [][]int{{0}, {25_000}, {0, 5000, 10_000, 25_000, 30_000}, {20_000, 30_000}, {40_000}} {
		t.Run(fmt.Sprint(away), func(t *testing.T) {
			d := osDisk(t)
			stampedSegments(t, d, n, multiples(each, n/each)...)
			d.write(t, segment.MetaName, meta(0, n-each))
			gone := map[int]bool{}
			for _, base := range away {
				pair := segment.PairAt(d.dir, uint64(base))
				require.NoError(t, d.fs.Remove(pair.Records))
				require.NoError(t, d.fs.Remove(pair.Index))
				gone[base] = true
			}
			log := d.open(t, "", Options{})
			for at := 0; at <= n; at += 500 {
				got, err := log.OffsetAt(t.Context(), epoch.Add(time.Duration(at)*time.Second), "")
				// The records from at-2048 on are looked at, and where a segment
				// begins with the time, the one before must be known to be earlier.
				needed := gone[at/each*each] || gone[max(0, at-maxLate)/each*each]
				if needed {
					e, ok := errors.AsType[*segment.SegmentAwayError](err)
					require.True(t, ok, "second %d: %d %v", at, got, err)
					require.True(t, gone[int(e.Base)], "%v", err)
					continue
				}
				require.NoError(t, err, "second %d", at)
				require.EqualValues(t, at, got)
			}
		})
	}
}
