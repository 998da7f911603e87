package bench

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// small is how many records the log has that the others are compared with.
const small = 100_000

// constant are the commands that may not take longer on a larger log.
func constant(dir string, n int) map[string][]string {
	middle := strconv.Itoa(n / 2)
	return map[string][]string{
		"count": {"count", dir},
		"tail":  {"tail", "-n", "10", dir},
		"get":   {"get", dir, middle},
		"head":  {"head", dir},
		"range": {"cat", "-o", middle + ":" + strconv.Itoa(n/2+10), dir},
		"since": {"count", "-o", "@" + shortTime(n/2).Format(time.RFC3339Nano) + ":", dir},
	}
}

// whole are those that read all of it; their memory may not depend on it
// either. Those that write do so into scratch, which is a directory.
func whole(dir, scratch string) map[string][]string {
	return map[string][]string{
		"cat":    {"cat", dir},
		"verify": {"verify", dir},
		"repair": {"repair", dir},
		"stat":   {"stat", dir},
		"append": {"append", "--sync", "os", filepath.Join(scratch, "log"), RecordsPath(dir)},
		"index":  {"index", filepath.Join(scratch, "bare.jsonl")},
	}
}

// scratchFor makes what the commands of whole write to.
func scratchFor(tb testing.TB, dir string) string {
	tb.Helper()
	scratch := tb.TempDir()
	from, err := os.Open(RecordsPath(dir))
	require.NoError(tb, err)
	to, err := os.Create(filepath.Join(scratch, "bare.jsonl"))
	require.NoError(tb, err)
	_, err = to.ReadFrom(from)
	require.NoError(tb, errors.Join(err, from.Close(), to.Close()))
	return scratch
}

// BenchmarkCommands runs the built command, its start included, on a log of
// 100,000 short records and on larger ones: those that take as long on any log
// on 10,000,000 (a million without -big), those that read all of it on a
// million.
func BenchmarkCommands(b *testing.B) {
	const middling, largest = 1_000_000, 10_000_000
	sizes := []int{small, middling}
	if *big {
		sizes = append(sizes, largest)
	}
	jlq := buildJLQ(b)
	for _, n := range sizes {
		dir := b.TempDir()
		require.NoError(b, shortLog(dir, n))
		b.Run(fmt.Sprintf("n=%d/open", n), func(b *testing.B) { runOpenRead(b, dir, n) })
		runCommands(b, jlq, n, constant(dir, n), nil)
		if n < largest {
			scratch := scratchFor(b, dir)
			runCommands(b, jlq, n, whole(dir, scratch), func() error {
				return errors.Join(os.RemoveAll(filepath.Join(scratch, "log")), os.RemoveAll(filepath.Join(scratch, "bare.jsonl.index")))
			})
		}
	}
}

func runCommands(b *testing.B, jlq string, n int, commands map[string][]string, before func() error) {
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) { runJLQ(b, jlq, commands[name], before) })
	}
}

// runOpenRead opens the log and asks for its count, its last records and one
// in the middle, in process: what the commands do without their start.
func runOpenRead(b *testing.B, dir string, n int) {
	b.Helper()
	var m Meter
	for b.Loop() {
		var err error
		m.Measure(1, func() { err = openRead(dir, n, nil) })
		require.NoError(b, err)
	}
	m.Report(b)
}

func openRead(dir string, n int, fs vfs.FS) error {
	p, err := partition.OpenReader(dir, &partition.Options{FS: fs})
	if err != nil {
		return err
	}
	_, next := p.Bounds()
	_, err = p.Get(next / 2)
	return errors.Join(err, mustBe(int(next), n), counted(p.Log().Tail(10).Records(), 10), p.Close())
}

func runJLQ(b *testing.B, jlq string, args []string, before func() error) {
	b.Helper()
	var m Meter
	for b.Loop() {
		if before != nil {
			require.NoError(b, before())
		}
		took, peak := runMeasured(b, jlq, args)
		m.add("ms/run", millis(took))
		m.add("ns/rec", float64(took.Nanoseconds()))
		m.add("MiB", float64(peak)/(1<<20))
	}
	m.Report(b)
}

// runMeasured runs a command by way of a small process: the kernel counts the
// memory of the process that starts another as the other's.
func runMeasured(tb testing.TB, command string, args []string) (took time.Duration, peak int64) {
	tb.Helper()
	cmd := child(tb, "run", 0, "")
	cmd.Args = append(append(cmd.Args, command), args...)
	out, err := cmd.Output()
	require.NoError(tb, err, "%v", args)
	_, err = fmt.Sscan(string(out), &took, &peak)
	require.NoError(tb, err)
	return took, peak
}

// childRun runs the command of its arguments and prints how long it took and
// the most memory that it had.
func childRun(string, int) error {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err == nil {
		_, err = fmt.Println(took.Nanoseconds(), peakMemory(cmd.ProcessState))
	}
	return err
}

func buildJLQ(tb testing.TB) string {
	tb.Helper()
	return buildProgram(tb, "../cmd/jlq")
}

// shortTime is the time of record i of a short log: one each millisecond.
func shortTime(i int) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Millisecond)
}

// shortRecord appends record i, all of which are of the same length.
func shortRecord(dst []byte, i int) []byte {
	return fmt.Appendf(dst, `{"ts":%d,"n":%09d}`, shortTime(i).UnixMilli(), 100_000_000+i)
}

// shortLog writes a log of n short records.
func shortLog(dir string, n int) error {
	p, err := partition.Open(dir, &partition.Options{Sync: partition.SyncOS, Validate: partition.Frame})
	if err != nil {
		return err
	}
	const size = 1000
	batch := make([][]byte, size)
	for from := 0; from < n; from += size {
		for i := range batch {
			batch[i] = shortRecord(batch[i][:0], from+i)
		}
		if _, err := p.AppendBatch(batch); err != nil {
			return errors.Join(err, p.Close())
		}
	}
	return p.Close()
}

// TestCommandMemory bounds the memory of the commands on a log of a million
// records, 35 MB of them and 8 MB of index: reading it into memory would show.
func TestCommandMemory(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("builds jlq and writes 120 MB")
	}
	const n = 1_000_000
	jlq, dir := buildJLQ(t), t.TempDir()
	require.NoError(t, shortLog(dir, n))
	for name, args := range constant(dir, n) {
		t.Run(name, func(t *testing.T) { requireMemory(t, jlq, args, 24) })
	}
	// What is examined or checked in parallel takes blocks for each processor.
	for name, args := range whole(dir, scratchFor(t, dir)) {
		t.Run(name, func(t *testing.T) { requireMemory(t, jlq, args, 48+4*int64(runtime.NumCPU())) })
	}
}

func requireMemory(t *testing.T, jlq string, args []string, mib int64) {
	t.Helper()
	_, peak := runMeasured(t, jlq, args)
	if peak == 0 {
		t.Skip("this system does not say how much memory a process had")
	}
	t.Logf("%d MiB of %d", peak>>20, mib)
	require.LessOrEqual(t, peak>>20, mib, "the most memory of %v, in MiB, rose", args)
}
