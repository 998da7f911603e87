package partition

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

func TestMain(m *testing.M) {
	if os.Getenv("JLQ_HOLD") != "" {
		hold(os.Getenv("JLQ_HOLD"))
	}
	if os.Getenv("JLQ_STREAM") != "" {
		streamForever(os.Getenv("JLQ_STREAM"))
	}
	if os.Getenv("JLQ_APPEND") != "" {
		appendForever(os.Getenv("JLQ_APPEND"))
	}
	if os.Getenv("JLQ_SHARED") != "" {
		appendShared(os.Getenv("JLQ_SHARED"))
	}
	// Crash tests make and drop thousands of small file systems: by default a
	// third of their time is the collector's, which begins anew at each 4 MiB.
	debug.SetGCPercent(800)
	goleak.VerifyTestMain(m)
}

// read returns the records from offset from on.
func read(t anyT, p *Partition, from uint64) []string {
	t.Helper()
	var out []string
	for rec, err := range p.Records(from) {
		require.NoError(t, err)
		require.Equal(t, from+uint64(len(out)), rec.Offset)
		out = append(out, string(rec.Data))
	}
	return out
}

func mustOpen(t anyT, path string, opts *Options) *Partition {
	t.Helper()
	p, err := Open(path, opts)
	require.NoError(t, err)
	return p
}

func TestRoundTrip(t *testing.T) {
	for _, sync := range []SyncMode{SyncAlways, SyncInterval, SyncOS, SyncBuffered} {
		for _, name := range []string{"orders", "orders.jsonl"} {
			t.Run(sync.String()+" "+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), name)
				p := mustOpen(t, path, &Options{Sync: sync})
				require.True(t, p.Recovery().Created)
				_, err := p.Append([]byte(`{"n":0}`))
				require.NoError(t, err)
				offset, err := p.AppendValue(map[string]any{"n": 1})
				require.NoError(t, err)
				require.Equal(t, uint64(1), offset)
				require.NoError(t, p.AppendAt(2, []byte(`{"n":2}`)))
				require.Equal(t, []string{`{"n":0}`, `{"n":1}`, `{"n":2}`}, read(t, p, 0))
				data, err := p.Get(1)
				require.NoError(t, err)
				require.Equal(t, `{"n":1}`, string(data))
				require.NoError(t, p.Sync())
				require.Equal(t, uint64(3), p.Durable())
				require.NoError(t, p.Close())
				require.ErrorIs(t, p.Close(), fs.ErrClosed)

				p = mustOpen(t, path, nil)
				require.Equal(t, RecoveryReport{}, p.Recovery())
				start, next := p.Bounds()
				require.Equal(t, []uint64{0, 3}, []uint64{start, next})
				require.NoError(t, p.Close())

				p, err = OpenReader(path, nil)
				require.NoError(t, err)
				require.Equal(t, []string{`{"n":1}`, `{"n":2}`}, read(t, p, 1))
				var back []string
				for rec, err := range p.Backward(2) {
					require.NoError(t, err)
					back = append(back, string(rec.Data))
				}
				require.Equal(t, []string{`{"n":1}`, `{"n":0}`}, back)
				_, err = p.Get(3)
				out, ok := errors.AsType[*RangeError](err)
				require.True(t, ok, "%v", err)
				require.Equal(t, RangeError{Offset: 3, Start: 0, Next: 3}, *out)
				_, err = p.Append([]byte("{}"))
				require.ErrorIs(t, err, ErrReadOnly)
				_, err = p.ReadFrom(strings.NewReader("{}\n"))
				require.ErrorIs(t, err, ErrReadOnly)
				require.NoError(t, p.Close())
				require.Empty(t, problems(t, path))
			})
		}
	}
}

// TestFiles: what lies on the disk is what design and README say, to the byte.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "orders")
	p := mustOpen(t, dir, nil)
	_, err := p.AppendBatch([][]byte{[]byte(`{"n":0}`), []byte(`{"n":10}`)})
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.Equal(t, "{\"n\":0}\n{\"n\":10}\n", readFile(t, dir, "00000000000000000000.jsonl"))
	require.Equal(t, "\x00\x00\x00\x00\x00\x00\x00\x00"+"\x00\x00\x00\x00\x00\x00\x00\x08"+"\x00\x00\x00\x00\x00\x00\x00\x11",
		readFile(t, dir, "00000000000000000000.index"))
	require.Equal(t, `{"format":1,"sync":"always","validate":"strict","batch":16777217,"start":0,"synced":{"base":0,"position":17}}`+"\n",
		readFile(t, dir, "partition.json"))
	for _, name := range []string{"", "partition.json", "00000000000000000000.jsonl", "00000000000000000000.index"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, name)
	}
}

func readFile(t testing.TB, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(data)
}

func writeFile(t testing.TB, path, content string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// TestReaderWritesNothing: reading, verifying and looking around change no
// byte and no name, whatever state the log is in.
func TestReaderWritesNothing(t *testing.T) { synctest.Test(t, readerWritesNothing) }

func readerWritesNothing(t *testing.T) {
	mem := vfs.NewMem()
	p := mustOpen(t, "p", &Options{FS: mem})
	_, err := p.AppendBatch([][]byte{[]byte("1"), []byte("2")})
	require.NoError(t, err)
	require.NoError(t, p.Close())
	pair := segment.PairAt("p", 0)
	f, err := mem.Open(pair.Records, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.Write([]byte("3\n{torn"))
	require.NoError(t, err)
	require.NoError(t, f.Close())

	counted := vfs.NewFault(mem, nil)
	p, err = OpenReader("p", &Options{FS: counted})
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2"}, read(t, p, 0))
	for _, err := range p.Verify(t.Context()) {
		require.NoError(t, err)
	}
	p.Stats()
	require.NoError(t, p.Close())
	for _, op := range counted.Ops() {
		require.False(t, op.Kind.Changes() && op.Kind != vfs.OpOpen || op.Kind == vfs.OpLock, "%v", op)
	}
}

// TestBareFile: every line of a bare file is a record and stays as it is.
func TestBareFile(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		records       int
		report        func(r RecoveryReport) bool
	}{
		"plain":      {"{}\n[]\n", "{}\n[]\n9\n", 3, func(r RecoveryReport) bool { return r == RecoveryReport{} }},
		"empty":      {"", "9\n", 1, func(r RecoveryReport) bool { return r == RecoveryReport{} }},
		"no newline": {"{}\n[]", "{}\n[]\n9\n", 3, func(r RecoveryReport) bool { return r.NewlineAdded && !r.IncompleteTail }},
		"torn":       {"{}\n[", "{}\n[\n9\n", 3, func(r RecoveryReport) bool { return r.NewlineAdded && r.IncompleteTail }},
		"blank":      {"{}\n\n\r\n[]\n", "{}\n\n\r\n[]\n9\n", 5, func(r RecoveryReport) bool { return r == RecoveryReport{} }},
		"no json":    {"hello\n", "hello\n9\n", 2, func(r RecoveryReport) bool { return r == RecoveryReport{} }},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "app.log"), c.before)
			p := mustOpen(t, path, nil)
			require.True(t, c.report(p.Recovery()), "%+v", p.Recovery())
			offset, err := p.Append([]byte("9"))
			require.NoError(t, err)
			require.Equal(t, uint64(c.records-1), offset)
			require.Len(t, read(t, p, 0), c.records)
			require.NoError(t, p.Close())
			require.Equal(t, c.after, readFile(t, path))
			require.Equal(t, uint64(c.records), index.Count(int64(len(readFile(t, path+".index")))))
		})
	}
}

// TestBareFileIndex: a missing index is built, one that is behind is
// extended, one of another file is replaced under a new inode.
func TestBareFileIndex(t *testing.T) {
	const content = "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n"
	path := writeFile(t, filepath.Join(t.TempDir(), "app.jsonl"), content)
	reopen := func() RecoveryReport {
		p := mustOpen(t, path, nil)
		require.NoError(t, p.Close())
		return p.Recovery()
	}
	reopen()
	good := readFile(t, path+".index")
	require.Len(t, good, 32)

	writeFile(t, path+".index", good[:16])
	r := reopen()
	require.Equal(t, []uint64{1, 2}, []uint64{r.AdoptedFrom, r.Adopted})
	require.Equal(t, good, readFile(t, path+".index"))

	before, err := os.Stat(path + ".index")
	require.NoError(t, err)
	writeFile(t, path+".index", strings.Repeat("\x01\x02", 16))
	r = reopen()
	require.True(t, r.IndexRebuilt)
	after, err := os.Stat(path + ".index")
	require.NoError(t, err)
	require.False(t, os.SameFile(before, after))
	require.Equal(t, good, readFile(t, path+".index"))
}

// TestAmbarPair: the pair of files of the Haskell original opens as it is.
func TestAmbarPair(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, filepath.Join(dir, "x.records"), "lorem ipsum\nmpsfn!jqtvn\n")
	var idx []byte
	for _, at := range []int64{0, 12, 24} {
		idx = index.AppendEntry(idx, at)
	}
	writeFile(t, filepath.Join(dir, "x.index"), string(idx))

	p, err := OpenReader(path, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"lorem ipsum", "mpsfn!jqtvn"}, read(t, p, 0))
	require.NoError(t, p.Close())

	p = mustOpen(t, path, &Options{Validate: Frame})
	_, err = p.Append([]byte("nqtgo\"kruwo"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.Equal(t, string(index.AppendEntry(idx, 36)), readFile(t, dir, "x.index"))
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 2)
}

// TestFollow: a follower in the process gets records as they are appended.
func TestFollow(t *testing.T) {
	p := mustOpen(t, filepath.Join(t.TempDir(), "p"), &Options{Sync: SyncOS})
	got := make(chan string)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		defer close(got)
		for rec, err := range p.Follow(ctx, 0) {
			if err != nil {
				got <- err.Error()
				return
			}
			got <- string(rec.Data)
		}
	}()
	for _, want := range []string{"1", "2", "3"} {
		_, err := p.Append([]byte(want))
		require.NoError(t, err)
		require.Equal(t, want, <-got)
	}
	cancel(errors.New("enough"))
	require.Equal(t, "enough", <-got)
	<-got
	require.NoError(t, p.Close())
}

// TestFollowAnotherProcess: a reader that shares nothing with the writer but
// the files.
func TestFollowAnotherProcess(t *testing.T) {
	for _, name := range []string{"p", "p.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		p := mustOpen(t, path, nil)
		r, err := OpenReader(path, &Options{Poll: 10 * time.Millisecond})
		require.NoError(t, err)
		go func() {
			for _, rec := range []string{"1", "2", "3"} {
				if _, err := p.Append([]byte(rec)); err != nil {
					panic(err)
				}
			}
		}()
		var got []string
		for rec, err := range r.Follow(t.Context(), 0) {
			require.NoError(t, err)
			if got = append(got, string(rec.Data)); len(got) == 3 {
				break
			}
		}
		require.Equal(t, []string{"1", "2", "3"}, got)
		require.NoError(t, errors.Join(r.Close(), p.Close()))
	}
}

func TestReaderWriteTo(t *testing.T) {
	p := mustOpen(t, filepath.Join(t.TempDir(), "p"), &Options{Sync: SyncOS})
	_, err := p.AppendBatch([][]byte{[]byte("1"), []byte("22"), []byte("333")})
	require.NoError(t, err)
	var b strings.Builder
	n, err := p.Reader(1).WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, "22\n333\n", b.String())
	require.Equal(t, int64(7), n)
	r := p.Reader(3)
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
	_, err = p.Append([]byte("4"))
	require.NoError(t, err)
	rec, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "4", string(rec.Data))
	require.NoError(t, p.Close())
}
