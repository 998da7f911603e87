package bench

import "testing"

// BenchmarkSyncOne appends with an fsync before each acknowledgement, one
// goroutine.
func BenchmarkSyncOne(b *testing.B) {
	set := JSON(SyncsAlone)
	b.Run("fdatasync", func(b *testing.B) { RunAppend(b, set, 1, openWrites(set, true)) })
}

// BenchmarkSyncMany is the same by 64 goroutines at once.
func BenchmarkSyncMany(b *testing.B) {
	_ = JSON(SyncsTogether)
}
