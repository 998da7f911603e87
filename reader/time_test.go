package reader

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
