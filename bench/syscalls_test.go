package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// traced are the system calls that the work consists of, under all the names
// that the kernel has for them.
const traced = "read,pread64,readv,preadv,write,pwrite64,writev,pwritev,fsync,fdatasync,sync_file_range,stat,fstat,lstat,newfstatat,statx,lseek,ftruncate"

// System calls for each record may fall, but not rise. What is counted is the
// difference of two runs, so that opening and closing do not matter. Under
// SyncOS a writer writes the index every 2 ms, for however few records, which
// is more often on a busy machine: the limit of append-one leaves room for
// that, where a second call a record would still show, and that of append-close
// grows with the time. That of sync-one leaves it for the write by which Go's
// runtime wakes its poller now and then.
func TestSystemCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of another process")
	}
	strace := findStrace(t)
	for _, c := range []struct {
		job       string
		few, many int
		limit     float64 // calls for each further record
		clock     bool    // what is written every 2 ms counts apart
	}{
		{"append-one", 2000, 6000, 1.75, false},
		{"append-close", 20_000, 100_000, 0.02, true},
		{"sync-one", 100, 300, 6.05, false},
		{"scan", 10_000, 100_000, 0.0015, false},
		{"get", 1000, 20_000, 0.001, false},
	} {
		t.Run(c.job, func(t *testing.T) {
			few, _ := countCalls(t, strace, c.job, c.few)
			many, took := countCalls(t, strace, c.job, c.many)
			got := float64(many-few) / float64(c.many-c.few)
			limit := c.limit
			if c.clock {
				limit += float64(took/(2*time.Millisecond)) / float64(c.many-c.few)
			}
			t.Logf("%.4f system calls for each record, at most %.4f", got, limit)
			require.LessOrEqual(t, got, limit)
		})
	}
}

func findStrace(t *testing.T) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("system calls are counted by strace: %v", err)
	}
	if out, err := exec.Command(strace, "-f", "--seccomp-bpf", "-c", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace does not work here: %v: %s", err, out)
	}
	return strace
}

// countCalls runs the job on n records in a process of its own, and says how
// long that took.
func countCalls(t *testing.T, strace, job string, n int) (calls int, took time.Duration) {
	t.Helper()
	dir := t.TempDir()
	switch job {
	case "scan":
		require.NoError(t, Fixture(dir, JSON(n)))
	case "get":
		require.NoError(t, Fixture(dir, JSON(FewRecords)))
	}
	cmd := child(t, job, n, dir)
	out := filepath.Join(t.TempDir(), "calls")
	cmd.Path, cmd.Args = strace, append([]string{strace, "-f", "--seccomp-bpf", "-c", "-o", out, "-e", "trace=" + traced}, cmd.Args...)
	begun := time.Now()
	require.NoError(t, cmd.Run())
	took = time.Since(begun)
	table, err := os.ReadFile(out)
	require.NoError(t, err)
	return totalCalls(t, string(table)), took
}

// totalCalls reads the last line of strace's table: "100.00 0.02 4 4372 6 total".
func totalCalls(t *testing.T, table string) int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(table), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	require.Equal(t, "total", fields[len(fields)-1])
	calls, err := strconv.Atoi(fields[3])
	require.NoError(t, err)
	return calls
}
