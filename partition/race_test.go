//go:build race

package partition

// raceEnabled: the race detector makes everything ten times slower.
const raceEnabled = true
