package bench

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.com/jlq/internal/vfs"
)

// countingFS counts what is asked of a file system: on each of them one system
// call or two, whatever the machine. It maps files as the system does, and what
// is read from a mapping costs nothing.
type countingFS struct {
	vfs.FS
	counts [vfs.OpClose + 1]atomic.Int64
	mapped atomic.Int64
	// syncTakes is what a sync takes at least: as on a disk, and whatever else the
	// machine does, those who wait for one meanwhile are many.
	syncTakes time.Duration
}

func newCountingFS() *countingFS { return &countingFS{FS: vfs.OS} }

func (c *countingFS) add(kind vfs.OpKind) { c.counts[kind].Add(1) }

// tally is how often each kind of operation was done.
type tally map[string]float64

func (c *countingFS) tally() tally {
	t := tally{"map": float64(c.mapped.Load())}
	for kind := range c.counts {
		t[vfs.OpKind(kind).String()] = float64(c.counts[kind].Load())
	}
	return t
}

// since returns what was done since before, for each of n operations.
func (t tally) since(before tally, n int) tally {
	out := make(tally)
	for kind, count := range t {
		if d := count - before[kind]; d > 0 {
			out[kind] = d / float64(n)
		}
	}
	return out
}

func (t tally) total() (sum float64) {
	for _, n := range t {
		sum += n
	}
	return sum
}

// String lists the kinds, the most frequent first: "write 1.00, sync 0.02".
func (t tally) String() string {
	kinds := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		if t[a] != t[b] {
			return int(1e6 * (t[b] - t[a]))
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, fmt.Sprintf("%s %.3g", kind, t[kind]))
	}
	return strings.Join(parts, ", ")
}

// Open implements vfs.FS, and so do the others.
func (c *countingFS) Open(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	c.add(vfs.OpOpen)
	f, err := c.FS.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &countingFile{File: f, fs: c}, nil
}

func (c *countingFS) Mkdir(name string, perm fs.FileMode) error {
	c.add(vfs.OpMkdir)
	return c.FS.Mkdir(name, perm)
}

func (c *countingFS) Remove(name string) error {
	c.add(vfs.OpRemove)
	return c.FS.Remove(name)
}

func (c *countingFS) Rename(oldname, newname string) error {
	c.add(vfs.OpRename)
	return c.FS.Rename(oldname, newname)
}

func (c *countingFS) Link(oldname, newname string) error {
	c.add(vfs.OpLink)
	return c.FS.Link(oldname, newname)
}

func (c *countingFS) Stat(name string) (vfs.Info, error) {
	c.add(vfs.OpStat)
	return c.FS.Stat(name)
}

func (c *countingFS) Lstat(name string) (vfs.Info, error) {
	c.add(vfs.OpStat)
	return c.FS.Lstat(name)
}

func (c *countingFS) List(dir string) ([]string, error) {
	c.add(vfs.OpList)
	return c.FS.List(dir)
}

func (c *countingFS) SyncDir(dir string) error {
	c.add(vfs.OpSyncDir)
	return c.FS.SyncDir(dir)
}

func (c *countingFS) Lock(name string) (vfs.Lock, error) {
	c.add(vfs.OpLock)
	lock, err := c.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	return &countingLock{Lock: lock, fs: c}, nil
}

// Map implements vfs.Mapper.
func (c *countingFS) Map(name string) (vfs.Mapping, error) {
	c.mapped.Add(1)
	return c.FS.(vfs.Mapper).Map(name)
}

// unmapped hides that a file system can map.
type unmapped struct{ vfs.FS }

type countingLock struct {
	vfs.Lock
	fs *countingFS
}

func (l *countingLock) Close() error {
	l.fs.add(vfs.OpClose)
	return l.Lock.Close()
}

type countingFile struct {
	vfs.File
	fs *countingFS
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.add(vfs.OpReadAt)
	return f.File.ReadAt(p, off)
}

func (f *countingFile) WriteAt(p []byte, off int64) (int, error) {
	f.fs.add(vfs.OpWriteAt)
	return f.File.WriteAt(p, off)
}

func (f *countingFile) Write(p []byte) (int, error) {
	f.fs.add(vfs.OpWrite)
	return f.File.Write(p)
}

func (f *countingFile) Truncate(size int64) error {
	f.fs.add(vfs.OpTruncate)
	return f.File.Truncate(size)
}

func (f *countingFile) Sync() error {
	f.fs.add(vfs.OpSync)
	time.Sleep(f.fs.syncTakes)
	return f.File.Sync()
}

func (f *countingFile) Stat() (vfs.Info, error) {
	f.fs.add(vfs.OpStat)
	return f.File.Stat()
}

func (f *countingFile) Close() error {
	f.fs.add(vfs.OpClose)
	return f.File.Close()
}
