package bench

import "testing"

const (
	syncsAlone    = 500
	syncsTogether = 6400
	together      = 64
)

// BenchmarkSyncOne appends with an fsync before each acknowledgement, one
// goroutine.
func BenchmarkSyncOne(b *testing.B) {
	set := JSON(syncsAlone)
	b.Run("fdatasync", func(b *testing.B) { RunAppend(b, set, 1, openWrites(set, true)) })
}

// BenchmarkSyncMany is the same by 64 goroutines at once.
func BenchmarkSyncMany(b *testing.B) {
	_ = JSON(syncsTogether)
}
