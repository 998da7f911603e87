package faulttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/group"
	"example.com/jlq/partition"
)

// storeSome makes a log of n records.
func storeSome(t testing.TB, path string, n int) {
	p, err := partition.Open(path, &partition.Options{Sync: partition.SyncOS})
	require.NoError(t, err)
	for i := range n {
		_, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, i))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
}

// TestConsumeOnFullDisk consumes where only so many pages are free: it works, or
// says why not, and when there is room again the group goes on, with what was
// not committed.
func TestConsumeOnFullDisk(t *testing.T) {
	dir := tmpfs(t, "size=96k,nr_inodes=0")
	const records = 20
	failed := 0
	for free := range 6 {
		home := filepath.Join(dir, "home")
		require.NoError(t, os.Mkdir(home, 0o700))
		path := filepath.Join(home, "p")
		storeSome(t, path, records)
		filler := fill(t, dir, free)
		out, stderr, code := runJLQ(t, "", "consume", "-g", "g", path)
		first := strings.Count(out, "\n")
		if code != 0 {
			failed++
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, unix.ENOSPC.Error())
		} else {
			require.Equal(t, records, first)
		}
		require.NoError(t, os.Remove(filler))
		next := uint64(0)
		if g, err := group.Open(path, "g", nil); err == nil {
			lags, err := g.Lag(noContext)
			if !errors.Is(err, group.ErrNotRegistered) {
				require.NoError(t, err)
				next = lags[0].Committed
			}
		}
		require.LessOrEqual(t, next, uint64(first), "%d pages: committed is what was consumed", free)
		out, stderr, code = runJLQ(t, "", "consume", "-g", "g", path)
		require.Zero(t, code, stderr)
		require.Equal(t, records-int(next), strings.Count(out, "\n"), "%d pages", free)
		require.NoError(t, os.RemoveAll(home))
	}
	require.Positive(t, failed, "the disk was never full")
	require.Less(t, failed, 6, "it was always full")
}

// TestDiskFailsUnderAMember: the disk is full, or turns read-only, under a
// member that consumes and has dead letters to write. It says so, nothing
// passes what it could not write, and when the disk is well again it goes on by
// itself.
func TestDiskFailsUnderAMember(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(dir string) (undo func())
		want  error
	}{
		"full": {func(dir string) func() {
			filler := fill(t, dir, 0)
			return func() { require.NoError(t, os.Remove(filler)) }
		}, unix.ENOSPC},
		"read-only": {func(dir string) func() { return remount(t, dir) }, unix.EROFS},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tmpfs(t, "size=192k,nr_inodes=0")
			path := filepath.Join(dir, "p")
			const records = 20
			storeSome(t, path, records)
			g, err := group.Open(path, "g", &group.Options{
				CommitEvery: 10 * time.Millisecond, MaxAttempts: 1, RetryDelay: time.Millisecond, RetryMax: 20 * time.Millisecond,
			})
			require.NoError(t, err)
			m, err := g.Join(noContext)
			require.NoError(t, err)
			defer m.Close()
			committed := func() uint64 {
				lags, err := g.Lag(noContext)
				require.NoError(t, err)
				return lags[0].Committed
			}
			var undo func()
			var told []error
			n, dead := 0, uint64(10)
			take := func(msg *group.Message, err error) {
				if err != nil {
					require.ErrorIs(t, err, c.want)
					if told = append(told, err); len(told) == 2 {
						require.LessOrEqual(t, committed(), dead)
						undo()
					}
					return
				}
				if n++; n == 5 {
					require.NoError(t, m.CommitSync())
					undo = c.spoil(dir)
				}
				if msg.Offset == dead {
					msg.Nack(errors.New("it is poison"))
					return
				}
				msg.Ack()
			}
			// An error of the offsets file ends a loop, and nothing with it. The disk
			// is mended at the second error.
			for quiet := false; !quiet; {
				quiet = true
				for msg, err := range m.MessagesToEnd(noContext) {
					quiet = quiet && err == nil
					take(msg, err)
				}
			}
			require.Equal(t, records, n, "each once")
			require.GreaterOrEqual(t, len(told), 2, "the commit and the dead letter: %v", told)
			require.LessOrEqual(t, len(told), 10, "not again and again: %v", told)
			require.Eventually(t, func() bool { return committed() == records }, runLimit, 5*time.Millisecond)
			letters := 0
			for letter, err := range g.DeadLetters(noContext) {
				require.NoError(t, err)
				require.Equal(t, dead, letter.Offset)
				letters++
			}
			require.Equal(t, 1, letters)
			require.NoError(t, m.Close())
		})
	}
}
