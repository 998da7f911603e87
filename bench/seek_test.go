package bench

import (
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// vast is how many records the log has whose files nobody could store for a
// test: 3.5 GB of records and 0.8 GB of index.
const vast = 100_000_000

// vastFS has a log of vast short records, whose files are empty where they lie
// and full where they are read: what is asked of them is computed. It counts
// the reads of records, and cannot be mapped.
type vastFS struct {
	vfs.FS
	reads int
	bytes int64
}

var vastLine = int64(len(shortRecord(nil, 0)) + 1)

func newVastFS(t *testing.T, dir string) *vastFS {
	t.Helper()
	for _, path := range []string{RecordsPath(dir), IndexPath(dir)} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	return &vastFS{FS: unmapped{vfs.OS}}
}

// sized gives the empty files their size.
func (v *vastFS) sized(name string, info vfs.Info, err error) (vfs.Info, error) {
	switch name := filepath.Base(name); {
	case strings.HasSuffix(name, ".jsonl"):
		info.Size = vast * vastLine
	case strings.HasSuffix(name, ".index"):
		info.Size = (vast + 1) * 8
	}
	return info, err
}

// Open implements vfs.FS, and so do the others.
func (v *vastFS) Open(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := v.FS.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &vastFile{File: f, fs: v}, nil
}

func (v *vastFS) Stat(name string) (vfs.Info, error) {
	info, err := v.FS.Stat(name)
	return v.sized(name, info, err)
}

func (v *vastFS) Lstat(name string) (vfs.Info, error) {
	info, err := v.FS.Lstat(name)
	return v.sized(name, info, err)
}

type vastFile struct {
	vfs.File
	fs *vastFS
}

func (f *vastFile) Stat() (vfs.Info, error) {
	info, err := f.File.Stat()
	return f.fs.sized(f.Name(), info, err)
}

// ReadAt computes the units (lines, or entries) that p overlaps.
func (f *vastFile) ReadAt(p []byte, off int64) (int, error) {
	unit, fill := int64(8), func(dst []byte, i int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(i*vastLine)) }
	if strings.HasSuffix(f.Name(), ".jsonl") {
		unit, fill = vastLine, func(dst []byte, i int64) []byte { return append(shortRecord(dst, int(i)), '\n') }
		f.fs.reads++
		f.fs.bytes += int64(len(p))
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	want := min(int64(len(p)), max(0, info.Size-off))
	var made []byte
	for i := off / unit; int64(len(made)) < off%unit+want; i++ {
		made = fill(made, i)
	}
	n := copy(p, made[off%unit:][:want])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// TestSeekByTimeAmongAHundredMillion: a time is found by 27 probes, since 2 to
// the 27th is more than there are records, and by the 2,048 records before what
// they find, in case one of them came late.
func TestSeekByTimeAmongAHundredMillion(t *testing.T) {
	const (
		probes    = 27
		preceding = 2048
		others    = 3   // whether there is a time at all, and the preceding in two blocks at most
		around    = 260 // a probe reads so many records, in case the first have no time
	)
	dir := t.TempDir()
	fs := newVastFS(t, dir)
	p, err := partition.OpenReader(dir, &partition.Options{FS: fs})
	require.NoError(t, err)
	_, next := p.Bounds()
	require.EqualValues(t, vast, next)
	for _, want := range []int{0, 1, 2048, 54_321_987, vast / 2, vast - 1, vast} {
		before := *fs
		got, err := p.OffsetAt(shortTime(want).Add(-time.Microsecond), "ts")
		require.NoError(t, err)
		require.EqualValues(t, want, got)
		reads, bytes := fs.reads-before.reads, fs.bytes-before.bytes
		t.Logf("record %d: %d reads of %d bytes", want, reads, bytes)
		require.LessOrEqual(t, reads, probes+others)
		require.LessOrEqual(t, bytes, vastLine*((probes+1)*around+preceding+around))
	}
	require.NoError(t, p.Close())
}
