package partition

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// bigFile makes a bare file of so many bytes, all of them bad lines.
func bigFile(t testing.TB, size int) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), "f.jsonl"), strings.Repeat("bad\n", size/4))
}

// TestVerifyStops: leaving the loop, by whatever way, ends every goroutine
// before the statement behind it runs.
func TestVerifyStops(t *testing.T) {
	p, err := OpenReader(bigFile(t, 8<<20), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	before := goleak.IgnoreCurrent()
	for _, err := range p.Verify(t.Context()) {
		require.NoError(t, err)
		break
	}
	goleak.VerifyNone(t, before)

	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := errors.New("enough")
	n := 0
	var last error
	for _, err := range p.Verify(ctx) {
		require.NoError(t, last, "an error is the last pair")
		if last = err; err == nil {
			n++
		}
		if n == 1000 {
			cancel(stop)
		}
	}
	require.ErrorIs(t, last, stop)
	require.Less(t, n, 1_000_000, "it went on for long")
	goleak.VerifyNone(t, before)

	func() {
		defer func() { require.Equal(t, "out", recover()) }()
		for _, err := range p.Verify(t.Context()) {
			require.NoError(t, err)
			panic("out")
		}
	}()
	goleak.VerifyNone(t, before)
}

// TestVerifyStopsInALine: a line that is as long as the file does not keep
// its reader either.
func TestVerifyStopsInALine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // each lane has a block in hand
	mem := vfs.NewMem()
	require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", make([]byte, 64<<20), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	slow := &counting{FS: mem}
	p, err := OpenReader("f.jsonl", &Options{FS: slow})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	slow.each = func(n int64) {
		if n > 1<<20 {
			cancel()
		}
	}
	for _, err := range p.Verify(ctx) {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Less(t, slow.read.Load(), int64(32<<20))
}

// counting counts the bytes that are read of any file.
type counting struct {
	vfs.FS
	each func(n int64)
	read atomic.Int64
}

func (c *counting) Open(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := c.FS.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &countingFile{f, c}, nil
}

type countingFile struct {
	vfs.File
	c *counting
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	total := f.c.read.Add(int64(n))
	if f.c.each != nil {
		f.c.each(total)
	}
	return n, err
}

// TestVerifyReadsOnce: a log is read once, but for a little at the ends of
// blocks, on however many goroutines.
func TestVerifyReadsOnce(t *testing.T) {
	mem := vfs.NewMem()
	fs := files{}
	fs.segment(0, 300_000)
	require.NoError(t, mem.Mkdir("d", 0o700))
	for name, data := range fs {
		require.NoError(t, vfs.ReplaceFile(mem, "d/"+name, []byte(data), 0o600))
	}
	c := &counting{FS: mem}
	p, err := OpenReader("d", &Options{FS: c})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	var n Verified
	for problem, err := range p.VerifyCount(t.Context(), &n) {
		require.NoError(t, err)
		require.True(t, problem.Note, "%+v", problem)
	}
	require.Equal(t, Verified{300_000, 2_400_000}, n)
	require.Less(t, c.read.Load(), int64(4_800_000*105/100))
}

// TestVerifyMemory: neither records nor problems cost memory that stays.
func TestVerifyMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, path := range map[string]string{"good": goodFile(t, 16<<20), "bad": bigFile(t, 2<<20)} {
		p, err := OpenReader(path, nil)
		require.NoError(t, err)
		var peak, before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		problems := 0
		for _, err := range p.Verify(t.Context()) {
			require.NoError(t, err)
			if problems++; problems%100_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&peak)
				require.Less(t, int64(peak.HeapAlloc)-int64(before.HeapAlloc), int64(32<<20), "while %s is verified", name)
			}
		}
		runtime.ReadMemStats(&peak)
		if name == "good" {
			// Buffers only: not an allocation for a hundred records.
			require.Less(t, peak.Mallocs-before.Mallocs, uint64(16<<20/64/100))
		} else {
			require.Equal(t, 1<<19, problems)
		}
		require.NoError(t, p.Close())
	}
}

// goodFile makes a bare file of so many bytes, in lines of 64.
func goodFile(t testing.TB, size int) string {
	t.Helper()
	line := `{"text":"` + strings.Repeat("x", 64-12) + "\"}\n"
	return writeFile(t, filepath.Join(t.TempDir(), "good.jsonl"), strings.Repeat(line, size/len(line)))
}

// TestVerifyProgress: it goes on to the end, whatever segments there are.
func TestVerifyProgress(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("d", 0o700))
	fs := files{}
	fs.segment(0, 100_000)
	fs.segment(100_000, 50_000)
	for name, data := range fs {
		require.NoError(t, vfs.ReplaceFile(mem, "d/"+name, []byte(data), 0o600))
	}
	var seen []int64
	p, err := OpenReader("d", &Options{FS: mem, Progress: func(done, total int64) {
		require.Equal(t, int64(1_200_000), total)
		seen = append(seen, done)
	}})
	require.NoError(t, err)
	for problem, err := range p.Verify(t.Context()) {
		require.NoError(t, err)
		require.True(t, problem.Note, "%+v", problem)
	}
	require.NoError(t, p.Close())
	require.IsIncreasing(t, seen)
	require.Greater(t, len(seen), 3)
	require.Equal(t, int64(1_200_000), seen[len(seen)-1])
}

// TestVerifyBesideWriter: a log is verified again and again while it grows,
// and nothing about it is a problem.
func TestVerifyBesideWriter(t *testing.T) {
	for _, mode := range []SyncMode{SyncAlways, SyncOS, SyncBuffered} {
		t.Run(mode.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "log")
			w := mustOpen(t, dir, &Options{Sync: mode})
			done := make(chan error, 1)
			stop := make(chan struct{})
			go func() { done <- keepAppending(w, stop) }()
			r, err := OpenReader(dir, nil)
			require.NoError(t, err)
			for begun := time.Now(); time.Since(begun) < 300*time.Millisecond; {
				for problem, err := range r.Verify(t.Context()) {
					require.NoError(t, err)
					require.True(t, problem.Note, "%+v", problem)
				}
			}
			close(stop)
			require.NoError(t, <-done)
			require.NoError(t, w.Close())
			require.Empty(t, problems(t, dir))
			require.NoError(t, r.Close())
		})
	}
}

// TestVerifyBesideSlowDisk: lines that a writer has to wait for the disk with
// are no problem either.
func TestVerifyBesideSlowDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	records := segment.PairAt(dir, 0).Records
	w := mustOpen(t, dir, &Options{FS: vfs.NewFault(vfs.OS, func(op vfs.Op) error {
		if op.Kind == vfs.OpSync && op.Path == records {
			time.Sleep(4 * patience)
		}
		return nil
	})})
	done := make(chan error, 1)
	stop := make(chan struct{})
	go func() { done <- keepAppending(w, stop) }()
	for range 3 {
		require.Empty(t, problems(t, dir))
	}
	close(stop)
	require.NoError(t, <-done)
	require.NoError(t, w.Close())
}

// keepAppending appends batches of large records until stop is closed.
func keepAppending(w *Partition, stop chan struct{}) error {
	batch := [][]byte{[]byte(`"` + strings.Repeat("x", 100_000) + `"`), []byte("{}"), []byte(`[1]`)}
	for {
		select {
		case <-stop:
			return nil
		default:
			if _, err := w.AppendBatch(batch); err != nil {
				return err
			}
		}
	}
}

// TestVerifyWaitsForTheRest: a batch that is only half written when its end is
// seen is no torn tail.
func TestVerifyWaitsForTheRest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	tenRecords(t, dir)
	recs := filepath.Join(dir, recordsName)
	appendTo(t, recs, `{"n":`)
	timer := time.AfterFunc(patience/5, func() { appendTo(t, recs, "1}\n") })
	defer timer.Stop()
	for _, p := range problems(t, dir) {
		require.NotEqual(t, KindTail, p.Kind)
	}
}
