package topic

import "hash/fnv"

// PartitionOf returns which of n partitions a key belongs to, 0 ≤ p < n:
// (h ^ h>>32) % n, where h is the 64-bit FNV-1a hash of the key. That is part of
// the format: it never changes. n must be at least 1.
func PartitionOf(key []byte, n int) int {
	return int(mixed(key) % uint64(n))
}

// mixed folds the upper half of the hash into the lower one. The low bits of
// FNV-1a alone, which are all that a power of two leaves, are badly skewed.
func mixed(key []byte) uint64 {
	h := fnv.New64a()
	h.Write(key) // it never fails
	sum := h.Sum64()
	return sum ^ sum>>32
}

// place returns the partition that a key goes to: its own where producers see
// that one, else one of those they see. That one is chosen by what PartitionOf
// leaves of the hash, so that the keys of a hidden partition are spread over
// all others, and no key of a visible partition ever moves. visible is not
// empty.
func place(key []byte, n int, visible []bool, targets []int) int {
	m := mixed(key)
	own := int(m % uint64(n))
	if visible[own] {
		return own
	}
	return targets[m/uint64(n)%uint64(len(targets))]
}
