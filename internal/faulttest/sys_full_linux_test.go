package faulttest

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/jlq/partition"
)

// tmpfs mounts a small file system in memory.
func tmpfs(t testing.TB, options string) (dir string) {
	t.Helper()
	needsRoot(t)
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		needs(t, "no tmpfs can be mounted: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// fill leaves free pages of the disk to others. The file that takes the rest
// is returned: removing it gives the room back.
func fill(t testing.TB, dir string, free int) string {
	t.Helper()
	filler := filepath.Join(dir, "filler")
	page := make([]byte, os.Getpagesize())
	taken := 0
	for ; ; taken++ {
		if err := appendTo(filler, page); err != nil {
			require.ErrorIs(t, err, unix.ENOSPC)
			break
		}
	}
	require.NoError(t, os.Truncate(filler, int64(max(0, taken-free)*len(page))))
	return filler
}

// appendTo appends bytes to a file that need not exist.
func appendTo(name string, p []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(p)
	return err
}

// TestFullDisk fills a disk at every page from before the log is made to
// behind its last record. What was acknowledged is there, the rest is told,
// and when room comes back appends go on without a repair.
func TestFullDisk(t *testing.T) {
	dir := tmpfs(t, "size=96k,nr_inodes=0")
	for _, mode := range []string{"always", "interval", "os"} {
		for _, name := range []string{"p", "f.jsonl"} {
			failed := 0
			for free := range 12 {
				home := filepath.Join(dir, "home")
				require.NoError(t, os.Mkdir(home, 0o700))
				filler := fill(t, dir, free)
				s := newSource("a")
				path := filepath.Join(home, name)
				stderr, code := fed(t, s, []int{2, 150, 3, 100, 60, 100}, jlq(t), "append", "--ack", "--sync", mode, path)
				if code != 0 {
					failed++
					require.Equal(t, 2, code, stderr)
					require.Contains(t, stderr, unix.ENOSPC.Error())
				}
				require.NoError(t, os.Remove(filler))
				require.NoError(t, (&account{sources: []*source{s}}).check(path), "%s %s, %d pages: %s", mode, name, free, stderr)
				require.NoError(t, os.RemoveAll(home))
			}
			require.Greater(t, failed, 3, "the disk was never full")
			require.Less(t, failed, 12, "it was always full")
		}
	}
}

// TestRoomComesBack: a writer that met a full disk goes on when there is room
// again, without being opened anew.
func TestRoomComesBack(t *testing.T) {
	for _, mode := range []partition.SyncMode{partition.SyncAlways, partition.SyncInterval, partition.SyncOS} {
		dir := tmpfs(t, "size=96k,nr_inodes=0")
		path := filepath.Join(dir, "p")
		p, err := partition.Open(path, &partition.Options{Sync: mode})
		require.NoError(t, err)
		s := newSource("a")
		for round := range 3 {
			filler := fill(t, dir, 1)
			for err == nil {
				err = s.appendTo(p)
			}
			require.ErrorIs(t, err, unix.ENOSPC, "round %d", round)
			require.NotErrorIs(t, err, partition.ErrPoisoned)
			require.NoError(t, os.Remove(filler))
			err = s.appendTo(p)
			require.NoError(t, err)
		}
		require.NoError(t, p.Close())
		require.NoError(t, (&account{sources: []*source{s}}).check(path))
	}
}

// appendTo appends the next record.
func (s *source) appendTo(p *partition.Partition) error {
	offset, err := p.Append([]byte(s.record(s.sent)))
	if err == nil {
		s.acked[s.sent] = offset
		s.sent++
	}
	return err
}

// remount makes a mounted directory read-only by remounting it through itself:
// files that are open for writing stay so, as with a disk that turned
// read-only after an error, and nothing can be opened for writing any more.
// undo makes it writable again, at the end of the test at the latest.
func remount(t testing.TB, dir string) (undo func()) {
	t.Helper()
	require.NoError(t, unix.Mount(dir, dir, "", unix.MS_BIND, ""))
	undo = sync.OnceFunc(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	t.Cleanup(undo)
	require.NoError(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""))
	return undo
}

// TestReadOnlyWhileOpen turns the disk read-only under a writer: it says so
// when it is closed at the latest, and what it acknowledged is there.
func TestReadOnlyWhileOpen(t *testing.T) {
	for _, mode := range []string{"always", "os"} {
		home := tmpfs(t, "size=1m")
		path := filepath.Join(home, "p")
		a := startAppend(t, path, "--sync", mode)
		undo := remount(t, home)
		a.store(2)
		code, stderr := a.end()
		require.Equal(t, 2, code, stderr)
		require.Contains(t, stderr, unix.EROFS.Error())
		undo()
		require.NoError(t, a.account().check(path))
	}
}

// TestReadOnlyMedia: all that reads works on media that cannot be written to,
// also on a log that was never closed; all that writes says why it cannot.
func TestReadOnlyMedia(t *testing.T) {
	for _, name := range []string{"p", "f.jsonl"} {
		home := tmpfs(t, "size=1m")
		path := filepath.Join(home, name)
		spoil := tornBehind
		if name != "p" {
			spoil = linesBehind
		}
		_, err := left(name, partition.SyncAlways, spoil)(home)
		require.NoError(t, err)
		remount(t, home)
		before, err := contents(home)
		require.NoError(t, err)
		for _, args := range [][]string{
			{"cat", path}, {"cat", "-r", path}, {"get", path, "0", "3"}, {"head", path}, {"tail", path}, {"count", path}, {"stat", path},
		} {
			_, stderr, code := runJLQ(t, "", args...)
			require.Zero(t, code, "%v: %s", args, stderr)
		}
		_, stderr, code := runJLQ(t, "", "verify", path)
		require.NotEqual(t, 2, code, stderr)
		for _, args := range [][]string{{"append", path}, {"append", filepath.Join(home, "new")}, {"append", filepath.Join(home, "new.jsonl")}} {
			_, stderr, code := runJLQ(t, "1\n", args...)
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, unix.EROFS.Error())
		}
		if name != "p" {
			_, stderr, code = runJLQ(t, "", "index", path)
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, unix.EROFS.Error())
		}
		after, err := contents(home)
		require.NoError(t, err)
		require.True(t, bytes.Equal(before, after))
	}
}
