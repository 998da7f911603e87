package reader

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
			for range 12 {
				for _, r := range []TimeRange{{Since: second()}, {Until: second()}, {Since: second(), Until: second()}, {}} {
					r.Slack, r.SlackTime = c.slack, c.slackTime
					if !r.Until.IsZero() && r.Until.Before(r.Since) {
						r.Since, r.Until = r.Until, r.Since
					}
					got, err := log.Between(t.Context(), &r)
					require.NoError(t, err)
					require.Equal(t, inTimes(times, &r), flat(got), "%s to %s", r.Since, r.Until)
				}
			}
		})
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
}
