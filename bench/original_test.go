package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

func TestNaiveFilesAreTheOriginals(t *testing.T) {
	dir := t.TempDir()
	log, err := CreateNaive(dir, CheckFrame, 0)
	require.NoError(t, err)
	require.NoError(t, appendAll(log, Original(), 1))
	require.NoError(t, log.Close())
	require.Equal(t, OriginalRecordsSum, sumFile(t, RecordsPath(dir)))
	require.Equal(t, OriginalIndexSum, sumFile(t, IndexPath(dir)))
}

// BenchmarkOriginalWrite is the first of the original's five workloads: 10,000
// single appends. Creating and closing the log are reported beside it.
func BenchmarkOriginalWrite(b *testing.B) {
	set := Original()
	b.Run("write", func(b *testing.B) { RunAppend(b, set, 1, openWrites(set, false)) })
	b.Run("jlq-os", func(b *testing.B) { RunAppend(b, set, 1, openJLQ(partition.SyncOS, partition.Frame)) })
	b.Run("jlq-buffered", func(b *testing.B) { RunAppend(b, set, 1, openJLQ(partition.SyncBuffered, partition.Frame)) })
	b.Run("naive", func(b *testing.B) { RunAppend(b, set, 1, openNaive(CheckFrame, 0)) })
	b.Run("naive-buffered", func(b *testing.B) { RunAppend(b, set, 1, openNaiveBuffered) })
}

// BenchmarkOriginalRead reads the log once.
func BenchmarkOriginalRead(b *testing.B) { benchmarkReaders(b, 1) }

// BenchmarkOriginalRead3 has three readers read all of it at the same time.
func BenchmarkOriginalRead3(b *testing.B) { benchmarkReaders(b, 3) }

func benchmarkReaders(b *testing.B, readers int) {
	set := Original()
	b.Run("jlq", func(b *testing.B) { runReaders(b, set, readers, openStoreOS) })
	b.Run("naive", func(b *testing.B) { runReaders(b, set, readers, openNaiveStore) })
}

// BenchmarkOriginalSeries writes the log, then reads it.
func BenchmarkOriginalSeries(b *testing.B) {
	set := Original()
	b.Run("jlq-os", func(b *testing.B) { RunSeries(b, set, openStoreOS) })
	b.Run("jlq-buffered", func(b *testing.B) { RunSeries(b, set, openStoreBuffered) })
	b.Run("naive", func(b *testing.B) { RunSeries(b, set, openNaiveStore) })
}

// BenchmarkOriginalParallel reads the log while it is written.
func BenchmarkOriginalParallel(b *testing.B) {
	set := Original()
	b.Run("jlq-os", func(b *testing.B) { RunParallel(b, set, openStoreOS) })
	b.Run("jlq-buffered", func(b *testing.B) { RunParallel(b, set, openStoreBuffered) })
	b.Run("naive", func(b *testing.B) { RunParallel(b, set, openNaiveStore) })
}

func runReaders(b *testing.B, set *Set, readers int, open func(string) (Store, error)) {
	b.Helper()
	store, err := open(b.TempDir())
	require.NoError(b, err)
	require.NoError(b, appendAll(store, set, BatchSize))
	RunReaders(b, set, readers, store)
	require.NoError(b, store.Close())
}

func openNaiveStore(dir string) (Store, error) { return CreateNaiveStore(dir) }
