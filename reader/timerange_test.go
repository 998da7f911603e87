package reader

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
)

// inTimes are the offsets of the records that are wanted, found by looking at
// all of them.
func inTimes(times []time.Time, r *TimeRange) (offsets []uint64) {
	in := r.Since.IsZero()
	for i, t := range times {
		if !t.IsZero() {
			in = r.Holds(t)
		}
		if in {
			offsets = append(offsets, uint64(i))
		}
	}
	return offsets
}

func flat(spans []Span) (offsets []uint64) {
	for _, s := range spans {
		for i := s.From; i < s.To; i++ {
			offsets = append(offsets, i)
		}
	}
	return offsets
}

// TestBetween finds exactly what is wanted, by comparison with looking at every
// record, as long as none is later than was said.
func TestBetween(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name      string
		n         int
		slack     uint64
		slackTime time.Duration
		f         func(i int) (int, bool)
	}{
		{"in order", 5000, 0, 0, func(int) (int, bool) { return 0, true }},
		{"one", 1, 0, 0, func(int) (int, bool) { return 0, true }},
		{"all equal", 3000, 0, 0, func(i int) (int, bool) { return -i, true }},
		{"reversed blocks", 1025 * 8, 0, 0, func(i int) (int, bool) { return 1024 - 2*(i%1025), true }},
		{"shuffled", 8000, 500, 0, func(int) (int, bool) { return rng.IntN(500), true }},
		{"shuffled, by time", 8000, 0, 500 * time.Second, func(int) (int, bool) { return rng.IntN(500), true }},
		{"late ones", 8000, 3000, 0, func(i int) (int, bool) { return -(i / 7919) * 2900, true }},
		{"late ones, by time", 8000, 0, 2900 * time.Second, func(i int) (int, bool) { return -(i % 17 / 16) * 2900, true }},
		{"some without", 6000, 50, 0, func(i int) (int, bool) { return rng.IntN(50), i%10 > 2 }},
		{"none at the ends", 9000, 0, time.Minute, func(i int) (int, bool) { return 0, i > 3000 && i < 6000 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, times := stampedRecords(c.n, c.f)
			d := osDisk(t)
			d.write(t, "app.jsonl", text(records...))
			log := d.open(t, "app.jsonl", Options{})
			second := func() time.Time { return epoch.Add(time.Duration(rng.IntN(c.n+200)-100) * time.Second) }
			for range 5 {
				for _, r := range []TimeRange{{Since: second()}, {Until: second()}, {Since: second(), Until: second()}, {}} {
					r.Slack, r.SlackTime = c.slack, c.slackTime
					if !r.Until.IsZero() && r.Until.Before(r.Since) {
						r.Since, r.Until = r.Until, r.Since
					}
					got, err := log.Between(t.Context(), &r)
					require.NoError(t, err)
					want := inTimes(times, &r)
					require.Equal(t, want, flat(got), "%s to %s", r.Since, r.Until)
					if !r.Since.IsZero() || !r.Until.IsZero() {
						parts, err := log.BetweenPositions(t.Context(), &r)
						require.NoError(t, err)
						requireLines(t, log, records, want, parts)
					}
				}
			}
		})
	}
}

// requireLines reads parts of a file, in all ways, and wants the records there.
func requireLines(t *testing.T, log *Log, records []string, want []uint64, parts []Stretch) {
	t.Helper()
	var lines, blocks, pieces []string
	for _, s := range parts {
		for rec, err := range log.RecordsAt(s) {
			require.NoError(t, err)
			require.Equal(t, uint64(UnknownOffset), rec.Offset)
			lines = append(lines, string(rec.Data))
		}
		for b, err := range log.BlocksAt(s) {
			require.NoError(t, err)
			blocks = append(blocks, string(b.Data))
		}
		for piece := range log.PiecesAt(s) {
			for b, err := range piece {
				require.NoError(t, err)
				pieces = append(pieces, string(b.Data))
			}
		}
	}
	var expected []string
	for _, offset := range want {
		expected = append(expected, records[offset])
	}
	require.Equal(t, expected, lines)
	require.Equal(t, string(text(expected...)), strings.Join(blocks, ""))
	require.Equal(t, string(text(expected...)), strings.Join(pieces, ""))
}

// Logs in order, of lines of any length, with stretches of any length without times.
func TestBetweenRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 6 {
		var records []string
		var times []time.Time
		second := 0
		for len(records) < 1500 {
			size := rng.IntN(200)
			if rng.IntN(50) == 0 {
				size = rng.IntN(90 << 10)
			}
			pad := strings.Repeat("x", size)
			for range 1 + rng.IntN(1+rng.IntN(20))*rng.IntN(2)*rng.IntN(40) {
				records, times = append(records, fmt.Sprintf(`{"pad":%q}`, pad[:min(size, 100)])), append(times, time.Time{})
			}
			second += rng.IntN(3)
			at := epoch.Add(time.Duration(second) * time.Second)
			records, times = append(records, fmt.Sprintf(`{"pad":%q,"time":%d}`, pad, at.UnixMilli())), append(times, at)
		}
		d := osDisk(t)
		d.write(t, "app.jsonl", text(records...))
		log := d.open(t, "app.jsonl", Options{})
		for range 6 {
			from := rng.IntN(second+4) - 2
			r := TimeRange{Since: epoch.Add(time.Duration(from) * time.Second), Until: epoch.Add(time.Duration(from+rng.IntN(second)) * time.Second), Slack: 1}
			if rng.IntN(3) == 0 {
				r.Slack, r.SlackTime = 0, time.Second
			}
			want := inTimes(times, &r)
			got, err := log.Between(t.Context(), &r)
			require.NoError(t, err)
			require.Equal(t, want, flat(got), "round %d, %s to %s", round, r.Since, r.Until)
			parts, err := log.BetweenPositions(t.Context(), &r)
			require.NoError(t, err)
			requireLines(t, log, records, want, parts)
		}
	}
}

// A file without index is halved by its bytes, and no line is counted.
func TestBetweenPositionsCost(t *testing.T) {
	records, times := stampedRecords(40_000, func(int) (int, bool) { return 0, true })
	for i := range records {
		records[i] = fmt.Sprintf(`{"pad":%q,%s`, strings.Repeat("x", 1000), records[i][1:])
	}
	d := osDisk(t)
	d.write(t, "app.jsonl", text(records...))
	log := d.open(t, "app.jsonl", Options{})
	r := &TimeRange{Slack: 100, Since: epoch.Add(10_000 * time.Second), Until: epoch.Add(10_010 * time.Second)}
	got, err := log.BetweenPositions(t.Context(), r)
	require.NoError(t, err)
	requireLines(t, log, records, inTimes(times, r), got)
	s := log.Stats()
	require.Less(t, s.Bytes+s.ScanBytes, uint64(len(text(records...))/3))
}

// The last line may lack its newline, and lines may be longer than any block.
func TestBetweenPositionsLines(t *testing.T) {
	d := osDisk(t)
	long := strings.Repeat("x", 3*blockBytes)
	records := []string{`{"ts":1}`, `{"ts":2,"x":"` + long + `"}`, `{"ts":3,"x":"` + long + `"}`, ``, `{"ts":4}`}
	d.write(t, "app.jsonl", []byte(strings.Join(records, "\n")))
	log := d.open(t, "app.jsonl", Options{})
	for since := range 6 {
		r := &TimeRange{Since: time.Unix(int64(since), 0)}
		parts, err := log.BetweenPositions(t.Context(), r)
		require.NoError(t, err)
		n := 0
		for _, s := range parts {
			for rec, err := range log.RecordsAt(s) {
				require.NoError(t, err)
				if n++; len(rec.Data) > 0 {
					at, _ := jsonl.Time(rec.Data, "")
					require.True(t, r.Holds(at))
				}
			}
		}
		require.Equal(t, []int{5, 5, 4, 3, 1, 0}[since], n, since)
	}
}

// In a log whose times ascend there is one span, and little is read to find it.
func TestBetweenCost(t *testing.T) {
	records, _ := stampedRecords(200_000, func(int) (int, bool) { return 0, true })
	d := osDisk(t)
	d.pair(t, 0, text(records...))
	log := d.open(t, "", Options{})
	got, err := log.Between(t.Context(), &TimeRange{Since: epoch.Add(100_000 * time.Second), Until: epoch.Add(150_000 * time.Second)})
	require.NoError(t, err)
	require.Equal(t, []Span{{100_000, 150_000}}, got)
	require.Less(t, log.Stats().Bytes, uint64(len(text(records...))/5))
}

// What is wrong is said as OffsetAt says it.
func TestBetweenErrors(t *testing.T) {
	d := osDisk(t)
	d.write(t, "none.jsonl", text(`{"n":1}`, `{"n":2}`))
	d.write(t, "empty.jsonl", nil)
	_, err := d.open(t, "none.jsonl", Options{}).Between(t.Context(), &TimeRange{Since: epoch})
	require.ErrorIs(t, err, ErrNoTime)
	_, err = d.open(t, "none.jsonl", Options{}).Between(t.Context(), &TimeRange{Since: epoch, Field: "n"})
	require.NoError(t, err)
	got, err := d.open(t, "empty.jsonl", Options{}).Between(t.Context(), &TimeRange{Since: epoch})
	require.NoError(t, err)
	require.Empty(t, got)
	for _, r := range []TimeRange{{Since: epoch}, {Until: epoch}} {
		_, err = d.open(t, "none.jsonl", Options{}).BetweenPositions(t.Context(), &r)
		require.ErrorIs(t, err, ErrNoTime)
		parts, err := d.open(t, "empty.jsonl", Options{}).BetweenPositions(t.Context(), &r)
		require.NoError(t, err)
		require.Empty(t, parts)
	}
}
