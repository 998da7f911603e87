package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const output = `goos: linux
cpu: AMD EPYC
BenchmarkScan/read-2         	       5	         0.0000050 allocs/rec	        11.70 ms/run	        10 ns/rec
BenchmarkScan/jlq-2          	       5	         0 allocs/rec	        26.9 ms/run	        25 ns/rec
PASS
`

func parsed(t *testing.T, outputs ...string) *samples {
	t.Helper()
	s := newSamples(len(outputs))
	for round, out := range outputs {
		require.NoError(t, s.parse(round, out))
	}
	return s
}

func TestBenchName(t *testing.T) {
	for _, c := range []struct {
		field string
		procs int
		want  string
	}{
		{"BenchmarkScan/jlq-2", 2, "Scan/jlq"},
		{"BenchmarkScan/naive-64k", 1, "Scan/naive-64k"},
		{"BenchmarkRandom/n=10000/jlq-16", 16, "Random/n=10000/jlq"},
		{"BenchmarkScan/x-2", 4, "Scan/x-2"},
	} {
		require.Equal(t, c.want, benchName(c.field, c.procs))
	}
}

func TestSamples(t *testing.T) {
	s := parsed(t, adapt(output), adapt(strings.ReplaceAll(output, "25 ns/rec", "40 ns/rec")), "PASS\n")
	jlq, read := key{"Scan/jlq", perRecord}, key{"Scan/read", perRecord}
	require.Equal(t, series{25, 40}, s.of(jlq))
	require.Equal(t, series{2.5, 4}, s.ratio(jlq, read))
	require.Equal(t, series{1.25, 2}, s.ratio(jlq, read, read))
	require.Empty(t, s.ratio(jlq, key{"Scan/none", perRecord}))
	require.Equal(t, []string{"read", "jlq"}, s.contestants("Scan", perRecord))
	require.Empty(t, s.contestants("Sca", perRecord))
	require.Error(t, s.parse(0, "BenchmarkX 1 many ns/op\n"))
}

func TestSeries(t *testing.T) {
	require.Equal(t, 2.5, series{4, 1, 2, 3}.median())
	require.Equal(t, 3.0, series{9, 3, 1}.median())
	require.Equal(t, "2.00 (1.00–9.00)", spread(series{9, 2, 1}))
	require.Equal(t, "", spread(nil))
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.00002: "< 0.001", 0.25: "0.250", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 1234567.8: "1,234,568", 1000: "1,000"} {
		require.Equal(t, want, number(v))
	}
}

func TestTargets(t *testing.T) {
	s := parsed(t, adapt(output))
	half := ratio("scan", "Scan/read", "Scan/jlq", 0.5)
	require.Equal(t, series{0.4}, half.measured(s))
	require.True(t, half.met(half.measured(s)))
	require.False(t, atLeast(half).met(half.measured(s)))
	require.Equal(t, "≤ 0.5 × Scan/jlq", half.goal())
	require.Equal(t, "≥ 20 ns/rec", atLeast(absolute("scan", "Scan/jlq", perRecord, 20)).goal())
}

func TestFileSystemIn(t *testing.T) {
	mounts := "/dev/vda / ext4 rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n/dev/vdb /mnt xfs rw 0 0\nproc /mnt/a proc rw 0 0\n"
	for dir, want := range map[string]string{"/": "ext4", "/dev/shm/x": "tmpfs", "/mnt": "xfs", "/mnt/ab": "xfs", "/mnt/a/b": "proc"} {
		require.Equal(t, want, fileSystemIn(mounts, dir), dir)
	}
}

func TestRender(t *testing.T) {
	p := page{config: config{rounds: 1, iterations: 3, command: "x"}, samples: parsed(t, adapt(output))}
	var b strings.Builder
	require.NoError(t, p.render(&b))
	require.Contains(t, b.String(), "| jlq | 25.0 (25.0–25.0) | 0 | 2.50 | 0 | Records; every line proved against the index |\n")
	require.Contains(t, b.String(), "| scan | ≤ 30 ns/rec | 25.0 (25.0–25.0) | met | 10.0 (10.0–10.0) |\n")
	require.Contains(t, b.String(), "| append in batches of 100, frame check | ≤ 0.8 × AppendBatch/naive | not run | | |\n")
	require.NotContains(t, b.String(), "## Index")
	require.NotContains(t, b.String(), "## Soak")

	p.soak = "## Soak\n\nit passed\n"
	b.Reset()
	require.NoError(t, p.render(&b))
	require.True(t, strings.HasSuffix(b.String(), "|\n\n## Soak\n\nit passed\n"), b.String())
}

// A workload that no benchmark has would be missing from the page in silence.
func TestWorkloadsAreBenchmarks(t *testing.T) {
	own, peers := benchmarks(t, "../.."), benchmarks(t, "../../peers")
	for _, w := range workloads {
		require.Contains(t, own, w.bench)
		if w.peers {
			require.Contains(t, peers, w.bench)
		}
		delete(own, w.bench)
		delete(peers, w.bench)
	}
	require.Empty(t, own, "not on the page")
	require.Empty(t, peers, "not on the page")
}

func benchmarks(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	names := make(map[string]bool)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func Benchmark(\w+)`).FindAllSubmatch(text, -1) {
			names[string(match[1])] = true
		}
	}
	return names
}

// adapt gives the names in out the suffix that they have on this machine:
// -GOMAXPROCS, except where that is one.
func adapt(out string) string {
	suffix := ""
	if n := runtime.GOMAXPROCS(0); n > 1 {
		suffix = fmt.Sprintf("-%d", n)
	}
	return regexp.MustCompile(`(?m)^(Benchmark\S+)-2\b`).ReplaceAllString(out, "${1}"+suffix)
}
