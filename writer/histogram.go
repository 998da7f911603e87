package writer

import (
	"encoding/json"
	"math/bits"
	"slices"
)

// Histogram counts values in buckets that double in width, so that it has a
// fixed size, costs a few additions a value and is right about any quantile to
// within a factor of two. Two of them are added with Add. It is a plain value:
// whoever shares one guards it.
//
// As JSON it is {"count","sum","max","buckets"}; empty buckets at the end are
// left out.
type Histogram struct {
	Count   uint64  `json:"count"`
	Sum     uint64  `json:"sum"` // of all values, so that Sum/Count is exact
	Max     uint64  `json:"max"`
	Buckets Buckets `json:"buckets"`
}

// Buckets are the counts of a [Histogram]: bucket 0 counts zeros, bucket i the
// values v with 2^(i-1) ≤ v < 2^i, and the last one also all that are larger.
type Buckets [64]uint64

// MarshalJSON implements [json.Marshaler].
func (b Buckets) MarshalJSON() ([]byte, error) {
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return json.Marshal(b[:n])
}

// Observe counts one value.
func (h *Histogram) Observe(v uint64) {
	h.Count++
	h.Sum += v
	h.Max = max(h.Max, v)
	h.Buckets[min(uint(bits.Len64(v)), uint(len(h.Buckets)-1))]++
}

// Add counts the values of another histogram.
func (h *Histogram) Add(other Histogram) {
	h.Count += other.Count
	h.Sum += other.Sum
	h.Max = max(h.Max, other.Max)
	for i, n := range other.Buckets {
		h.Buckets[i] += n
	}
}

// Mean is the exact mean of the values; 0 where there are none.
func (h Histogram) Mean() float64 {
	if h.Count == 0 {
		return 0
	}
	return float64(h.Sum) / float64(h.Count)
}

// Quantile returns a value that a fraction q of the values, 0 ≤ q ≤ 1, do not
// exceed: the upper end of the bucket in which the true one lies, so never less
// than that, less than twice as much, and at most Max. It is 0 where there are
// no values.
func (h Histogram) Quantile(q float64) uint64 {
	rank := uint64(q * float64(h.Count))
	below := uint64(0)
	i := slices.IndexFunc(h.Buckets[:], func(n uint64) bool {
		below += n
		return below > rank
	})
	if i < 0 || i == len(h.Buckets)-1 {
		return h.Max
	}
	return min(h.Max, uint64(1)<<i-1)
}
