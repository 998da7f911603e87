package bench

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/filter"
	"example.com/jlq/reader"
)

// filters are what the filter benchmarks look for: one that a text in the line
// can rule out, and one that takes the value of each record.
var filters = []struct {
	name, expr, sql string
	keep            func(*wanted) bool
}{
	{"level", `.level == "error"`, "level = 'error'", func(w *wanted) bool { return w.Level == "error" }},
	{"amount", `.amount > 990`, "amount > 990", func(w *wanted) bool { return w.Amount > 990 }},
}

// BenchmarkFilter counts the records of a log of 256 MB that a filter is true
// of.
func BenchmarkFilter(b *testing.B) {
	set := JSON(ManyRecords)
	dir := fixture(b, set)
	for _, f := range filters {
		compiled, err := filter.Compile(f.expr)
		require.NoError(b, err)
		want, err := NaiveFilter(dir, f.keep)
		require.NoError(b, err)
		log, bare := openLog(b, dir), openLog(b, RecordsPath(dir))
		b.Run(f.name+"/read", func(b *testing.B) { runReads(b, set, dir) })
		b.Run(f.name+"/jlq", func(b *testing.B) {
			runFilter(b, set, want, func() (int, error) { return sift(log, compiled, true) })
		})
		b.Run(f.name+"/jlq-one", func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			runFilter(b, set, want, func() (int, error) { return sift(log, compiled, true) })
		})
		b.Run(f.name+"/jlq-bare", func(b *testing.B) {
			runFilter(b, set, want, func() (int, error) { return sift(bare, compiled, false) })
		})
		b.Run(f.name+"/duckdb", func(b *testing.B) { runDuckDB(b, set, dir, "given", f.sql, want) })
		b.Run(f.name+"/duckdb-inferred", func(b *testing.B) { runDuckDB(b, set, dir, "inferred", f.sql, want) })
		b.Run(f.name+"/naive", func(b *testing.B) {
			runFilter(b, set, want, func() (int, error) { return NaiveFilter(dir, f.keep) })
		})
	}
}

func openLog(t testing.TB, path string) *reader.Log {
	t.Helper()
	log, err := reader.Open(path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log
}

func runFilter(b *testing.B, set *Set, want int, count func() (int, error)) {
	b.Helper()
	var m Meter
	for b.Loop() {
		var n int
		var err error
		m.Measure(set.Len(), func() { n, err = count() })
		must(b, err)
		require.Equal(b, want, n)
	}
	m.Rate(set.Size())
	m.Report(b)
}

// Who is measured must find the same, and what is not JSON where it is looked
// for.
func TestFiltersAgree(t *testing.T) {
	set := JSON(5000)
	for _, f := range filters {
		dir := t.TempDir()
		require.NoError(t, Fixture(dir, set))
		log, bare := openLog(t, dir), openLog(t, RecordsPath(dir))
		compiled, err := filter.Compile(f.expr)
		require.NoError(t, err)
		counts := map[string]func() (int, error){
			"naive": func() (int, error) { return NaiveFilter(dir, f.keep) },
			"jlq":   func() (int, error) { return sift(log, compiled, true) },
			"bare":  func() (int, error) { return sift(bare, compiled, false) },
		}
		want, err := counts["naive"]()
		require.NoError(t, err)
		require.Positive(t, want)
		for name, count := range counts {
			got, err := count()
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
		}
		damaged, err := os.OpenFile(RecordsPath(dir), os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = damaged.WriteAt([]byte("x"), set.Size()-2)
		require.NoError(t, err)
		require.NoError(t, damaged.Close())
		for _, name := range []string{"naive", "bare"} {
			_, err := counts[name]()
			require.ErrorContains(t, err, "'x'", name)
		}
	}
}
