package peers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/bench"
)

// A contestant that lost or changed a record would be measured at other work.
func TestQueuesReturnTheRecords(t *testing.T) {
	set := bench.JSON(1000)
	for _, peer := range Queues() {
		t.Run(peer.Name, func(t *testing.T) {
			q, err := peer.Open(t.TempDir(), false)
			require.NoError(t, err)
			for i := range set.Len() {
				require.NoError(t, q.Enqueue(set.Record(i)))
			}
			for i := range set.Len() {
				got, err := q.Dequeue()
				require.NoError(t, err)
				require.Equal(t, string(set.Record(i)), string(got))
			}
			require.NoError(t, q.Close())
		})
	}
}

func BenchmarkQueueInTurn(b *testing.B) { benchmarkQueue(b, bench.RunQueueInTurn) }

func BenchmarkQueueByOne(b *testing.B) { benchmarkQueue(b, bench.RunQueueByOne) }

func BenchmarkQueueBeside(b *testing.B) { benchmarkQueue(b, bench.RunQueueBeside) }

func benchmarkQueue(b *testing.B, run func(*testing.B, *bench.Set, bench.QueueOpener)) {
	many := bench.JSON(bench.QueueRecords)
	for _, peer := range Queues() {
		set := many
		if peer.Slow {
			set = many.First(bench.QueueRecords / 10)
		}
		b.Run(peer.Name, func(b *testing.B) { run(b, set, queueOpener(peer, false)) })
	}
}

func BenchmarkQueueSync(b *testing.B) {
	set := bench.JSON(bench.SyncsAlone)
	for _, peer := range Queues() {
		if !peer.NeverSyncs {
			b.Run(peer.Name, func(b *testing.B) { bench.RunQueueByOne(b, set, queueOpener(peer, true)) })
		}
	}
}

func queueOpener(peer PeerQueue, sync bool) bench.QueueOpener {
	return func(dir string) (bench.Queue, error) { return peer.Open(dir, sync) }
}
