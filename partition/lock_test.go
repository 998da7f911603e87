package partition

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// hold is the other process: it opens a log for appending, appends one
// record, and waits to be killed.
func hold(path string) {
	p, err := Open(path, nil)
	if err == nil {
		_, err = p.Append([]byte(`"held"`))
	}
	fmt.Println(err)
	time.Sleep(time.Hour) // with nothing to wait for, the runtime would call it a deadlock
}

// startHolder runs hold in another process and returns it.
func startHolder(t *testing.T, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "JLQ_HOLD="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "<nil>\n", line)
	return cmd
}

// TestLockedByAnotherProcess: a second writer is refused at once and told who
// holds the lock; readers are not; and when the holder dies the lock is free.
func TestLockedByAnotherProcess(t *testing.T) {
	for _, name := range []string{"p", "p.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		holder := startHolder(t, path)
		_, err := Open(path, nil)
		require.ErrorIs(t, err, ErrLocked)
		locked, ok := errors.AsType[*LockedError](err)
		require.True(t, ok)
		if locked.PID != 0 { // known on Linux only
			require.Equal(t, holder.Process.Pid, locked.PID)
		}
		r, err := OpenReader(path, nil)
		require.NoError(t, err)
		require.Equal(t, []string{`"held"`}, read(t, r, 0))
		require.NoError(t, r.Close())

		require.NoError(t, holder.Process.Kill())
		_ = holder.Wait()
		p := mustOpen(t, path, nil)
		require.NoError(t, p.Close())
	}
}

// TestAliases: one log has one writer, whatever name the second one comes by.
func TestAliases(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, filepath.Join(dir, "p"), nil)
	defer p.Close()
	bare := mustOpen(t, filepath.Join(dir, "b.jsonl"), nil)
	defer bare.Close()
	records := filepath.Join(dir, "p", "00000000000000000000.jsonl")
	link := func(make func(old, new string) error, old, new string) string {
		new = filepath.Join(dir, new)
		require.NoError(t, make(old, new))
		return new
	}
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege there")
	}
	linked := link(os.Symlink, filepath.Join(dir, "p"), "p-link")
	for name, path := range map[string]string{
		"the directory again":        filepath.Join(dir, "p"),
		"a symbolic link to it":      linked,
		"its segment":                records,
		"a link to its segment":      link(os.Symlink, records, "s.jsonl"),
		"a bare file again":          bare.Path(),
		"a link to a bare file":      link(os.Symlink, bare.Path(), "b-link.jsonl"),
		"a second name of one":       link(os.Link, bare.Path(), "b-hard.jsonl"),
		"a second name of segment":   link(os.Link, records, "s-hard.jsonl"),
		"another name in other case": filepath.Join(dir, ".", "p", "..", "p"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(path, nil)
			require.Error(t, err)
			_, statErr := os.Lstat(path + ".index")
			if path != bare.Path() {
				require.ErrorIs(t, statErr, fs.ErrNotExist, "nothing was made")
			}
		})
	}
}

// TestRenamedDirectory: the lock follows the directory, and a new directory
// under the old name is another log.
func TestRenamedDirectory(t *testing.T) {
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "p"), filepath.Join(dir, "moved")
	p := mustOpen(t, path, nil)
	_, err := p.Append([]byte("1"))
	require.NoError(t, err)
	require.NoError(t, os.Rename(path, moved))
	_, err = Open(moved, nil)
	require.ErrorIs(t, err, ErrLocked)

	q := mustOpen(t, path, nil)
	_, err = p.Append([]byte("2"))
	require.ErrorIs(t, err, ErrReplaced, "it would go to a file that its name does not denote")
	require.Error(t, p.Close())
	require.NoError(t, q.Close())
	p = mustOpen(t, moved, nil)
	require.Equal(t, []string{"1", "2"}, read(t, p, 0), "unknown outcome: whole lines are adopted")
	require.NoError(t, p.Close())
}

// TestSharedIndex: two files whose indexes have the same name are not written
// at the same time.
func TestSharedIndex(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, filepath.Join(dir, "x.records"), nil)
	writeFile(t, filepath.Join(dir, "x"), "{}\n")
	_, err := p.Append([]byte("1"))
	require.NoError(t, err)
	if other := segment.BarePair(filepath.Join(dir, "x")); other.Index == filepath.Join(dir, "x.index") {
		_, err = Open(filepath.Join(dir, "x"), nil)
		require.ErrorIs(t, err, ErrLocked)
	}
	_, err = p.Append([]byte("2"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
}

// TestDurableNames: what is acknowledged under SyncAlways is there after a
// power loss also when somebody else made the directory, or wrote the lines
// that were there before.
func TestDurableNames(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("d", 0o700))
	p := mustOpen(t, "d", &Options{FS: mem})
	_, err := p.Append([]byte("1"))
	require.NoError(t, err)
	after := mem.Crash(vfs.CrashConfig{})
	_ = p.Close()
	r, err := Open("d", &Options{FS: after})
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, read(t, r, 0))
	require.NoError(t, r.Close())

	mem = vfs.NewMem()
	f, err := mem.Open("f.jsonl", os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	require.NoError(t, err)
	require.NoError(t, mem.SyncDir("."))
	_, err = f.Write([]byte("1\n2\n"))
	require.NoError(t, errors.Join(err, f.Close()))
	p = mustOpen(t, "f.jsonl", &Options{FS: mem})
	require.Equal(t, uint64(2), p.Durable())
	after = mem.Crash(vfs.CrashConfig{})
	_ = p.Close()
	r, err = OpenReader("f.jsonl", &Options{FS: after})
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2"}, read(t, r, 0))
	require.NoError(t, r.Close())
}

// TestDamagedMeta: a partition.json that was damaged or edited is refused, and
// nothing is stored under offsets that are taken.
func TestDamagedMeta(t *testing.T) {
	for _, meta := range []string{
		`{"format":1,"sync":"always","validate":"strict","batch":16777217,"start":0,"synced":{"base":7,"position":0}}`,
		`{"format":1,"sync":"alwayz","validate":"strict","batch":16777217,"start":0,"synced":{"base":0,"position":0}}`,
		`{"format":1,"sync":"always","validate":"","batch":16777217,"start":0,"synced":{"base":0,"position":0}}`,
	} {
		dir := filepath.Join(t.TempDir(), "p")
		tenRecords(t, dir)
		writeFile(t, filepath.Join(dir, "partition.json"), meta)
		_, err := Open(dir, nil)
		_, corrupt := errors.AsType[*CorruptError](err)
		require.True(t, corrupt, "%s: %v", meta, err)
		names, err := vfs.OS.List(dir)
		require.NoError(t, err)
		names = slices.DeleteFunc(names, func(n string) bool { return n == "lock" }) // on Windows
		require.Len(t, names, 3)
	}
}

// TestMovedAway: a partition whose directory was moved tells the one that has
// its name now nothing about how far it is synced.
func TestMovedAway(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	p := mustOpen(t, path, nil)
	for range 10 {
		_, err := p.Append([]byte(`"a record of some length"`))
		require.NoError(t, err)
	}
	require.NoError(t, os.Rename(path, filepath.Join(dir, "moved")))
	q := mustOpen(t, path, nil)
	_, err := q.Append([]byte("1"))
	require.NoError(t, err)
	require.NoError(t, q.Close())
	require.ErrorIs(t, p.Close(), ErrReplaced)
	for name, n := range map[string]int{"p": 1, "moved": 10} {
		r := mustOpen(t, filepath.Join(dir, name), nil)
		require.Len(t, read(t, r, 0), n)
		require.NoError(t, r.Close())
	}
}

// TestStraySegment: a segment that does not follow the one before it is not
// appended to, with and without a partition.json.
func TestStraySegment(t *testing.T) {
	for _, meta := range []bool{true, false} {
		for base, content := range map[string]string{
			"00000000000000000100": "", "00000000000000000011": "1\n", "00000000000000000003": "1\n",
		} {
			dir := filepath.Join(t.TempDir(), "p")
			tenRecords(t, dir)
			writeFile(t, filepath.Join(dir, base+".jsonl"), content)
			if !meta {
				require.NoError(t, os.Remove(filepath.Join(dir, "partition.json")))
			}
			_, err := Open(dir, nil)
			_, corrupt := errors.AsType[*CorruptError](err)
			_, away := errors.AsType[*SegmentAwayError](err)
			require.True(t, corrupt || away, "%v", err)
		}
	}
}

// TestReplacedUnderGet: a bare file that was replaced is read anew, also by
// reads at random alone.
func TestReplacedUnderGet(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "f.jsonl"), "\"old\"\n\"old\"\n")
	require.NoError(t, mustOpen(t, path, nil).Close()) // builds the index
	r, err := OpenReader(path, nil)
	require.NoError(t, err)
	for range 100 {
		_, err := r.Get(1)
		require.NoError(t, err)
	}
	writeFile(t, path+".new", "\"new\"\n\"new\"\n")
	require.NoError(t, os.Rename(path+".new", path))
	data, err := r.Get(1)
	require.NoError(t, err)
	require.Equal(t, `"new"`, string(data))
	require.NoError(t, r.Close())
}

// TestLockedOnce: a refusal is one line.
func TestLockedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	p := mustOpen(t, path, nil)
	_, err := Open(path, nil)
	require.NotContains(t, err.Error(), "\n")
	require.NoError(t, p.Close())
	_, err = p.AppendBatch(nil)
	_, batch := errors.AsType[*BatchError](err)
	require.True(t, batch, "%v", err)
}
