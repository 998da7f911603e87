package index

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkBuilder finds the newlines of lines in memory, of a mean length
// and half to one and a half of it.
func BenchmarkBuilder(b *testing.B) {
	for _, mean := range []int{1, 2, 6, 11, 32, 64, 128, 255, 1000, 100_000} {
		b.Run(fmt.Sprintf("line=%d", mean), func(b *testing.B) {
			var records []byte
			r := rand.New(rand.NewPCG(1, 2))
			for len(records) < blockSize {
				records = append(records, bytes.Repeat([]byte("x"), mean/2+r.IntN(mean))...)
				records = append(records, '\n')
			}
			builder := NewBuilder(io.Discard, 0, true)
			b.SetBytes(int64(len(records)))
			b.ReportAllocs()
			for b.Loop() {
				builder.Write(records)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(builder.Records()), "ns/line")
		})
	}
}

// benchLog makes a file of about size bytes of lines of the length.
func benchLog(b *testing.B, length, size int) logFile {
	l := logFile{b, filepath.Join(b.TempDir(), "x.jsonl"), ""}
	l.idx = Path(l.records)
	line := append(bytes.Repeat([]byte("x"), length-1), '\n')
	many := bytes.Repeat(line, 1<<20/length)
	f, err := os.Create(l.records)
	require.NoError(b, err)
	for range size / len(many) {
		_, err := f.Write(many)
		require.NoError(b, err)
	}
	require.NoError(b, f.Close())
	return l
}

// BenchmarkFile does whole files of 236 MB; compare wc -l of the same.
func BenchmarkFile(b *testing.B) {
	for _, length := range []int{11, 255} {
		l := benchLog(b, length, 236_000_000)
		info, err := os.Stat(l.records)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("build/line=%d", length), func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				os.Remove(l.idx)
				_, err := l.build(nil)
				require.NoError(b, err)
			}
		})
		b.Run(fmt.Sprintf("current/line=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := l.build(nil)
				require.NoError(b, err)
			}
		})
		b.Run(fmt.Sprintf("check/line=%d", length), func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				_, problems, err := CheckFile(b.Context(), l.records, l.idx, nil)
				require.NoError(b, err)
				require.Empty(b, problems)
			}
		})
	}
}

// BenchmarkLookup finds a record in an index in memory.
func BenchmarkLookup(b *testing.B) {
	const n = 1 << 20
	idx := reader(reference(numbered(n)))
	b.Run("entry", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Entry(idx, n/2)
		}
	})
	b.Run("span", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Span(idx, n/2)
		}
	})
	b.Run("entries=1024", func(b *testing.B) {
		dst, scratch := make([]int64, 1024), make([]byte, 1024*EntrySize)
		b.ReportAllocs()
		for b.Loop() {
			ReadEntries(idx, n/2, dst, scratch)
		}
	})
	b.Run("search", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Search(idx, n, n)
		}
	})
}
