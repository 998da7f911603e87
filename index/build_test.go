package index

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// logFile is a records file in a directory of its own, and its index.
type logFile struct {
	t            testing.TB
	records, idx string
}

func newLog(t testing.TB, records string) logFile {
	t.Helper()
	l := logFile{t, filepath.Join(t.TempDir(), "x.jsonl"), ""}
	l.idx = Path(l.records)
	l.write(l.records, []byte(records))
	return l
}

func (l logFile) write(name string, data []byte) {
	l.t.Helper()
	require.NoError(l.t, os.WriteFile(name, data, 0o644))
}

func (l logFile) read(name string) []byte {
	l.t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(l.t, err)
	return data
}

func (l logFile) inode(name string) uint64 {
	l.t.Helper()
	info, err := vfs.OS.Stat(name)
	require.NoError(l.t, err)
	return info.Ino
}

func (l logFile) build(opts *Options) (Report, error) {
	return BuildFile(l.t.Context(), l.records, l.idx, opts)
}

// requireFits fails unless the index is the one the records must have, is the
// only file beside them and passes both checks.
func (l logFile) requireFits() {
	l.t.Helper()
	require.True(l.t, bytes.Equal(reference(string(l.read(l.records))), l.read(l.idx)))
	l.requireNoTemps()
	_, problems, err := CheckFile(l.t.Context(), l.records, l.idx, nil)
	require.NoError(l.t, err)
	require.Empty(l.t, problems)
}

func (l logFile) requireNoTemps() {
	l.t.Helper()
	names, err := vfs.OS.List(filepath.Dir(l.records))
	require.NoError(l.t, err)
	for _, name := range names {
		require.Contains(l.t, []string{filepath.Base(l.records), filepath.Base(l.idx)}, name)
	}
}

func TestBuildFile(t *testing.T) {
	for name, records := range shapes {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, records)
			r, err := l.build(nil)
			require.NoError(t, err)
			lines, end := uint64(strings.Count(records, "\n")), int64(strings.LastIndexByte(records, '\n')+1)
			size := int64(len(records))
			require.Equal(t, Report{Records: lines, End: end, Size: size, Tail: size - end,
				Added: lines, Rebuilt: true, Reason: "there is no index"}, r)
			l.requireFits()

			inode := l.inode(l.idx)
			r, err = l.build(nil)
			require.NoError(t, err)
			require.Equal(t, Report{Records: lines, End: end, Size: size, Tail: size - end}, r)
			require.Equal(t, inode, l.inode(l.idx))
			l.requireFits()
		})
	}
}

// numbered returns n records whose lengths differ.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("x", i%7) + "\n")
	}
	return b.String()
}

func TestBuildFileFindsAnIndex(t *testing.T) {
	old, now := "{\"n\":0}\n{\"n\":1}\n", "{\"n\":0}\n{\"n\":1}\n\n{\"n\":33}\n{\"n\""
	large := numbered(20_000)
	fits := func(s string) []byte { return reference(s) }
	swapped := fits(large)
	swap := func(i, k int) {
		for b := range EntrySize {
			swapped[i*EntrySize+b], swapped[k*EntrySize+b] = swapped[k*EntrySize+b], swapped[i*EntrySize+b]
		}
	}
	swap(19_900, 19_901)
	for _, test := range []struct {
		name    string
		records string
		idx     []byte
		reason  string // of rebuilding; "" means extended
		added   int
	}{
		{"behind", now, fits(old), "", 2},
		{"behind by all", now, entries(0), "", 4},
		{"empty", now, []byte{}, "", 4},
		{"only part of an entry", now, []byte{0, 0, 0, 0, 0}, "", 4},
		{"partial entry", now, append(fits(old), 0, 0, 0), "", 2},
		{"partial entry and nothing new", old, append(fits(old), 0, 0, 0), "", 0},
		{"grown much", large, fits(large[:len(large)/2]), "", 10_000},
		{"first entry wrong", now, entries(8, 16), "entry 0 is 8, not 0", 4},
		{"first entry huge", now, huge, "entry 0 is 18446744073709551615, not 0", 4},
		{"ahead", old, fits(now), "entry 3 (17) lies past the end of the records (16)", 2},
		{"of an empty file", "", fits(old), "entry 1 (8) lies past the end of the records (0)", 0},
		{"huge entry", now, append(entries(0, 8), huge...), "entry 2 (18446744073709551615) lies past the end of the records (30)", 4},
		{"largest position", now, entries(0, 8, 1<<63-1), "entry 2 (9223372036854775807) lies past the end of the records (30)", 4},
		{"zero-filled", now, make([]byte, 48), "entry 1 (0) is not above entry 0 (0)", 4},
		{"zero-filled behind", large, append(fits(large)[:16_000*8], make([]byte, 4096)...), "entry 16191 is 0, which only entry 0 can be", 20_000},
		{"foreign", now, entries(0, 5, 10), "entry 1 (5) is not behind a newline", 4},
		{"of fewer, longer lines", now, entries(0, 16, 17), "record 0 (0 to 16) holds a newline at 7", 4},
		{"shuffled", large, swapped, "record 19899 (79591 to 79604) holds a newline at 79596", 20_000},
		{"foreign and large", large, fits(strings.Repeat("{\"n\":1}\n", 7000)), "holds a newline at", 20_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLog(t, test.records)
			l.write(l.idx, test.idx)
			inode := l.inode(l.idx)
			r, err := l.build(nil)
			require.NoError(t, err)
			require.EqualValues(t, test.added, r.Added)
			require.EqualValues(t, strings.Count(test.records, "\n"), r.Records)
			require.EqualValues(t, strings.LastIndexByte(test.records, '\n')+1, r.End)
			require.Equal(t, int64(len(test.records))-r.End, r.Tail)
			if test.reason == "" {
				require.Empty(t, r.Reason)
				require.False(t, r.Rebuilt)
				require.Equal(t, test.added > 0, r.Extended)
				require.Equal(t, inode, l.inode(l.idx), "extended in place")
			} else {
				require.Contains(t, r.Reason, test.reason)
				require.True(t, r.Rebuilt)
				require.False(t, r.Extended)
			}
			l.requireFits()
		})
	}
}

// A reader that has the old index open must not see it change into another.
func TestBuildFileRebuildsByRename(t *testing.T) {
	l := newLog(t, "{\"n\":0}\n{\"n\":1}\n")
	l.write(l.idx, entries(0, 3, 5))
	old, err := os.Open(l.idx)
	require.NoError(t, err)
	defer old.Close()
	_, err = l.build(nil)
	require.NoError(t, err)
	l.requireFits()
	at, err := Entry(old, 2)
	require.NoError(t, err)
	require.EqualValues(t, 5, at)
}

// The file keeps its inode but gets other content, longer than before.
func TestBuildFileRewrittenRecords(t *testing.T) {
	l := newLog(t, strings.Repeat("{\"old\":1}\n", 10))
	_, err := l.build(nil)
	require.NoError(t, err)
	l.write(l.records, bytes.Repeat([]byte("{\"brand\":\"new\",\"n\":1}\n"), 20))
	r, err := l.build(nil)
	require.NoError(t, err)
	require.True(t, r.Rebuilt)
	require.EqualValues(t, 20, r.Records)
	l.requireFits()
}

func TestBuildFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows keeps no modes")
	}
	mode := func(l logFile) fs.FileMode {
		info, err := os.Stat(l.idx)
		require.NoError(t, err)
		return info.Mode()
	}
	l := newLog(t, "{}\n")
	require.NoError(t, os.Chmod(l.records, 0o600))
	_, err := l.build(nil)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), mode(l), "that of the records")

	require.NoError(t, os.Remove(l.idx))
	require.NoError(t, os.Chmod(l.records, 0o755))
	_, err = l.build(nil)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o644), mode(l))

	l.write(l.idx, entries(7))
	require.NoError(t, os.Chmod(l.idx, 0o664))
	_, err = l.build(nil)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o664), mode(l), "kept when rebuilt")

	require.NoError(t, os.Remove(l.idx))
	_, err = l.build(&Options{Perm: 0o640})
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), mode(l))
}

func TestBuildFileRefuses(t *testing.T) {
	l := newLog(t, "{}\n")
	dir := filepath.Dir(l.records)
	for _, test := range []struct{ name, records, idx, err string }{
		{"missing records", filepath.Join(dir, "no.jsonl"), l.idx, "no.jsonl"},
		{"missing directory", l.records, filepath.Join(dir, "no", "x.index"), "x.index"},
		{"directory as records", dir, l.idx, "not a regular file"},
		{"directory as index", l.records, dir, "not a regular file"},
		{"the same file", l.records, l.records, "records file itself"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := BuildFile(t.Context(), test.records, test.idx, nil)
			require.ErrorContains(t, err, test.err)
			require.Equal(t, "{}\n", string(l.read(l.records)))
			l.requireNoTemps()
			require.NoFileExists(t, l.idx)
		})
	}
}

func TestBuildFileLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege there")
	}
	l := newLog(t, "{}\n{}\n")
	target := filepath.Join(t.TempDir(), "target")

	require.NoError(t, os.Symlink(target, l.idx))
	_, err := l.build(nil)
	require.ErrorContains(t, err, "symbolic link")
	require.NoFileExists(t, target)

	for name, idx := range map[string][]byte{"behind": entries(0, 3), "foreign": entries(0, 1), "current": entries(0, 3, 6)} {
		l.write(target, idx)
		_, err = l.build(nil)
		if name == "current" {
			require.NoError(t, err, "nothing to write")
		} else {
			require.ErrorContains(t, err, "symbolic link", name)
		}
		require.Equal(t, idx, l.read(target), name)
	}

	// A snapshot made of hard links must stay what it was.
	require.NoError(t, os.Remove(l.idx))
	l.write(target, entries(0, 3))
	require.NoError(t, os.Link(target, l.idx))
	r, err := l.build(nil)
	require.NoError(t, err)
	require.Contains(t, r.Reason, "other names")
	require.Equal(t, entries(0, 3), l.read(target))
	l.requireFits()
	require.NoError(t, os.Link(l.idx, target+"2"))
	r, err = l.build(nil)
	require.NoError(t, err)
	require.False(t, r.Rebuilt, "nothing to write")
}

func TestBuildFileLock(t *testing.T) {
	l := newLog(t, "{}\n")
	lock, err := vfs.OS.Lock(l.records)
	require.NoError(t, err)
	_, err = l.build(nil)
	require.ErrorIs(t, err, ErrLocked)
	require.NoFileExists(t, l.idx)

	_, err = l.build(&Options{Locked: true})
	require.NoError(t, err)
	l.requireFits()

	require.NoError(t, lock.Close())
	_, err = l.build(nil)
	require.NoError(t, err)
	lock, err = vfs.OS.Lock(l.records)
	require.NoError(t, err, "BuildFile gives its lock back")
	require.NoError(t, lock.Close())
}

// TestBuildFileLockIndex: x and x.records share x.index, and a writer of
// either keeps it.
func TestBuildFileLockIndex(t *testing.T) {
	l := newLog(t, "{}\n")
	_, err := l.build(nil)
	require.NoError(t, err)
	lock, err := vfs.OS.Lock(l.idx)
	require.NoError(t, err)
	_, err = l.build(nil)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, lock.Close())
	_, err = l.build(nil)
	require.NoError(t, err)
}

func TestBuildFileProgress(t *testing.T) {
	l := newLog(t, strings.Repeat(strings.Repeat("x", 99)+"\n", 10_000))
	var done []int64
	opts := &Options{Progress: func(d, total int64) {
		require.EqualValues(t, 1_000_000, total)
		done = append(done, d)
	}}
	_, err := l.build(opts)
	require.NoError(t, err)
	require.Equal(t, []int64{0, blockSize, 2 * blockSize, 3 * blockSize, 1_000_000}, done)

	done = nil
	_, problems, err := CheckFile(t.Context(), l.records, l.idx, opts)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.EqualValues(t, 1_000_000, slices.Max(done))
	require.True(t, slices.IsSorted(done))
}

// A hole is read like any line, in the memory that any other file costs.
func TestBuildFileHole(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 1 GiB of zeros, twice")
	}
	l := newLog(t, "")
	f, err := os.OpenFile(l.records, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("\n{\"a\":1}\n{\"a\":2}\n"), 1<<30)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	used := allocated(func() {
		_, err := l.build(nil)
		require.NoError(t, err)
		_, problems, err := CheckFile(t.Context(), l.records, l.idx, nil)
		require.NoError(t, err)
		require.Empty(t, problems)
	})
	require.Less(t, used, uint64(4<<20))
	require.Equal(t, entries(0, 1<<30+1, 1<<30+9, 1<<30+17), l.read(l.idx))
}

// allocated returns how many bytes f allocates, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Readers may use an index while it is extended: what they see of it is true.
func TestBuildFileIsReadableWhileGrowing(t *testing.T) {
	records := strings.Repeat("{\"n\":1}\n{\"n\":22}\n", 300_000)
	l := newLog(t, records)
	l.write(l.idx, entries(0))
	idx, err := os.Open(l.idx)
	require.NoError(t, err)
	defer idx.Close()

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		defer stop()
		_, err := l.build(nil)
		ended <- err
	}()
	for ctx.Err() == nil {
		info, err := idx.Stat()
		require.NoError(t, err)
		if n := Count(info.Size()); n > 0 {
			start, end, err := Span(idx, n-1)
			require.NoError(t, err)
			require.Equal(t, int64(n/2*17+n%2*8), end)
			require.Equal(t, int64((n-1)/2*17+(n-1)%2*8), start)
		}
	}
	require.NoError(t, <-ended)
	l.requireFits()
}

// Every JSON-lines file that the project tries things on gives the index that
// the plainest program gives.
func TestBuildFileSamples(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "data")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the sample data is not here")
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		idx := filepath.Join(t.TempDir(), "index")
		_, err = BuildFile(t.Context(), name, idx, nil)
		require.NoError(t, err, name)
		got, err := os.ReadFile(idx)
		require.NoError(t, err)
		require.True(t, bytes.Equal(reference(string(data)), got), name)
		return nil
	})
	require.NoError(t, err)
}
