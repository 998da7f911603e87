package reader

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// benchLog writes n records of 255 bytes, in a partition and without an index
// beside it.
func benchLog(b *testing.B, n int) (dir, bare string) {
	b.Helper()
	dir = b.TempDir()
	bare = filepath.Join(b.TempDir(), "bare.jsonl")
	var recs, idx bytes.Buffer
	idx.Write(index.AppendEntry(nil, 0))
	for i := range n {
		line := fmt.Appendf(nil, `{"n":%d,"level":"info","pad":"`, i)
		line = append(line, bytes.Repeat([]byte{'x'}, 253-len(line))...)
		line = append(line, "\"}\n"...)
		recs.Write(line)
		idx.Write(index.AppendEntry(nil, int64(recs.Len())))
	}
	pair := segment.PairAt(dir, 0)
	require.NoError(b, os.WriteFile(pair.Records, recs.Bytes(), 0o600))
	require.NoError(b, os.WriteFile(pair.Index, idx.Bytes(), 0o600))
	require.NoError(b, os.WriteFile(bare, recs.Bytes(), 0o600))
	return dir, bare
}

func openBench(b *testing.B, path string, opts *Options) *Log {
	b.Helper()
	log, err := Open(path, opts)
	require.NoError(b, err)
	b.Cleanup(func() { log.Close() })
	return log
}

// perRecord reports the time of one of n records.
func perRecord(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/rec")
}

func BenchmarkScan(b *testing.B) {
	const n = 100_000
	dir, bare := benchLog(b, n)
	records := segment.PairAt(dir, 0).Records
	for _, c := range []struct {
		name string
		run  func(b *testing.B) int
	}{
		{"naive", func(b *testing.B) int { return scanNaive(b, records) }},
		{"floor", func(b *testing.B) int { return scanFloor(b, records) }},
		{"records", scanRecords(openBench(b, dir, nil))},
		{"next", scanNext(openBench(b, dir, nil))},
		{"retain", scanRecords(openBench(b, dir, &Options{Retain: true}))},
		{"backward", scanBackward(openBench(b, dir, nil))},
		{"bare", scanRecords(openBench(b, bare, nil))},
		{"writeto", scanWriteTo(openBench(b, dir, nil))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := c.run(b); got != n {
					b.Fatalf("%d records", got)
				}
			}
			perRecord(b, n)
		})
	}
}

func scanNaive(b *testing.B, path string) (n int) {
	f, err := os.Open(path)
	require.NoError(b, err)
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		n++
	}
	return n
}

// scanFloor reads the blocks that a reader reads, and does nothing with them.
func scanFloor(b *testing.B, path string) int {
	f, err := os.Open(path)
	require.NoError(b, err)
	defer f.Close()
	buf := make([]byte, blockBytes)
	total := 0
	for {
		got, err := f.ReadAt(buf, int64(total))
		total += got
		if err == io.EOF {
			return total / 256
		}
	}
}

func scanRecords(log *Log) func(*testing.B) int {
	return func(b *testing.B) (n int) {
		for rec, err := range log.Records(0) {
			if err != nil || len(rec.Data) != 255 {
				b.Fatal(err)
			}
			n++
		}
		return n
	}
}

func scanBackward(log *Log) func(*testing.B) int {
	return func(b *testing.B) (n int) {
		for rec, err := range log.Backward(UnknownOffset) {
			if err != nil || len(rec.Data) != 255 {
				b.Fatal(err)
			}
			n++
		}
		return n
	}
}

func scanNext(log *Log) func(*testing.B) int {
	return func(b *testing.B) (n int) {
		r := log.Reader(0)
		for {
			rec, err := r.Next()
			if err == io.EOF {
				return n
			}
			if err != nil || len(rec.Data) != 255 {
				b.Fatal(err)
			}
			n++
		}
	}
}

func scanWriteTo(log *Log) func(*testing.B) int {
	return func(b *testing.B) int {
		n, err := log.Reader(0).WriteTo(io.Discard)
		require.NoError(b, err)
		return int(n / 256)
	}
}

func BenchmarkGet(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		dir, _ := benchLog(b, n)
		order := make([]uint64, 1<<16)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range order {
			order[i] = rng.Uint64N(uint64(n))
		}
		for _, c := range []struct {
			name string
			run  func(offset uint64)
		}{
			{"raw", rawLoads(b, dir)},
			{"getinto", getInto(b, openBench(b, dir, nil))},
			{"unmapped", getInto(b, openBench(b, dir, &Options{FS: unmapped{vfs.OS}}))},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, c.name), func(b *testing.B) {
				for _, offset := range order { // warm
					c.run(offset)
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					c.run(order[i&(len(order)-1)])
					i++
				}
			})
		}
	}
}

// unmapped hides that a file system can map.
type unmapped struct{ vfs.FS }

func getInto(b *testing.B, log *Log) func(uint64) {
	buf := make([]byte, 0, 512)
	return func(offset uint64) {
		var err error
		if buf, err = log.GetInto(buf, offset); err != nil || len(buf) != 255 {
			b.Fatal(err)
		}
	}
}

// rawLoads copies a record by two loads from the same kind of mapping, without
// any check.
func rawLoads(b *testing.B, dir string) func(uint64) {
	pair := segment.PairAt(dir, 0)
	m, ok := vfs.OS.(vfs.Mapper)
	if !ok {
		return func(uint64) {}
	}
	idx, err := m.Map(pair.Index)
	require.NoError(b, err)
	rec, err := m.Map(pair.Records)
	require.NoError(b, err)
	entry, buf := make([]byte, 8), make([]byte, 255)
	return func(offset uint64) {
		idx.ReadAt(entry, int64(offset)*8)
		rec.ReadAt(buf, int64(binary.BigEndian.Uint64(entry)))
	}
}

// BenchmarkOriginal reads the workload of the two-file emulator: 10,000 records
// of 11 bytes, once and by three readers at the same time, opening included.
func BenchmarkOriginal(b *testing.B) {
	const n = 10_000
	dir := b.TempDir()
	pair := segment.PairAt(dir, 0)
	data := bytes.Repeat([]byte("lorem ipsum\n"), n)
	require.NoError(b, os.WriteFile(pair.Records, data, 0o600))
	require.NoError(b, os.WriteFile(pair.Index, entries(data), 0o600))
	read := func(log *Log) {
		got := 0
		for _, err := range log.Records(0) {
			if err != nil {
				b.Error(err)
			}
			got++
		}
		if got != n {
			b.Error(got)
		}
	}
	for _, readers := range []int{1, 3} {
		b.Run(fmt.Sprint(readers), func(b *testing.B) {
			for b.Loop() {
				log, err := Open(dir, nil)
				require.NoError(b, err)
				var wg sync.WaitGroup
				for range readers {
					wg.Go(func() { read(log) })
				}
				wg.Wait()
				log.Close()
			}
		})
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			log, err := Open(dir, nil)
			require.NoError(b, err)
			log.Close()
		}
	})
}
