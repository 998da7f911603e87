// Package sample chooses offsets at random, uniformly, without looking at
// records: n distinct ones of a range, or each with the same probability; and n
// of a sequence whose length is not known, in one pass over it.
//
// The same seed chooses the same offsets of the same range, on every machine and
// in every version: tests hold the numbers.
package sample

import (
	"iter"
	"math/rand/v2"
	"slices"
)

const (
	// dense is the share of a range, one in so many, from which on each offset of
	// it is looked at: then that costs less than to draw, sort and draw again.
	dense = 4
	// mostDrawn bounds what is held in memory: of more, too, each offset is
	// looked at.
	mostDrawn = 16 << 20
)

// Distinct yields n distinct offsets of [from, to) in increasing order, or all
// of them where there are fewer. Every set of n is as likely as any other. The
// time it takes depends on n only, unless that is very large; it holds up to 8
// bytes for each offset, and never more than 128 MiB.
func Distinct(from, to, n, seed uint64) iter.Seq[uint64] {
	if to <= from {
		return func(func(uint64) bool) {}
	}
	size := to - from
	n = min(n, size)
	if n >= size/dense || n > mostDrawn {
		return walk(from, size, n, seed)
	}
	return func(yield func(uint64) bool) {
		for _, offset := range draw(random(seed), from, size, n) {
			if !yield(offset) {
				return
			}
		}
	}
}

// draw draws until there are n different ones. What was drawn before is drawn
// once more each time, which is the same as to refuse each that is there already.
func draw(rng *rand.Rand, from, size, n uint64) []uint64 {
	chosen := make([]uint64, 0, n)
	for uint64(len(chosen)) < n {
		for range n - uint64(len(chosen)) {
			chosen = append(chosen, from+rng.Uint64N(size))
		}
		slices.Sort(chosen)
		chosen = slices.Compact(chosen)
	}
	return chosen
}

// walk goes over size offsets and takes each with the probability that leaves
// n of them in the end.
func walk(from, size, n, seed uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		rng := random(seed)
		for at, left := uint64(0), n; left > 0; at++ {
			if rng.Uint64N(size-at) >= left {
				continue
			}
			if left--; !yield(from + at) {
				return
			}
		}
	}
}

// Shuffle puts offsets in a random order.
func Shuffle[T any](chosen []T, seed uint64) {
	rng := random(seed ^ shuffled)
	rng.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
}

// shuffled sets the numbers of Shuffle apart from those that chose.
const shuffled = 0x9e3779b97f4a7c15

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
