package bench

import (
	"testing"

	"example.com/jlq/partition"
)

// BenchmarkAppendBatch appends JSON records in batches of 100 without fsync.
func BenchmarkAppendBatch(b *testing.B) {
	set := JSON(ShortAppend)
	b.Run("write", func(b *testing.B) { RunAppend(b, set, BatchSize, openWrites(set, false)) })
	b.Run("jlq-frame", func(b *testing.B) { RunAppend(b, set, BatchSize, openJLQ(partition.SyncOS, partition.Frame)) })
	b.Run("naive", func(b *testing.B) { RunAppend(b, set, BatchSize, openNaive(CheckFrame, 0)) })
	b.Run("jlq-strict", func(b *testing.B) { RunAppend(b, set, BatchSize, openJLQ(partition.SyncOS, partition.Strict)) })
	b.Run("naive-64k", func(b *testing.B) { RunAppend(b, set, BatchSize, openNaive(CheckFrame, 64<<10)) })
	b.Run("naive-json", func(b *testing.B) { RunAppend(b, set, BatchSize, openNaive(CheckJSON, 0)) })
}

// BenchmarkAppendLong is the same with ten times as many records.
func BenchmarkAppendLong(b *testing.B) {
	set := JSON(LongAppend)
	b.Run("write", func(b *testing.B) { RunAppend(b, set, BatchSize, openWrites(set, false)) })
	b.Run("jlq-frame", func(b *testing.B) { RunAppend(b, set, BatchSize, openJLQ(partition.SyncOS, partition.Frame)) })
	b.Run("naive", func(b *testing.B) { RunAppend(b, set, BatchSize, openNaive(CheckFrame, 0)) })
	b.Run("jlq-strict", func(b *testing.B) { RunAppend(b, set, BatchSize, openJLQ(partition.SyncOS, partition.Strict)) })
}

// BenchmarkAppendOne appends JSON records one by one, each of which is visible
// in the process when the call returns.
func BenchmarkAppendOne(b *testing.B) {
	set := JSON(SingleAppends)
	b.Run("write", func(b *testing.B) { RunAppend(b, set, 1, openWrites(set, false)) })
	b.Run("jlq-frame", func(b *testing.B) { RunAppend(b, set, 1, openJLQ(partition.SyncOS, partition.Frame)) })
	b.Run("jlq-strict", func(b *testing.B) { RunAppend(b, set, 1, openJLQ(partition.SyncOS, partition.Strict)) })
	b.Run("naive", func(b *testing.B) { RunAppend(b, set, 1, openNaive(CheckFrame, 0)) })
	b.Run("jlq-buffered", func(b *testing.B) { RunAppend(b, set, 1, openJLQ(partition.SyncBuffered, partition.Frame)) })
	b.Run("naive-buffered", func(b *testing.B) { RunAppend(b, set, 1, openNaiveBuffered) })
}

func openWrites(set *Set, sync bool) Opener {
	return func(dir string) (Appender, error) { return CreateWrites(dir, set, sync) }
}

func openNaive(check Check, size int) Opener {
	return func(dir string) (Appender, error) { return CreateNaive(dir, check, size) }
}

func openNaiveBuffered(dir string) (Appender, error) {
	n, err := CreateNaive(dir, CheckFrame, 0)
	if err == nil {
		n.Buffered = true
	}
	return n, err
}
