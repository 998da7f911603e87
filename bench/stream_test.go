package bench

import (
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// largeBatch is 2.56 MB: enough for more than one processor to check.
const largeBatch = 10_000

// BenchmarkAppendLarge appends JSON records in batches of 10,000 without fsync,
// beside what checking them takes on one goroutine.
func BenchmarkAppendLarge(b *testing.B) {
	set := JSON(ShortAppend)
	b.Run("write", func(b *testing.B) { RunAppend(b, set, largeBatch, openWrites(set, false)) })
	b.Run("check", func(b *testing.B) { RunAppend(b, set, largeBatch, openChecks) })
	b.Run("jlq-frame", func(b *testing.B) { RunAppend(b, set, largeBatch, openJLQ(partition.SyncOS, partition.Frame)) })
	b.Run("jlq-strict", func(b *testing.B) { RunAppend(b, set, largeBatch, openJLQ(partition.SyncOS, partition.Strict)) })
	b.Run("jlq-strict-one", func(b *testing.B) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		RunAppend(b, set, largeBatch, openJLQ(partition.SyncOS, partition.Strict))
	})
}

// checks stores nothing: it checks each record strictly.
type checks struct{}

func openChecks(string) (Appender, error) { return checks{}, nil }

// Append implements Appender.
func (checks) Append(batch [][]byte) error {
	for _, record := range batch {
		if err := strict(record); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Appender.
func (checks) Close() error { return nil }

// BenchmarkStream stores the lines of a file by way of io.ReaderFrom, as jlq
// append does with its standard input.
func BenchmarkStream(b *testing.B) {
	set := JSON(ShortAppend)
	dir := fixture(b, set)
	b.Run("copy", func(b *testing.B) { runStream(b, set, dir, openCopy) })
	b.Run("check", func(b *testing.B) {
		runVerify(b, set, func() (int, error) { return CheckLines(dir, strict) })
	})
	b.Run("jlq-frame", func(b *testing.B) { runStream(b, set, dir, openStream(partition.Frame)) })
	b.Run("jlq-strict", func(b *testing.B) { runStream(b, set, dir, openStream(partition.Strict)) })
	b.Run("jlq-strict-one", func(b *testing.B) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		runStream(b, set, dir, openStream(partition.Strict))
	})
}

// stream is what a contestant of the workload offers.
type stream interface {
	io.ReaderFrom
	io.Closer
}

func openStream(validate partition.Validate) func(string) (stream, error) {
	return func(dir string) (stream, error) {
		return partition.Open(dir, &partition.Options{Sync: partition.SyncOS, Validate: validate})
	}
}

// copier is the floor: read(2) and write(2) in large blocks, and nothing else.
type copier struct{ *os.File }

func openCopy(dir string) (stream, error) {
	f, err := os.Create(RecordsPath(dir))
	return copier{f}, err
}

// ReadFrom implements io.ReaderFrom, which of a file would not show the bytes
// to the process at all.
func (c copier) ReadFrom(r io.Reader) (total int64, err error) {
	block := make([]byte, readBlock)
	for {
		n, err := r.Read(block)
		if err == io.EOF {
			return total, nil
		}
		if err == nil {
			_, err = c.Write(block[:n])
		}
		if err != nil {
			return total, err
		}
		total += int64(n)
	}
}

func runStream(b *testing.B, set *Set, from string, open func(dir string) (stream, error)) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		in, err := os.Open(RecordsPath(from))
		require.NoError(b, err)
		var out stream
		m.Beside("setup-ms", func() { out, err = open(dir) })
		require.NoError(b, err)
		var n int64
		m.Measure(set.Len(), func() { n, err = out.ReadFrom(in) })
		require.NoError(b, err)
		require.Equal(b, set.Size(), n)
		m.Beside("close-ms", func() { err = out.Close() })
		require.NoError(b, errors.Join(err, in.Close()))
		requireSameFile(b, RecordsPath(from), RecordsPath(dir))
		remove()
	}
	m.Rate(set.Size())
	m.Report(b)
}
