package group

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

const benchRecords = 1_000_000

func benchLog(b *testing.B) string {
	b.Helper()
	dir := b.TempDir() + "/log"
	p, err := partition.Open(dir, &partition.Options{Sync: partition.SyncOS, Validate: partition.Frame})
	require.NoError(b, err)
	batch := make([][]byte, 1000)
	for i := range batch {
		batch[i] = fmt.Appendf(nil, `{"id":%06d,"text":"%0230d"}`, i, i)
	}
	for range benchRecords / len(batch) {
		_, err := p.AppendBatch(batch)
		require.NoError(b, err)
	}
	require.NoError(b, p.Close())
	return dir
}

// BenchmarkConsume compares a loop over the messages of a member with a plain
// scan of the same records. The time of a record is what is reported.
func BenchmarkConsume(b *testing.B) {
	dir := benchLog(b)
	b.Run("scan", func(b *testing.B) {
		p, err := partition.OpenReader(dir, nil)
		require.NoError(b, err)
		for b.Loop() {
			r := p.Reader(0) // as a member reads: what is consumed is read once
			for {
				if _, err := r.Next(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
		perRecord(b)
		require.NoError(b, p.Close())
	})
	b.Run("group", func(b *testing.B) {
		g, err := Open(dir, "bench", &Options{CommitEvery: -1})
		require.NoError(b, err)
		m, err := g.Join(b.Context())
		require.NoError(b, err)
		for b.Loop() {
			require.NoError(b, m.Seek(0, 0))
			for msg, err := range m.MessagesToEnd(b.Context()) {
				if err != nil {
					b.Fatal(err)
				}
				msg.Ack()
			}
		}
		perRecord(b)
		require.NoError(b, m.Close())
	})
}

func perRecord(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRecords, "ns/record")
	b.ReportAllocs()
}
