//go:build unix

package faulttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

const handLine = `{"hand":1}`

// editorSave writes a new file with a line more and renames it over the old
// one, as editors do.
func editorSave(t testing.TB, name string) {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name+"~", append(text, handLine+"\n"...), 0o600))
	require.NoError(t, os.Rename(name+"~", name))
}

// addLine adds a line as a shell does.
func addLine(t testing.TB, name string) { require.NoError(t, extend(name, []byte(handLine+"\n"))) }

// withHand are the records of a source and the line by hand behind them.
func withHand(s *source) []string {
	var want []string
	for n := range len(s.acked) {
		want = append(want, s.record(n))
	}
	return append(want, handLine)
}

// TestHandEdits: what somebody adds to the records by hand, while nobody has
// the log open, is a record like any other.
func TestHandEdits(t *testing.T) {
	for name, edit := range map[string]func(testing.TB, string){"a shell": addLine, "an editor": editorSave} {
		t.Run(name, func(t *testing.T) {
			logs(t, func(t *testing.T, path string) {
				a := startAppend(t, path)
				code, stderr := a.end()
				require.Zero(t, code, stderr)
				edit(t, pairOf(path).Records)
				require.NoError(t, (&account{prior: withHand(a.s)}).check(path))
			})
		})
	}
}

// TestHandEditsBeside: the same under a live writer. It notices, acknowledges
// nothing more and says why; all that it acknowledged before is there, and so
// is the line by hand.
func TestHandEditsBeside(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(testing.TB, string)
		said error
	}{
		"a shell":   {addLine, partition.ErrForeignWrite},
		"an editor": {editorSave, partition.ErrReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			logs(t, func(t *testing.T, path string) {
				a := startAppend(t, path)
				c.edit(t, pairOf(path).Records)
				a.refused()
				code, stderr := a.end()
				require.Equal(t, 2, code, stderr)
				require.Contains(t, stderr, c.said.Error())
				require.Contains(t, stderr, filepath.Base(pairOf(path).Records))
				require.Contains(t, stderr, "3 records stored")
				// The outcome of the last record is unknown, and said to be.
				require.Contains(t, stderr, "open the log again")
				want := withHand(a.s)
				if c.said == partition.ErrForeignWrite {
					want = append(want, a.s.record(3)) // whole lines are adopted
				}
				require.NoError(t, (&account{prior: want}).check(path))
			})
		})
	}
}

// TestCopyTruncate: what log rotation by copytruncate does to a live writer is
// noticed, and what was acknowledged is in the copy.
func TestCopyTruncate(t *testing.T) {
	logs(t, func(t *testing.T, path string) {
		a := startAppend(t, path)
		records := pairOf(path).Records
		text, err := os.ReadFile(records)
		require.NoError(t, err)
		require.Equal(t, a.s.lines(3), string(text), "it is in the copy")
		require.NoError(t, os.Truncate(records, 0))
		a.refused()
		code, stderr := a.end()
		require.Equal(t, 2, code, stderr)
		require.Contains(t, stderr, partition.ErrForeignWrite.Error())
		// What is left is the one record that was not acknowledged, or less.
		// Opening takes it as it is or refuses it; either way in words.
		_, stderr, code = runJLQ(t, "", "append", path)
		require.Contains(t, []int{0, 4}, code, stderr)
		require.Contains(t, stderr, filepath.Base(path))
	})
}

// TestRenamedDirectory: the lock follows a directory that is renamed, and the
// writer does not follow its name to another one.
func TestRenamedDirectory(t *testing.T) {
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "p"), filepath.Join(dir, "q")
	a := startAppend(t, path)
	require.NoError(t, os.Rename(path, moved))
	_, stderr, code := runJLQ(t, "1\n", "append", moved)
	require.Equal(t, 6, code, stderr)
	_, stderr, code = runJLQ(t, "1\n", "append", path)
	require.Zero(t, code, "another log: %s", stderr)
	a.refused()
	code, stderr = a.end()
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, partition.ErrReplaced.Error())
	require.NoError(t, a.account().check(moved))
	require.NoError(t, (&account{prior: []string{"1"}}).check(path))
}

// TestSecondWriterAfterSave: an editor's save gives the name to another file,
// and no second writer a way in, as long as the first one lives.
func TestSecondWriterAfterSave(t *testing.T) {
	logs(t, func(t *testing.T, path string) {
		a := startAppend(t, path)
		editorSave(t, pairOf(path).Records)
		_, stderr, code := runJLQ(t, "1\n", "append", path)
		require.Equal(t, 6, code, stderr)
		a.refused()
		code, stderr = a.end()
		require.Equal(t, 2, code, stderr)
		require.NoError(t, (&account{prior: withHand(a.s)}).check(path))
	})
}

// TestCopiedWhileWritten copies a partition again and again while it is
// appended to. Each copy opens, and holds the first records of the log.
func TestCopiedWhileWritten(t *testing.T) {
	for _, mode := range []string{"always", "interval", "os"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "p")
			a := begun(t, path)
			copies := 10
			done := make(chan []*source)
			before := storedBytes(t, path)
			go func() { done <- killed(t, "append", mode, 0, path, time.Second) }()
			require.Eventually(t, func() bool { return storedBytes(t, path) > before }, runLimit, time.Millisecond)
			for i := range copies {
				time.Sleep(time.Duration(30+i*7) * time.Millisecond)
				out, err := exec.Command("cp", "-r", path, filepath.Join(dir, strconv.Itoa(i))).CombinedOutput()
				if err != nil { // a file that came and went, or was replaced, while the promise was renewed
					require.Contains(t, string(out), "partition.json")
				}
			}
			a.sources = <-done
			require.NoError(t, a.check(path))
			most := 0
			for i := range copies {
				copied := filepath.Join(dir, strconv.Itoa(i))
				n, err := checkCopy(copied, a.prior)
				require.NoError(t, err, "copy %d", i)
				most = max(most, n)
			}
			require.Greater(t, most, 1, "no copy was made while there was anything to copy")
		})
	}
}

// checkCopy recovers a copy and returns how many of the records it holds.
func checkCopy(path string, all []string) (int, error) {
	p, err := partition.Open(path, nil)
	if err != nil {
		return 0, err
	}
	got, err := readAll(p)
	if err = errors.Join(err, p.Close()); err != nil {
		return 0, err
	}
	if n := firstOther(got, all); n < len(got) {
		return 0, fmt.Errorf("record %d of the copy is %s", n, got[n])
	}
	return len(got), (&account{prior: got}).check(path)
}

// TestCopiedInWhichOrder: a copy whose partition.json is older than its records
// promises too little, which is safe. One that is newer promises records that
// the copy does not hold: to write to it is refused, to read it is not.
func TestCopiedInWhichOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	a := startAppend(t, path)
	early := copyOf(t, path, filepath.Join(dir, "early"))
	code, stderr := a.end() // which moves the promise to the end
	require.Zero(t, code, stderr)
	late := copyOf(t, path, filepath.Join(dir, "late"))

	old := copyOf(t, late, filepath.Join(dir, "old"))
	move(t, early, old, "partition.json")
	require.NoError(t, a.account().check(old))

	require.NoError(t, os.Truncate(pairOf(late).Records, int64(len(a.s.lines(2)))))
	_, stderr, code = runJLQ(t, "1\n", "append", late)
	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, "shorter than what was synced")
	stdout, stderr, code := runJLQ(t, "", "get", late, "0", "1")
	require.Zero(t, code, stderr)
	require.Equal(t, a.s.lines(2), stdout)
}

// copyOf copies a directory and returns its new name.
func copyOf(t testing.TB, from, to string) string {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

// move puts one file of a directory in the place of the same one of another.
func move(t testing.TB, from, to, name string) {
	t.Helper()
	require.NoError(t, os.Rename(filepath.Join(from, name), filepath.Join(to, name)))
}

// TestClock: times of files that lie in the future or long ago change nothing
// about opening, reading and following on.
func TestClock(t *testing.T) {
	for name, at := range map[string]time.Time{
		"epoch": time.Unix(0, 0), "before the epoch": time.Unix(-1e6, 0), "future": time.Now().AddDate(50, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			logs(t, func(t *testing.T, path string) {
				a := startAppend(t, path)
				touch(t, filepath.Dir(path), at)
				a.store(1)
				touch(t, filepath.Dir(path), at)
				code, stderr := a.end()
				require.Zero(t, code, stderr)
				touch(t, filepath.Dir(path), at)
				require.NoError(t, a.account().check(path))
			})
		})
	}
}

// touch gives everything in a directory one time.
func touch(t testing.TB, dir string, at time.Time) {
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(name, at, at))
	})
	require.NoError(t, err)
}
