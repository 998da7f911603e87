package reader

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// orderOf finds by comparing each record with all before it.
func orderOf(times []time.Time) (o Order) {
	var latest time.Time
	for i, t := range times {
		o.Records++
		if t.IsZero() {
			o.Timeless++
			continue
		}
		if o.First.IsZero() || t.Before(o.First) {
			o.First = t
		}
		if latest.IsZero() || !t.Before(latest) {
			latest, o.Last = t, t
			continue
		}
		o.Late++
		first := 0
		for times[first].IsZero() || !times[first].After(t) {
			first++
		}
		late := LateRecord{uint64(i), t, latest, uint64(i - first)}
		o.MostRecords = max(o.MostRecords, late.Behind)
		o.MostTime = max(o.MostTime, latest.Sub(t))
		if len(o.Places) < lateShown {
			o.Places = append(o.Places, late)
		}
	}
	return o
}

func TestCheckOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, f := range map[string]func(i int) (int, bool){
		"in order":  func(int) (int, bool) { return 0, true },
		"all equal": func(i int) (int, bool) { return -i, true },
		"shuffled":  func(int) (int, bool) { return rng.IntN(40), rng.IntN(3) > 0 },
		"reversed":  func(i int) (int, bool) { return -2 * i, true },
		"a few":     func(i int) (int, bool) { return -(i % 199 / 198) * rng.IntN(300), true },
	} {
		t.Run(name, func(t *testing.T) {
			records, times := stampedRecords(2000, f)
			d := osDisk(t)
			d.write(t, "app.jsonl", text(records...))
			told := uint64(0)
			got, err := d.open(t, "app.jsonl", Options{}).CheckOrder(t.Context(), "", func(_, total uint64) { told = total })
			require.NoError(t, err)
			require.Equal(t, orderOf(times), got)
			require.Equal(t, uint64(2000), told)
		})
	}
}

// Of what was forgotten, a late record is told as later than it is, not as less.
func TestCheckOrderForgets(t *testing.T) {
	var o orderChecker
	n := 3 * maxPeaks
	for i := range n {
		o.take(stamp{uint64(i), epoch.Add(time.Duration(i) * time.Second)})
	}
	require.LessOrEqual(t, len(o.peaks), maxPeaks)
	for _, at := range []int{0, 1, 2, 1000, 1001, n / 2, n/2 + 1, n - 5, n - 2} {
		real := uint64(n - at - 1)
		got := o.behind(stamp{uint64(n), epoch.Add(time.Duration(at) * time.Second)})
		require.GreaterOrEqual(t, got, real, at)
		require.LessOrEqual(t, got, real+real/100+8, at)
	}
}

func TestCheckOrderErrors(t *testing.T) {
	d := osDisk(t)
	d.write(t, "none.jsonl", text(`{"n":1}`, `{"n":2}`))
	d.write(t, "empty.jsonl", nil)
	_, err := d.open(t, "none.jsonl", Options{}).CheckOrder(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNoTime)
	o, err := d.open(t, "empty.jsonl", Options{}).CheckOrder(t.Context(), "", nil)
	require.NoError(t, err)
	require.Zero(t, o.Records)
}
