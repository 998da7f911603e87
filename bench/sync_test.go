package bench

import (
	"testing"

	"example.com/jlq/partition"
)

// BenchmarkSyncOne appends with an fsync before each acknowledgement, one
// goroutine.
func BenchmarkSyncOne(b *testing.B) {
	set := JSON(SyncsAlone)
	b.Run("fdatasync", func(b *testing.B) { RunAppend(b, set, 1, openWrites(set, true)) })
	b.Run("jlq", func(b *testing.B) { RunAppend(b, set, 1, openJLQ(partition.SyncAlways, partition.Strict)) })
}

// BenchmarkSyncEight is the same by 8 goroutines at once.
func BenchmarkSyncEight(b *testing.B) {
	set := JSON(SyncsOfEight)
	b.Run("jlq", func(b *testing.B) {
		RunAppendTogether(b, set, FewGoroutines, openJLQ(partition.SyncAlways, partition.Strict))
	})
}

// BenchmarkSyncMany is the same by 64 goroutines at once.
func BenchmarkSyncMany(b *testing.B) {
	set := JSON(SyncsTogether)
	b.Run("jlq", func(b *testing.B) {
		RunAppendTogether(b, set, Goroutines, openJLQ(partition.SyncAlways, partition.Strict))
	})
}
