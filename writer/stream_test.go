package writer

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/vfs"
)

// readers are ways in which the same bytes come.
var readers = map[string]func(io.Reader) io.Reader{
	"at once":           func(r io.Reader) io.Reader { return r },
	"byte by byte":      iotest.OneByteReader,
	"half":              iotest.HalfReader,
	"end with the last": iotest.DataErrReader,
	"with empty reads":  func(r io.Reader) io.Reader { return &hesitant{r: r} },
}

// hesitant gives nothing at every other read.
type hesitant struct {
	r    io.Reader
	next bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.next = !h.next; h.next {
		return 0, nil
	}
	return h.r.Read(p)
}

func TestReadFrom(t *testing.T) {
	long := `"` + strings.Repeat("x", 90_000) + `"`
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"nothing":                 {"", nil},
		"lines":                   {"1\n2\n3\n", []string{"1", "2", "3"}},
		"no last newline":         {"1\n2", []string{"1", "2"}},
		"byte order mark":         {jsonl.BOM + "1\n2\n", []string{"1", "2"}},
		"only the mark":           {jsonl.BOM, nil},
		"carriage returns":        {"1\r\n2\r\n", []string{"1\r", "2\r"}},
		"longer than a read":      {"1\n" + long + "\n2\n", []string{"1", long, "2"}},
		"longer than all batches": {strings.Repeat(long+"\n", 40), slicesRepeat(long, 40)},
	} {
		for way, reader := range readers {
			t.Run(name+", "+way, func(t *testing.T) {
				fsys := vfs.NewMem()
				w, _ := mustOpen(t, fsys, Options{Sync: SyncOS})
				n, err := w.ReadFrom(reader(strings.NewReader(c.in)))
				require.NoError(t, err)
				require.EqualValues(t, len(c.in), n)
				require.NoError(t, w.Close())
				require.Equal(t, c.want, stored(t, fsys))
			})
		}
	}
}

// wide are records of 1 KiB: a stream of 1,100 is longer than its buffer.
func wide(from, to int) []string {
	var out []string
	for n := from; n < to; n++ {
		out = append(out, fmt.Sprintf(`{"n":%d,"pad":"%01000d"}`, n, n))
	}
	return out
}

func slicesRepeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestReadFromEveryMode(t *testing.T) {
	each(t, func(t *testing.T, sync SyncMode) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: sync})
		want := wide(0, 1_500)
		_, err := w.ReadFrom(strings.NewReader(strings.Join(want, "\n")))
		require.NoError(t, err)
		require.EqualValues(t, len(want), w.Next())
		require.NoError(t, w.Close())
		require.Equal(t, want, stored(t, fsys))
	})
}

// TestReadFromRefuses: every line before the bad one is stored, none behind it.
func TestReadFromRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want error
		data string
		far  int
	}{
		"blank":            {"", jsonl.ErrEmpty, "", 1_500},
		"no JSON":          {"{\"a\"}", nil, "{\"a\"}", 2},
		"a mark":           {jsonl.BOM + "1", nil, jsonl.BOM + "1", 2},
		"NUL":              {"\"\x00\"", jsonl.ErrNUL, "\"\x00\"", 2},
		"too large":        {`"` + strings.Repeat("x", 2000) + `"`, jsonl.ErrTooLarge, `"` + strings.Repeat("x", 1023), 1_500},
		"larger than room": {`"` + strings.Repeat("x", 4<<20) + `"`, jsonl.ErrTooLarge, `"` + strings.Repeat("x", 1023), 2},
	} {
		for _, before := range []int{0, 1, c.far} {
			if name == "a mark" && before == 0 {
				continue // there it is one
			}
			for way, reader := range map[string]func(io.Reader) io.Reader{"at once": readers["at once"], "half": iotest.HalfReader} {
				t.Run(name+", "+way, func(t *testing.T) {
					fsys := vfs.NewMem()
					w, _ := mustOpen(t, fsys, Options{Sync: SyncOS, MaxRecordBytes: 2000})
					_, err := w.Append(rec(-1))
					require.NoError(t, err)
					in := strings.Join(append(append(wide(0, before), c.line), lines(0, 1000)...), "\n")
					_, err = w.ReadFrom(reader(strings.NewReader(in)))

					batch, ok := errors.AsType[*BatchError](err)
					require.True(t, ok, "%v", err)
					require.Equal(t, before, batch.Stored)
					require.False(t, batch.Unknown)
					if before > 0 {
						require.EqualValues(t, 1, batch.First)
					}
					line, ok := errors.AsType[*LineError](err)
					require.True(t, ok, "%v", err)
					require.EqualValues(t, before+1, line.Line)
					require.Equal(t, c.data, string(line.Data))
					if c.want != nil {
						require.ErrorIs(t, err, c.want)
					}
					require.NoError(t, w.Close())
					require.Equal(t, append(lines(-1, 0), wide(0, before)...), stored(t, fsys))
				})
			}
		}
	}
}

// TestReadFromBrokenInput: what came behind the last newline is not stored.
func TestReadFromBrokenInput(t *testing.T) {
	fsys := vfs.NewMem()
	w, _ := mustOpen(t, fsys, Options{Sync: SyncOS})
	in := io.MultiReader(strings.NewReader("1\n2\n3"), iotest.ErrReader(syscall.EIO))
	n, err := w.ReadFrom(in)
	require.EqualValues(t, 5, n)
	require.ErrorIs(t, err, syscall.EIO)
	batch, _ := errors.AsType[*BatchError](err)
	require.Equal(t, 2, batch.Stored)
	_, err = w.ReadFrom(silent{})
	require.ErrorIs(t, err, io.ErrNoProgress)
	require.NoError(t, w.Close())
	require.Equal(t, []string{"1", "2"}, stored(t, fsys))

	n, err = w.ReadFrom(strings.NewReader("4\n"))
	require.ErrorIs(t, err, errClosed(w))
	require.Zero(t, n, "taken from the stream by a writer that cannot store it")
}

func errClosed(w *Writer) error { return w.Err() }

// silent gives nothing and does not end.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// TestReadFromPause: what came before a pause is stored during the pause.
func TestReadFromPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: SyncOS})
		r, in := io.Pipe()
		done := make(chan error, 1)
		go func() {
			_, err := w.ReadFrom(r)
			done <- err
		}()
		for i := range 20 {
			_, err := in.Write(append(rec(i), '\n'))
			require.NoError(t, err)
			synctest.Wait()
			require.EqualValues(t, i+1, w.Next())
		}
		require.NoError(t, in.Close())
		require.NoError(t, <-done)
		require.NoError(t, w.Close())
		require.Equal(t, lines(0, 20), stored(t, fsys))
	})
}

// TestReadFromFullDisk: the error says how many lines are stored, and the rest
// of the stream is not read to its end.
func TestReadFromFullDisk(t *testing.T) {
	mem, s := vfs.NewMem(), &switched{}
	w, _ := mustOpen(t, vfs.NewFault(mem, s.hook), Options{Sync: SyncOS})
	writes := 0
	s.set(func(op vfs.Op) error {
		if op.Kind == vfs.OpWrite && op.Path == pair.Records {
			if writes++; writes > 1 {
				return &vfs.ShortWrite{N: 1000, Err: syscall.ENOSPC}
			}
		}
		return nil
	})
	all := wide(0, 6_000)
	in := strings.Join(all, "\n")
	n, err := w.ReadFrom(strings.NewReader(in))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Less(t, n, int64(len(in)))
	batch, ok := errors.AsType[*BatchError](err)
	require.True(t, ok)
	require.False(t, batch.Unknown)
	require.EqualValues(t, w.Next(), batch.Stored)
	s.set(nil)

	// It goes on where that ended.
	_, err = w.ReadFrom(strings.NewReader(strings.Join(all[batch.Stored:], "\n")))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Equal(t, all, stored(t, mem))
}

// TestReadFromPanic: a stream that panics leaves no goroutine behind, and the
// writer whole.
func TestReadFromPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := vfs.NewMem()
		w, _ := mustOpen(t, fsys, Options{Sync: SyncOS})
		require.Panics(t, func() { w.ReadFrom(io.MultiReader(strings.NewReader("1\n"), panics{})) })
		_, err := w.Append(rec(0))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	})
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("boom") }

// TestReadFromMemory: a stream of any length takes the memory of two buffers.
func TestReadFromMemory(t *testing.T) {
	fsys := vfs.NewMem()
	w, _ := mustOpen(t, fsys, Options{Sync: SyncOS})
	in := strings.Join(lines(0, 100_000), "\n")
	allocs := testing.AllocsPerRun(3, func() {
		_, err := w.ReadFrom(strings.NewReader(in))
		require.NoError(t, err)
	})
	require.Less(t, allocs, 500.0)
	require.NoError(t, w.Close())
}

// TestCheckShared: with help, the same record is found as without.
func TestCheckShared(t *testing.T) {
	fsys := vfs.NewMem()
	w, _ := mustOpen(t, fsys, Options{Sync: SyncOS})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		data := recs(0, 1+rng.IntN(200))
		for range rng.IntN(3) {
			data[rng.IntN(len(data))] = []byte("nonsense")
		}
		data[rng.IntN(len(data))] = []byte(`"` + strings.Repeat("x", rng.IntN(3000)) + `"`)
		want, wantErr := w.checkPart(data)
		got, err := w.checkShared(data, 1+rng.IntN(4))
		require.Equal(t, want, got)
		require.Equal(t, wantErr, err)
	}
	require.NoError(t, w.Close())
}

// TestCheckSharedRefuses: a large call is refused as a whole.
func TestCheckSharedRefuses(t *testing.T) {
	fsys := vfs.NewMem()
	w, _ := mustOpen(t, fsys, Options{Sync: SyncOS})
	batch := recs(0, 100_000)
	batch[70_000], batch[70_001] = []byte("{"), []byte("")
	_, err := w.AppendBatch(batch)
	refused, ok := errors.AsType[*RecordError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 70_000, refused.Index)
	require.NoError(t, w.Close())
	require.Empty(t, stored(t, fsys))
}

func BenchmarkCheck(b *testing.B) {
	w := &Writer{}
	record := []byte(`{"time":"2026-01-02T03:04:05Z","level":"info","message":"` + strings.Repeat("some text ", 18) + `"}`)
	data := make([][]byte, 4000)
	for i := range data {
		data[i] = record
	}
	b.SetBytes(w.lines(data))
	for b.Loop() {
		if _, err := w.check(data); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAppendAllocations: a record takes no memory of its own, whoever checks
// it. What the writer's goroutines allocate meanwhile is left room for.
func TestAppendAllocations(t *testing.T) {
	t.Chdir(t.TempDir())
	w, _ := mustOpen(t, vfs.OS, Options{Sync: SyncOS})
	record, batch := []byte(`{"n":1}`), recs(0, 100)
	require.Less(t, testing.AllocsPerRun(1000, func() { w.Append(record) }), 0.5)
	require.Less(t, testing.AllocsPerRun(1000, func() { w.AppendBatch(batch) }), 0.5)
	require.NoError(t, w.Close())
}

// TestReadFromStopsAtFailure: what was read behind a batch that could not be
// stored is not stored either, although it could be.
func TestReadFromStopsAtFailure(t *testing.T) {
	mem, s := vfs.NewMem(), &switched{}
	w, _ := mustOpen(t, vfs.NewFault(mem, s.hook), Options{Sync: SyncOS})
	first, second, read := make(chan struct{}), make(chan struct{}), make(chan struct{})
	writes := 0
	s.set(func(op vfs.Op) error {
		if op.Kind != vfs.OpWrite || op.Path != pair.Records {
			return nil
		}
		switch writes++; writes {
		case 1:
			close(first)
		case 2:
			close(second)
			<-read
			return vfs.ShortWrite{N: 1, Err: syscall.ENOSPC}
		}
		return nil
	})
	_, err := w.ReadFrom(&readSteps{
		func() string { return "0\n" },
		func() string { <-first; return "1\n" },
		func() string { <-second; return "2\n" },
		func() string { close(read); return "" }, // 2 was handed over
	})
	require.ErrorIs(t, err, syscall.ENOSPC)
	batch, ok := errors.AsType[*BatchError](err)
	require.True(t, ok)
	require.Equal(t, 1, batch.Stored)
	s.set(nil)
	require.NoError(t, w.Close())
	require.Equal(t, []string{"0"}, stored(t, mem))
}

// readSteps is a stream: what each of them returns, one a read.
type readSteps []func() string

func (r *readSteps) Read(p []byte) (int, error) {
	if len(*r) == 0 {
		return 0, io.EOF
	}
	step := (*r)[0]
	*r = (*r)[1:]
	return copy(p, step()), nil
}
