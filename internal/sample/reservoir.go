package sample

import (
	"math"
	"math/rand/v2"
)

// Reservoir chooses n of a sequence whose length is not known. Every set of n is
// as likely as any other. Ask it about each element in turn; most of the time it
// only counts.
type Reservoir struct {
	n    uint64
	seen uint64
	next uint64  // the number of the next element that is taken
	w    float64 // of algorithm L (Li, 1994)
	rng  *rand.Rand
}

// NewReservoir makes one for n elements, at least 1.
func NewReservoir(n, seed uint64) *Reservoir {
	return &Reservoir{n: n, w: 1, rng: random(seed)}
}

// Slot tells what becomes of the next element: it takes the place of what was
// in slot i before, of n, or is not taken.
func (r *Reservoir) Slot() (i int, taken bool) {
	at := r.seen
	r.seen++
	if at < r.n {
		if r.seen == r.n {
			r.skip(at)
		}
		return int(at), true
	}
	if at != r.next {
		return 0, false
	}
	r.skip(at)
	return int(r.rng.Uint64N(r.n)), true
}

// skip draws how many elements behind number at are not taken.
func (r *Reservoir) skip(at uint64) {
	r.w *= math.Exp(math.Log(r.open()) / float64(r.n))
	gap := math.Floor(math.Log(r.open()) / math.Log1p(-r.w))
	if !(gap < math.MaxInt64) { // nor a number, once w is too small to tell from 0
		r.next = math.MaxUint64
		return
	}
	r.next = at + 1 + uint64(gap)
}

// open is a number above 0 and below 1.
func (r *Reservoir) open() float64 {
	for {
		if u := r.rng.Float64(); u > 0 {
			return u
		}
	}
}

// Seen is how many elements there were.
func (r *Reservoir) Seen() uint64 { return r.seen }
