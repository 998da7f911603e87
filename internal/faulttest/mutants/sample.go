package mutants

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Sample returns n of the mutants, by name; the same ones for the same seed. A
// negative n, or one that is too large, means all.
func Sample(list []Mutant, n int, seed uint64) []Mutant {
	if n < 0 || n >= len(list) {
		return list
	}
	list = slices.Clone(list)
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:n]
	slices.SortFunc(list, func(a, b Mutant) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
