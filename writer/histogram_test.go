package writer

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func histogramOf(values ...uint64) (h Histogram) {
	for _, v := range values {
		h.Observe(v)
	}
	return h
}

func TestHistogramOfNothing(t *testing.T) {
	var h Histogram
	require.Zero(t, h.Mean())
	require.Zero(t, h.Quantile(0.5))
	require.Zero(t, h.Quantile(1))
}

func TestHistogramEdges(t *testing.T) {
	h := histogramOf(0, 1, 2, 3, 4, math.MaxUint64)
	require.Equal(t, Buckets{0: 1, 1: 1, 2: 2, 3: 1, 63: 1}, h.Buckets)
	require.Equal(t, uint64(math.MaxUint64), h.Max)
	require.Equal(t, uint64(math.MaxUint64), h.Quantile(1))
	require.Equal(t, uint64(0), h.Quantile(0))
	require.Equal(t, uint64(6), h.Count)
}

func TestHistogramIsExactWhereAllAreOne(t *testing.T) {
	h := histogramOf(100, 100, 100)
	require.Equal(t, uint64(100), h.Quantile(0.5))
	require.Equal(t, uint64(100), h.Quantile(0.99))
	require.InDelta(t, 100, h.Mean(), 0)
}

// A quantile is never below the true one and less than twice as much, and
// histograms add up as their values do.
func TestHistogramAgainstSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all Histogram
	var values []uint64
	for range 20 {
		var part Histogram
		for range 1 + r.IntN(200) {
			v := r.Uint64() >> r.IntN(64)
			part.Observe(v / 2) // below 2^63: the last bucket is open
			values = append(values, v/2)
		}
		all.Add(part)
	}
	slices.Sort(values)
	require.Equal(t, histogramOf(values...), all)
	for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
		want := values[min(int(q*float64(len(values))), len(values)-1)]
		got := all.Quantile(q)
		require.GreaterOrEqual(t, got, want, "q %v", q)
		require.LessOrEqual(t, got/2, want, "q %v", q)
	}
}

func TestHistogramAsJSON(t *testing.T) {
	h := histogramOf(0, 3, 3, 9)
	text, err := json.Marshal(h)
	require.NoError(t, err)
	require.Equal(t, `{"count":4,"sum":15,"max":9,"buckets":[1,0,2,0,1]}`, string(text))
	var back Histogram
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, h, back)
	text, err = json.Marshal(Histogram{})
	require.NoError(t, err)
	require.Equal(t, `{"count":0,"sum":0,"max":0,"buckets":[]}`, string(text))
}
