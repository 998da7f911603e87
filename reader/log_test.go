package reader

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestOpenErrors opens what is not a log.
func TestOpenErrors(t *testing.T) {
	d := osDisk(t)
	mkdir := func(name string) { require.NoError(t, d.fs.Mkdir(d.path(name), 0o700)) }
	mkdir("empty")
	mkdir("topic")
	d.write(t, "topic/topic.json", []byte("{}"))
	mkdir("newer")
	d.write(t, "newer/partition.json", []byte(`{"format":2}`))
	d.write(t, "x.index", nil)
	for _, c := range []struct {
		name string
		err  error
	}{
		{"missing", fs.ErrNotExist},
		{"empty", segment.ErrNotLog},
		{"topic", segment.ErrTopic},
		{"newer", segment.ErrNewerFormat},
		{"x.index", segment.ErrNotLog},
	} {
		_, err := Open(d.path(c.name), nil)
		require.ErrorIs(t, err, c.err)
		require.ErrorContains(t, err, d.path(c.name))
	}
}

// TestOpenWritesNothing opens and reads a directory that cannot be written
// to, and leaves it as it was.
func TestOpenWritesNothing(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 100)...))
	d.write(t, "app.jsonl", text(numbered(0, 100)...))
	var mu sync.Mutex
	var changes []vfs.Op
	spy := vfs.NewFault(d.fs, func(op vfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if op.Kind.Changes() && op.Kind != vfs.OpOpen || op.Kind == vfs.OpLock {
			changes = append(changes, op)
		}
		return nil
	})
	for _, name := range []string{"", "app.jsonl"} {
		f := fixture{want: numbered(0, 100)}
		log := disk{spy, d.dir}.open(t, name, Options{})
		for _, w := range ways() {
			checkRecords(t, &f, w.name, w.read(t, log, &f))
		}
		log.Info()
		log.Behind()
	}
	require.Empty(t, changes)
}

// TestIndexForbidden reads a bare file whose index may not be read.
func TestIndexForbidden(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("a", "b"))
	d.write(t, "app.jsonl.index", entries(text("a", "b")))
	var out bytes.Buffer
	log, err := Open(d.path("app.jsonl"), &Options{
		Logger: slog.New(slog.NewTextHandler(&out, nil)),
		FS: vfs.NewFault(d.fs, func(op vfs.Op) error {
			if op.Kind == vfs.OpOpen && filepath.Ext(op.Path) == ".index" {
				return fs.ErrPermission
			}
			return nil
		}),
	})
	require.NoError(t, err)
	defer log.Close()
	require.Len(t, collect(t, log.Records(0)), 2)
	require.Contains(t, out.String(), "index cannot be read")
}

// TestClosed uses a log after Close, in every way.
func TestClosed(t *testing.T) {
	for _, name := range []string{"", "app.jsonl"} {
		d := osDisk(t)
		d.pair(t, 0, text(numbered(0, 5000)...))
		d.write(t, "app.jsonl", text(numbered(0, 50_000)...))
		log := d.open(t, name, Options{})
		r := log.Reader(0)
		_, err := r.Next()
		require.NoError(t, err)
		if name == "" {
			warm(t, log, 3)
		}
		require.NoError(t, log.Close())

		_, getErr := log.Get(3)
		_, _, boundsErr := log.Bounds(t.Context())
		_, _, _, locateErr := log.Locate(3)
		_, timeErr := log.OffsetAt(t.Context(), time.Now(), "")
		_, writeErr := log.Reader(0).WriteTo(io.Discard)
		_, nextErr := log.Tail(3).Next()
		errs := []error{getErr, boundsErr, locateErr, timeErr, writeErr, nextErr, log.Close(), r.Seek(0)}
		if !log.place.Bare {
			_, _, err := log.Behind()
			errs = append(errs, err)
		}
		for _, seq := range []func(func(Record, error) bool){
			log.Records(0), log.Range(0, 5), log.Backward(5), log.Follow(t.Context(), 0), log.FollowTail(t.Context(), 1), r.Records(),
		} {
			for _, err := range seq {
				errs = append(errs, err)
			}
		}
		for i, err := range errs {
			require.ErrorIs(t, err, ErrClosed, "%d", i)
		}
	}
}

// TestCloseWhileReading closes a log that others are reading.
func TestCloseWhileReading(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 3000)...))
	log := d.open(t, "", Options{})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for {
				_, err := log.Get(uint64(i * 700))
				for _, rangeErr := range log.Records(0) {
					err = errors.Join(err, rangeErr)
				}
				if err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	require.NoError(t, log.Close())
	wg.Wait()
}

// TestReaderAbandoned lets the garbage collector release what a Reader held
// that nobody uses any more.
func TestReaderAbandoned(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text("a"))
	log := d.open(t, "", Options{})
	for range 10 {
		_, err := log.Reader(0).Next()
		require.NoError(t, err)
	}
	src := log.layout.Load().last().src.Load()
	require.Eventually(t, func() bool {
		runtime.GC()
		log.pool.mu.Lock()
		defer log.pool.mu.Unlock()
		return src.refs == 0
	}, patience, 5*time.Millisecond)
}

// TestReplacedIsReleased closes the files that were replaced when their last
// reader is done.
func TestReplacedIsReleased(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("old 0", "old 1"))
	log := d.open(t, "app.jsonl", Options{})
	for rec, err := range log.Records(0) {
		require.NoError(t, err)
		require.Equal(t, []string{"old 0", "old 1"}[rec.Offset], string(rec.Data))
		if rec.Offset == 0 {
			d.rename(t, "app.jsonl", text("new"))
			require.Equal(t, "new", collect(t, log.Records(0))[0].data)
			require.Len(t, log.pool.all, 2)
		}
	}
	require.Len(t, log.pool.all, 1)
}

// TestInfo describes the files.
func TestInfo(t *testing.T) {
	d := osDisk(t)
	hundreds(t, d, 100, 200)
	info := d.open(t, "", Options{}).Info()
	size := int64(len(text(numbered(200, 100)...)))
	require.Equal(t, []string{d.path("00000000000000000100.jsonl"), d.path("00000000000000000200.jsonl")}, info.Paths)
	require.WithinDuration(t, time.Now(), info.Segments[1].ModTime, time.Minute)
	info.Segments[1].ModTime = time.Time{}
	require.Equal(t, SegmentInfo{
		Base: 200, Records: info.Paths[1], Index: d.path("00000000000000000200.index"), Bytes: size, IndexBytes: 8 * 101, Count: 100,
	}, info.Segments[1])
	require.EqualValues(t, 100, info.Start)
	require.True(t, info.HasIndex)
	require.False(t, info.Bare || info.BOM)

	d.write(t, "app.jsonl", text("\xef\xbb\xbf{}"))
	d.write(t, "app.jsonl.index", []byte("foreign index\n bytes that fit nothing"))
	info = d.open(t, "app.jsonl", Options{}).Info()
	require.True(t, info.Bare && info.BOM)
	require.False(t, info.HasIndex)
	require.Zero(t, info.Segments[0].Count)
	require.Equal(t, "app.jsonl", filepath.Base(info.Segments[0].Records))
}

// TestBehind counts whole lines that lie behind the index.
func TestBehind(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		hundreds(t, d, 0, 100)
		name := "00000000000000000100.jsonl"
		log := d.open(t, "", Options{})
		for _, c := range []struct {
			add   string
			lines uint64
			size  int64
		}{
			{"", 0, 0}, {"frag", 0, 0}, {"ment\n", 1, 9}, {"x\n\ny", 3, 12},
		} {
			d.append(t, name, []byte(c.add))
			lines, size, err := log.Behind()
			require.NoError(t, err)
			require.Equal(t, c.lines, lines)
			require.Equal(t, c.size, size)
		}
		d.write(t, segment.PairAt("", 100).Index, nil)
		lines, _, err := log.Behind()
		require.NoError(t, err)
		require.EqualValues(t, 103, lines)
	})
}

// TestBehindWriter does not count what a writer is about to publish.
func TestBehindWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := osDisk(t)
		w := newFakeWriter(t, d, 0, 10)
		log := d.open(t, "", Options{})
		w.add(5, written)
		time.AfterFunc(settle/4, w.publish)
		lines, size, err := log.Behind()
		require.NoError(t, err)
		require.Zero(t, lines)
		require.Zero(t, size)
	})
}

// TestWriteToError returns the writer's error as it is.
func TestWriteToError(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 10_000)...))
	log := d.open(t, "", Options{})
	out, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	require.NoError(t, err)
	defer out.Close()
	n, err := log.Reader(0).WriteTo(out)
	require.Zero(t, n)
	_, isPath := errors.AsType[*fs.PathError](err)
	require.True(t, isPath, "%v", err)
	_, err = log.Reader(0).WriteTo(shortWriter{})
	require.Equal(t, io.ErrShortWrite, err)
}

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

// TestReaderRecords moves the Reader, also where the loop is left.
func TestReaderRecords(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 10)...))
	r := d.open(t, "", Options{}).Reader(2)
	for rec, err := range r.Records() {
		require.NoError(t, err)
		if rec.Offset == 4 {
			break
		}
	}
	require.EqualValues(t, 5, r.Offset())
	require.Len(t, collect(t, r.Records()), 5)
	require.Empty(t, collect(t, r.Records()))
	require.NoError(t, r.Seek(9))
	var b bytes.Buffer
	n, err := r.WriteTo(&b)
	require.NoError(t, err)
	require.EqualValues(t, b.Len(), n)
	require.Equal(t, numbered(9, 1)[0]+"\n", b.String())
}

// TestRefresh takes in what a caller knows to have changed.
func TestRefresh(t *testing.T) {
	d := osDisk(t)
	hundreds(t, d, 0)
	log := d.open(t, "", Options{})
	hundreds(t, d, 100)
	require.NoError(t, log.Refresh())
	require.Len(t, log.layout.Load().slots, 2)
	require.Equal(t, segment.Place{Path: d.dir}, log.Place())
	_, _, err := log.Bounds(context.Background())
	require.NoError(t, err)
}
