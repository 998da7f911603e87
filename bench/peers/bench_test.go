package peers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/bench"
)

func BenchmarkAppendBatch(b *testing.B) {
	benchmarkAppend(b, bench.JSON(bench.ShortAppend), bench.BatchSize)
}

func BenchmarkAppendOne(b *testing.B) {
	benchmarkAppend(b, bench.JSON(bench.SingleAppends), 1)
}

// benchmarkAppend leaves out what cannot be told not to sync: its figures would
// say something of the disk.
func benchmarkAppend(b *testing.B, set *bench.Set, size int) {
	for _, peer := range All() {
		if !peer.AlwaysSyncs {
			b.Run(peer.Name, func(b *testing.B) { bench.RunAppend(b, set, size, opener(peer, false)) })
		}
	}
}

func BenchmarkSyncOne(b *testing.B) {
	set := bench.JSON(bench.SyncsAlone)
	for _, peer := range All() {
		b.Run(peer.Name, func(b *testing.B) { bench.RunAppend(b, set, 1, opener(peer, true)) })
	}
}

func BenchmarkSyncEight(b *testing.B) { benchmarkTogether(b, bench.FewGoroutines, bench.SyncsOfEight) }

func BenchmarkSyncMany(b *testing.B) { benchmarkTogether(b, bench.Goroutines, bench.SyncsTogether) }

func benchmarkTogether(b *testing.B, goroutines, records int) {
	for _, peer := range All() {
		set := bench.JSON(records)
		if !peer.Gathers {
			set = set.First(records / 4)
		}
		if peer.Together != nil {
			b.Run(peer.Name, func(b *testing.B) {
				bench.RunAppendTogether(b, set, goroutines, func(dir string) (bench.Appender, error) { return peer.Together(dir, goroutines) })
			})
		}
	}
}

func BenchmarkScan(b *testing.B) {
	many := bench.JSON(bench.ManyRecords)
	for _, peer := range All() {
		set := many
		if peer.Slow {
			set = many.First(bench.ShortAppend)
		}
		b.Run(peer.Name, func(b *testing.B) {
			log := filled(b, peer, set)
			bench.RunScan(b, set, func() (t bench.Tally, err error) {
				err = log.Scan(t.Add)
				return t, err
			})
		})
	}
}

func BenchmarkRandom(b *testing.B) {
	for _, n := range []int{bench.FewRecords, bench.ManyRecords} {
		set := bench.JSON(n)
		for _, peer := range All() {
			b.Run(fmt.Sprintf("n=%d/%s", n, peer.Name), func(b *testing.B) {
				reads := bench.RandomReads
				if peer.Slowest && n > bench.FewRecords {
					b.Skip("takes too long to fill")
				}
				if peer.Slow {
					reads = bench.SlowReads
				}
				log, ok := filled(b, peer, set).(Getter)
				if !ok {
					b.Skip("finds no record by its number")
				}
				bench.RunRandom(b, set, bench.Shuffled(n, reads), log.Get)
			})
		}
	}
}

func opener(peer Peer, sync bool) bench.Opener {
	return func(dir string) (bench.Appender, error) { return peer.Open(dir, sync) }
}

// filled returns a log that holds the set and was opened again.
func filled(b *testing.B, peer Peer, set *bench.Set) Log {
	b.Helper()
	dir := b.TempDir()
	fill(b, peer, dir, set)
	log, err := peer.Open(dir, false)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	return log
}
