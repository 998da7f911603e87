package peers

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/bench"
)

// A contestant that lost or changed a record would be measured at other work.
func TestPeersStoreAndReturnTheRecords(t *testing.T) {
	set := bench.JSON(1000)
	for _, peer := range All() {
		t.Run(peer.Name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, peer, dir, set)
			log, err := peer.Open(dir, false)
			require.NoError(t, err)
			requireSet(t, set, log)
			if getter, ok := log.(Getter); ok {
				requireGets(t, set, getter)
			}
			require.NoError(t, log.Close())
		})
	}
}

func fill(t testing.TB, peer Peer, dir string, set *bench.Set) {
	t.Helper()
	log, err := peer.Open(dir, false)
	require.NoError(t, err)
	for from := 0; from < set.Len(); from += fillBatch {
		require.NoError(t, log.Append(set.Batch(from, from+fillBatch)))
	}
	require.NoError(t, log.Close())
}

func requireSet(t *testing.T, set *bench.Set, log Log) {
	t.Helper()
	i := 0
	require.NoError(t, log.Scan(func(record []byte) {
		require.Equal(t, string(set.Record(i)), string(record))
		i++
	}))
	require.Equal(t, set.Len(), i)
}

func requireGets(t *testing.T, set *bench.Set, log Getter) {
	t.Helper()
	for _, offset := range bench.Shuffled(set.Len(), set.Len()) {
		got, err := log.Get(nil, offset)
		require.NoError(t, err)
		require.Equal(t, string(set.Record(int(offset))), string(got))
	}
	_, err := log.Get(nil, uint64(set.Len()))
	require.Error(t, err)
}

func TestPeersTakeManyGoroutines(t *testing.T) {
	set := bench.JSON(4 * bench.Goroutines)
	for _, peer := range All() {
		if peer.Together == nil {
			continue
		}
		t.Run(peer.Name, func(t *testing.T) {
			log, err := peer.Together(t.TempDir(), bench.Goroutines)
			require.NoError(t, err)
			errs := make([]error, set.Len())
			var wg sync.WaitGroup
			for i := range set.Len() {
				wg.Go(func() { errs[i] = log.Append(set.Batch(i, i+1)) })
			}
			wg.Wait()
			for _, err := range errs {
				require.NoError(t, err)
			}
			requireSameRecords(t, set, log)
			require.NoError(t, log.Close())
		})
	}
}

// requireSameRecords compares without the order, which the goroutines chose.
func requireSameRecords(t *testing.T, set *bench.Set, log Log) {
	t.Helper()
	var want, got []string
	for i := range set.Len() {
		want = append(want, string(set.Record(i)))
	}
	require.NoError(t, log.Scan(func(record []byte) { got = append(got, string(record)) }))
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}
