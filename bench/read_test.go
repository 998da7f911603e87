package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
)

// BenchmarkScan reads a log of 256 MB in order.
func BenchmarkScan(b *testing.B) {
	set := JSON(ManyRecords)
	dir := fixture(b, set)
	b.Run("read", func(b *testing.B) { runReads(b, set, dir) })
	b.Run("jlq", func(b *testing.B) { RunScan(b, set, openReader(b, dir).tally) })
	b.Run("jlq-next", func(b *testing.B) { RunScan(b, set, openReader(b, dir).tallyNext) })
	b.Run("naive", func(b *testing.B) { RunScan(b, set, tallied(dir, NaiveScan)) })
	b.Run("naive-reuse", func(b *testing.B) { RunScan(b, set, tallied(dir, NaiveScanReuse)) })
	b.Run("naive-lines", func(b *testing.B) { RunScan(b, set, tallied(dir, ScanLines)) })
}

// BenchmarkScanThree has three goroutines read all of it at the same time, from
// one open log, and one alone beside them.
func BenchmarkScanThree(b *testing.B) {
	set := JSON(ManyRecords)
	dir := fixture(b, set)
	b.Run("jlq-alone", func(b *testing.B) { RunReaders(b, set, 1, openReader(b, dir)) })
	b.Run("jlq", func(b *testing.B) { RunReaders(b, set, 3, openReader(b, dir)) })
	b.Run("naive-reuse", func(b *testing.B) { RunReaders(b, set, 3, scanOnly{dir: dir, scan: NaiveScanReuse}) })
}

// scanOnly is a store that others wrote.
type scanOnly struct {
	Store
	dir  string
	scan func(string, func([]byte)) error
}

// Scan implements Store.
func (s scanOnly) Scan(each func([]byte)) error { return s.scan(s.dir, each) }

// BenchmarkRandom reads single records in random order, all of them warm.
func BenchmarkRandom(b *testing.B) {
	for _, n := range []int{FewRecords, ManyRecords} {
		set := JSON(n)
		dir := fixture(b, set)
		offsets := Shuffled(n, RandomReads)
		b.Run(fmt.Sprintf("n=%d/mapped", n), func(b *testing.B) { runMapped(b, set, dir, offsets) })
		b.Run(fmt.Sprintf("n=%d/mapped-serial", n), func(b *testing.B) { runSerial(b, set, dir, offsets) })
		b.Run(fmt.Sprintf("n=%d/jlq", n), func(b *testing.B) { RunRandom(b, set, offsets, openReader(b, dir).GetInto) })
		b.Run(fmt.Sprintf("n=%d/naive-pread", n), func(b *testing.B) { runPairGetter(b, set, dir, offsets) })
		if n == FewRecords {
			b.Run(fmt.Sprintf("n=%d/naive", n), func(b *testing.B) { runNaiveGet(b, set, dir, offsets[:NaiveReads]) })
		}
	}
}

// BenchmarkIndex makes the index of a 236 MB file.
func BenchmarkIndex(b *testing.B) {
	set := JSON(IndexRecords)
	dir := fixture(b, set)
	b.Run("read", func(b *testing.B) { runReads(b, set, dir) })
	b.Run("jlq", func(b *testing.B) { runIndex(b, set, dir) })
	b.Run("wc", func(b *testing.B) { runCommand(b, set, "wc", "-l", RecordsPath(dir)) })
}

func fixture(b *testing.B, set *Set) string {
	b.Helper()
	dir := b.TempDir()
	require.NoError(b, Fixture(dir, set))
	return dir
}

// tallied turns a scan into what RunScan measures.
func tallied(dir string, scan func(string, func([]byte)) error) func() (Tally, error) {
	return func() (t Tally, err error) {
		err = scan(dir, t.Add)
		return t, err
	}
}

func runReads(b *testing.B, set *Set, dir string) {
	b.Helper()
	var m Meter
	for b.Loop() {
		var n int64
		var err error
		m.Measure(set.Len(), func() { n, err = Reads(RecordsPath(dir)) })
		require.NoError(b, err)
		require.Equal(b, set.Size(), n)
	}
	m.Rate(set.Size())
	m.Report(b)
}

func runMapped(b *testing.B, set *Set, dir string, offsets []uint64) {
	b.Helper()
	log, err := OpenMapped(dir)
	require.NoError(b, err)
	RunRandom(b, set, offsets, log.Get)
	require.NoError(b, log.Close())
}

func runSerial(b *testing.B, set *Set, dir string, offsets []uint64) {
	b.Helper()
	log, err := OpenMapped(dir)
	require.NoError(b, err)
	RunRandom(b, set, offsets, (&Serial{Mapped: log}).Get)
	require.NoError(b, log.Close())
}

func runPairGetter(b *testing.B, set *Set, dir string, offsets []uint64) {
	b.Helper()
	log, err := OpenPairGetter(dir)
	require.NoError(b, err)
	RunRandom(b, set, offsets, log.Get)
	require.NoError(b, log.Close())
}

func runNaiveGet(b *testing.B, set *Set, dir string, offsets []uint64) {
	b.Helper()
	RunRandom(b, set, offsets, func(dst []byte, offset uint64) ([]byte, error) { return NaiveGet(dir, dst, offset) })
}

// runIndex measures the library: the index is written, synced and renamed to
// its name.
func runIndex(b *testing.B, set *Set, dir string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "made.index")
	var m Meter
	for b.Loop() {
		var err error
		m.Measure(set.Len(), func() { _, err = index.BuildFile(context.Background(), RecordsPath(dir), path, nil) })
		require.NoError(b, err)
		requireSameFile(b, IndexPath(dir), path)
		require.NoError(b, os.Remove(path))
	}
	m.Rate(set.Size())
	m.Report(b)
}

func requireSameFile(b *testing.B, want, got string) {
	b.Helper()
	w, err := os.ReadFile(want)
	require.NoError(b, err)
	g, err := os.ReadFile(got)
	require.NoError(b, err)
	require.True(b, bytes.Equal(w, g), "%s and %s differ", want, got)
}

// runCommand measures another program, its start included.
func runCommand(b *testing.B, set *Set, name string, args ...string) {
	b.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		b.Skipf("no %s here: %v", name, err)
	}
	var m Meter
	for b.Loop() {
		m.Measure(set.Len(), func() { err = exec.Command(path, args...).Run() })
		require.NoError(b, err)
	}
	m.Rate(set.Size())
	m.Report(b)
}
