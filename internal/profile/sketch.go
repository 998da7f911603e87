package profile

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// sketchSize is how many hashes tell how many different values there are: up to
// as many exactly, beyond with a deviation of one in the square root of it, 6 %.
const sketchSize = 256

// sketch holds the smallest hashes of values, in order. Where the largest of
// them lies in the range of all hashes tells how many there are (Bar-Yossef et
// al., 2002). It depends neither on the order of values nor on how often they come.
type sketch struct {
	least []uint64
}

func (s *sketch) reset() { s.least = s.least[:0] }

func (s *sketch) add(h uint64) {
	full := len(s.least) == sketchSize
	if full && h >= s.least[sketchSize-1] {
		return
	}
	i, found := slices.BinarySearch(s.least, h)
	if found {
		return
	}
	if full {
		s.least = s.least[:sketchSize-1]
	}
	s.least = slices.Insert(s.least, i, h)
}

func (s *sketch) merge(t *sketch) {
	for _, h := range t.least {
		s.add(h)
	}
}

// count is how many different values there were, about where exact is false.
func (s *sketch) count() (n uint64, exact bool) {
	if len(s.least) < sketchSize {
		return uint64(len(s.least)), true
	}
	share := (float64(s.least[sketchSize-1]) + 1) / math.MaxUint64
	return uint64(math.Round((sketchSize - 1) / share)), false
}

// hash spreads values evenly over all 64 bits. It is the same in every run, so
// that what is printed is, too. Nobody gains from values that collide.
func hash(d []byte) uint64 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(len(d)) ^ k0
	for ; len(d) >= 8; d = d[8:] {
		h = fold(h^binary.LittleEndian.Uint64(d), k1)
	}
	var rest uint64
	for i, c := range d {
		rest |= uint64(c) << (8 * i)
	}
	return fold(fold(h^rest, k1), k0)
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
