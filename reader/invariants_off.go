//go:build !race && !invariants

package reader

// invariants is off: finished blocks are used again as they are.
const invariants = false
