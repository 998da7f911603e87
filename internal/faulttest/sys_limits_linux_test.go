package faulttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// limited is jlq under a limit of the system, as ulimit sets it.
func limited(t testing.TB, resource string, limit int, args ...string) []string {
	t.Helper()
	if _, err := exec.LookPath("prlimit"); err != nil {
		needs(t, "prlimit cannot be used: %v", err)
	}
	return append([]string{"prlimit", fmt.Sprintf("--%s=%d", resource, limit), jlq(t)}, args...)
}

// TestFileSizeLimit lets files grow to a limit at which the kernel writes less
// than it was asked to, and then nothing (EFBIG). Under each limit, from none
// of the records to all of them, what was acknowledged is there, the rest is
// told, and without the limit appends go on.
func TestFileSizeLimit(t *testing.T) {
	batches := []int{1, 40, 3, 100, 1, 1, 60, 94} // about 15 kB of records and 2.4 kB of index
	step := 1024 + 7
	if testing.Short() {
		step *= 5
	}
	for _, mode := range []string{"always", "interval", "os"} {
		logs(t, func(t *testing.T, path string) {
			short := 0
			for limit := 1024; limit <= 20*1024; limit += step {
				path := filepath.Join(t.TempDir(), filepath.Base(path))
				s := newSource("a")
				stderr, code := fed(t, s, batches, limited(t, "fsize", limit, "append", "--ack", "--sync", mode, path)...)
				if code != 0 {
					short++
					require.Equal(t, 2, code, stderr)
					require.Contains(t, stderr, unix.EFBIG.Error())
					require.Contains(t, stderr, fmt.Sprintf(": %d record", len(s.acked)))
				} else {
					require.Len(t, s.acked, 300)
				}
				requireFits(t, path, limit)
				require.NoError(t, (&account{sources: []*source{s}}).check(path), "limit %d: %s", limit, stderr)
			}
			require.Positive(t, short, "the limits had no effect")
		})
	}
}

// requireFits makes sure that nothing grew beyond the limit.
func requireFits(t testing.TB, path string, limit int) {
	pair := pairOf(path)
	for _, name := range []string{pair.Records, pair.Index} {
		if info, err := os.Stat(name); err == nil {
			require.LessOrEqual(t, info.Size(), int64(limit), name)
		}
	}
}

// TestDescriptorLimit runs every command with each small number of descriptors
// (EMFILE): it works or says why not, and nothing is changed.
func TestDescriptorLimit(t *testing.T) {
	logs(t, func(t *testing.T, path string) {
		worked, failed := 0, 0
		prior := []string{}
		// With fewer the runtime of Go dies while it opens its first file.
		for limit := 8; limit <= 20; limit++ {
			s := newSource(fmt.Sprint(limit))
			stderr, code := fed(t, s, []int{1}, limited(t, "nofile", limit, "append", "--ack", path)...)
			if code == 0 {
				require.Len(t, s.acked, 1)
				worked++
			} else {
				requireTooMany(t, stderr, code)
				failed++
			}
			a := &account{prior: prior, sources: []*source{s}}
			require.NoError(t, a.check(path), "limit %d: %s", limit, stderr)
			prior = a.prior
			for _, args := range [][]string{{"cat", path}, {"get", path, "0"}, {"count", path}, {"verify", path}} {
				requireReadsOrTells(t, limited(t, "nofile", limit, args...))
			}
		}
		require.Positive(t, worked)
		require.Positive(t, failed)
	})
}

// requireReadsOrTells runs a command that finds no fault in a log.
func requireReadsOrTells(t testing.TB, args []string) {
	t.Helper()
	ctx, stop := context.WithTimeout(noContext, runLimit)
	defer stop()
	_, stderr, code := finish(t, ctx, exec.CommandContext(ctx, args[0], args[1:]...), "")
	if code != 0 {
		requireTooMany(t, stderr, code)
	}
}

func requireTooMany(t testing.TB, stderr string, code int) {
	t.Helper()
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, unix.EMFILE.Error())
	require.NotContains(t, stderr, "corrupt")
}

// TestUmask: files are 0600 and directories 0700 whatever the umask is, also
// those that recovery makes.
func TestUmask(t *testing.T) {
	for _, umask := range []string{"0", "777", "277"} {
		logs(t, func(t *testing.T, path string) {
			script := fmt.Sprintf("umask %s && exec %s append --ack %s", umask, jlq(t), path)
			s := newSource("a")
			stderr, code := fed(t, s, []int{2}, "sh", "-c", script)
			require.Zero(t, code, stderr)
			a := &account{sources: []*source{s}}
			require.NoError(t, linesBehind(path, a))
			if filepath.Base(path) == "p" {
				require.NoError(t, tornBehind(path, a))
			}
			stderr, code = fed(t, newSource("b"), []int{1}, "sh", "-c", script)
			require.Zero(t, code, stderr)
			requireModes(t, filepath.Dir(path))
		})
	}
}

func requireModes(t testing.TB, dir string) {
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if name != dir {
			require.Equal(t, want, info.Mode().Perm(), name)
		}
		return nil
	})
	require.NoError(t, err)
}
