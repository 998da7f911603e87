package sample

import (
	"fmt"
	"math"
	"strconv"
)

// Share takes each offset with the same probability, and independently of the
// others. Whether it takes one depends on the seed and that offset alone: a log
// that grew, or a part of it, gives the same records again.
type Share struct {
	seed  uint64
	below uint64 // hashes below it are taken
	all   bool
}

// NewShare makes a Share that takes each with probability p, which is from 0 to 1.
func NewShare(p float64, seed uint64) Share {
	return Share{seed: mix(seed), below: uint64(math.Ldexp(min(p, 1-1e-16), 64)), all: p >= 1}
}

// Takes reports whether an offset is taken.
func (s Share) Takes(offset uint64) bool {
	return s.all || mix(offset^s.seed) < s.below
}

// mix is the last step of SplitMix64: each bit of its result depends on all of x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ParseProbability reads 0.01, 1% or 1e-3.
func ParseProbability(text string) (float64, error) {
	digits, scale := text, 1.0
	if n := len(text) - 1; n > 0 && text[n] == '%' {
		digits, scale = text[:n], 100
	}
	p, err := strconv.ParseFloat(digits, 64)
	if p /= scale; err != nil || !(p > 0 && p <= 1) {
		return 0, fmt.Errorf("%q is no share of the records, such as 0.01 or 1%%: want more than 0, at most 1", text)
	}
	return p, nil
}
