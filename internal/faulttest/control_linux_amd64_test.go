package faulttest

import (
	"bufio"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

func init() { roles["careless"] = appendCarelessly }

// appendCarelessly is the negative control of the matrix: it acknowledges what
// it has not appended yet, and no error is any to it.
func appendCarelessly(path string) {
	p, err := partition.Open(path, nil)
	if err != nil {
		return
	}
	defer p.Close()
	_, next := p.Bounds()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); next++ {
		say("%d", next)
		_, _ = p.Append(lines.Bytes())
	}
}

// TestMatrixNotices is the negative control of every matrix of system calls:
// the tracer and what a case is held against find a program that is careless,
// whatever it meets, and find nothing where it meets nothing.
func TestMatrixNotices(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(roleEnv, "careless:p")
	w := &workload{mode: "always", log: "p", prepare: nothingThere, batches: []int{1, 3, 2}}
	_, err = w.attempt(self, t.TempDir(), nil)
	require.NoError(t, err, "nothing happens to it")
	const records, index = "00000000000000000000.jsonl", "00000000000000000000.index"
	for _, c := range []struct {
		fault
		found string
	}{
		{fault{at: call{"write", records, 2}}, "lost"},
		{fault{at: call{"write", records, 2}, errno: unix.EIO}, "nobody noticed"},
		{fault{at: call{"write", records, 2}, errno: unix.ENOSPC, short: true}, "nobody noticed"},
		{fault{at: call{"write", index, 2}, errno: unix.ENOSPC}, "nobody noticed"},
		{fault{at: call{"fdatasync", records, 2}, errno: unix.EIO}, "nobody noticed"},
		{fault{at: call{"openat", records, 1}, errno: unix.EMFILE}, "acknowledged"},
	} {
		t.Run(c.String(), func(t *testing.T) {
			r, err := w.attempt(self, t.TempDir(), &c.fault)
			require.True(t, r.struck)
			require.ErrorContains(t, err, c.found)
		})
	}
}
