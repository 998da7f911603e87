package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// The test binary runs itself with these in the environment to have a process
// that can be killed, or be watched by strace.
const (
	childJob = "JLQ_BENCH_JOB" // what to do and how many records: "append-kill 1000"
	childDir = "JLQ_BENCH_DIR"
)

// jobs are what a child does with an open log and n records.
var jobs = map[string]func(dir string, n int) error{
	"append-close": childAppend(partition.SyncOS, BatchSize, (*partition.Partition).Close),
	"append-kill":  childAppend(partition.SyncOS, BatchSize, killSelf),
	"append-one":   childAppend(partition.SyncOS, 1, (*partition.Partition).Close),
	"sync-one":     childAppend(partition.SyncAlways, 1, (*partition.Partition).Close),
	"scan":         childScan,
	"get":          childGet,
	"follow":       childFollow,
	"follow-pipe":  childFollowPipe,
	"follow-file":  childFollowFile,
	"run":          childRun,
	"consume":      childConsume,
}

func runChild(job, dir string) int {
	name, count, _ := strings.Cut(job, " ")
	n, err := strconv.Atoi(count)
	if err == nil {
		err = jobs[name](dir, n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// childAppend returns a job that appends n records, a multiple of ShortAppend
// when they are more than that, and leaves the log to end.
func childAppend(sync partition.SyncMode, size int, end func(*partition.Partition) error) func(string, int) error {
	return func(dir string, n int) error {
		p, err := partition.Open(dir, &partition.Options{Sync: sync, Validate: partition.Frame})
		if err != nil {
			return err
		}
		set := JSON(min(n, ShortAppend))
		for left := n; left > 0; left -= set.Len() {
			if err := appendAll(jlqStore{p}, set, size); err != nil {
				return err
			}
		}
		return end(p)
	}
}

// killSelf ends the process as a kill from outside does: nothing is flushed,
// synced or unlocked by it.
func killSelf(*partition.Partition) error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := self.Kill(); err != nil {
		return err
	}
	select {}
}

func childScan(dir string, n int) error {
	p, err := partition.OpenReader(dir, nil)
	if err != nil {
		return err
	}
	t, err := jlqStore{p}.tally()
	if err == nil && t.Records != n {
		err = fmt.Errorf("%d records, want %d", t.Records, n)
	}
	return errors.Join(err, p.Close())
}

func childGet(dir string, n int) error {
	p, err := partition.OpenReader(dir, nil)
	if err != nil {
		return err
	}
	_, next := p.Bounds()
	_, err = sumOf(Shuffled(int(next), n), p.GetInto)
	return errors.Join(err, p.Close())
}

// child returns the command that does the job in dir.
func child(tb testing.TB, job string, n int, dir string) *exec.Cmd {
	tb.Helper()
	self, err := os.Executable()
	require.NoError(tb, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", childJob, job, n), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}
