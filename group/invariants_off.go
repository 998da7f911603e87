//go:build !race && !invariants

package group

// invariants is off: finished blocks are used again as they are.
const invariants = false
