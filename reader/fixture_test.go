package reader

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// TestMain fails where a follower leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// disk is a file system for a test and a directory in it.
type disk struct {
	fs  vfs.FS
	dir string
}

// disks runs f on each file system.
func disks(t *testing.T, f func(t *testing.T, d disk)) {
	t.Run("os", func(t *testing.T) { f(t, disk{vfs.OS, t.TempDir()}) })
	t.Run("mem", func(t *testing.T) {
		mem := vfs.NewMem()
		require.NoError(t, mem.Mkdir("/log", 0o700))
		f(t, disk{mem, "/log"})
	})
}

func osDisk(t *testing.T) disk { return disk{vfs.OS, t.TempDir()} }

// path names a file in the directory.
func (d disk) path(name string) string { return filepath.Join(d.dir, name) }

// write makes data the content of a file, in place.
func (d disk) write(t testing.TB, name string, data []byte) string {
	t.Helper()
	f, err := d.fs.Open(d.path(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	require.NoError(t, err)
	_, err = f.Write(data)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return d.path(name)
}

// append adds data to a file.
func (d disk) append(t testing.TB, name string, data []byte) {
	t.Helper()
	f, err := d.fs.Open(d.path(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	_, err = f.Write(data)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// rename replaces name by a new file with that content.
func (d disk) rename(t testing.TB, name string, data []byte) {
	t.Helper()
	d.write(t, name+".new", data)
	require.NoError(t, d.fs.Rename(d.path(name+".new"), d.path(name)))
}

// cut sets the size of a file.
func (d disk) cut(t testing.TB, name string, size int64) {
	t.Helper()
	f, err := d.fs.Open(d.path(name), os.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(size))
	require.NoError(t, f.Close())
}

// entries returns the index of the whole lines of data.
func entries(data []byte) []byte {
	idx := index.AppendEntry(nil, 0)
	for i, c := range data {
		if c == '\n' {
			idx = index.AppendEntry(idx, int64(i)+1)
		}
	}
	return idx
}

// pair writes a segment of the partition directory d.
func (d disk) pair(t testing.TB, base uint64, data []byte) {
	t.Helper()
	p := segment.PairAt("", base)
	d.write(t, p.Records, data)
	d.write(t, p.Index, entries(data))
}

func (d disk) open(t testing.TB, name string, opts Options) *Log {
	t.Helper()
	opts.FS = d.fs
	log, err := Open(d.path(name), &opts)
	require.NoError(t, err)
	t.Cleanup(func() { log.Close() })
	return log
}

// text joins records to lines.
func text(records ...string) []byte {
	var b bytes.Buffer
	for _, r := range records {
		b.WriteString(r)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// numbered makes records that tell their offset, of varied length.
func numbered(from, n int) []string {
	records := make([]string, n)
	for i := range records {
		records[i] = fmt.Sprintf(`{"n":%d,"pad":"%s"}`, from+i, strings.Repeat("x", (from+i)*7%61))
	}
	return records
}

// fixture is a log and what it holds.
type fixture struct {
	name  string
	build func(t testing.TB, d disk) (name string)
	want  []string
	start uint64
	open  bool // the last record has no newline
}

func fixtures() []fixture {
	large := []string{`{"a":1}`, `{"p":"` + strings.Repeat("y", 3*blockBytes) + `"}`, `{"a":2}`}
	many := numbered(0, 20_000) // several blocks, more than one window of entries
	return []fixture{
		dirFixture("dir", many),
		dirFixture("dir empty", nil),
		dirFixture("dir one", []string{`{"n":0}`}),
		dirFixture("dir large", large),
		segmentsFixture("segments", many, 1, 7000, 7001, 19_999),
		segmentsFixture("segments small", numbered(0, 9), 3, 6),
		segmentsFixture("segments of one", numbered(0, 40), upToBases(40)...),
		trimmedFixture(),
		bareFixture("bare", many, true),
		bareFixture("bare plain", many, false),
		bareFixture("bare large", large, false),
		bareFixture("bare large indexed", large, true),
		bareFixture("bare empty", nil, false),
		bareFixture("bare blank", []string{"", `{"n":1}`, "", "", `{"n":4}`, ""}, false),
		bareFixture("bare blank indexed", []string{"", `{"n":1}`, "", "", `{"n":4}`, ""}, true),
		bareFixture("bare crlf", []string{"{\"n\":0}\r", "\r", "{\"n\":2}\r"}, false),
		bareFixture("bare bom", []string{"\xef\xbb\xbf{\"n\":0}", `{"n":1}`}, true),
		bareFixture("bare long line of NUL", []string{strings.Repeat("\x00", blockBytes+5), `{"n":1}`}, false),
		bareFixture("bare shortest lines", make([]string, maxLines+77), false),
		laggingFixture(many),
		openFixture(many[:300], true), openFixture(nil, false), openFixture(many, false),
		fragmentFixture(),
		ambarFixture(),
	}
}

func dirFixture(name string, records []string) fixture {
	return fixture{name: name, want: records, build: func(t testing.TB, d disk) string {
		d.pair(t, 0, text(records...))
		return ""
	}}
}

func segmentsFixture(name string, records []string, bases ...int) fixture {
	return fixture{name: name, want: records, build: func(t testing.TB, d disk) string {
		from := 0
		for _, to := range append(bases, len(records)) {
			d.pair(t, uint64(from), text(records[from:to]...))
			from = to
		}
		return ""
	}}
}

// upToBases are the bases of n segments of one record, but for the first.
func upToBases(n int) (bases []int) {
	for base := 1; base < n; base++ {
		bases = append(bases, base)
	}
	return bases
}

// trimmedFixture is a partition of which retention took the first segments.
func trimmedFixture() fixture {
	records := numbered(1000, 500)
	return fixture{name: "trimmed", want: records, start: 1000, build: func(t testing.TB, d disk) string {
		d.pair(t, 1000, text(records[:200]...))
		d.pair(t, 1200, text(records[200:]...))
		d.write(t, segment.MetaName, []byte(`{"format":1,"sync":"os","validate":"strict","batch":16777217,"start":1000,"synced":{"base":1200,"position":0}}`))
		return ""
	}}
}

func bareFixture(name string, records []string, indexed bool) fixture {
	return fixture{name: name, want: records, build: func(t testing.TB, d disk) string {
		d.write(t, "app.jsonl", text(records...))
		if indexed {
			d.write(t, "app.jsonl.index", entries(text(records...)))
		}
		return "app.jsonl"
	}}
}

// laggingFixture is a bare file that grew after it was indexed.
func laggingFixture(records []string) fixture {
	return fixture{name: "bare lagging", want: records, build: func(t testing.TB, d disk) string {
		d.write(t, "app.jsonl", text(records...))
		d.write(t, "app.jsonl.index", entries(text(records[:len(records)/3]...)))
		return "app.jsonl"
	}}
}

// openFixture is a bare file whose last record has no newline.
func openFixture(records []string, indexed bool) fixture {
	last := `{"last":"no newline"}`
	name := fmt.Sprintf("bare open %d %v", len(records), indexed)
	return fixture{name: name, want: append(records[:len(records):len(records)], last), open: true, build: func(t testing.TB, d disk) string {
		d.write(t, "app.jsonl", append(text(records...), last...))
		if indexed {
			d.write(t, "app.jsonl.index", entries(text(records...)))
		}
		return "app.jsonl"
	}}
}

// fragmentFixture is a bare file that ends within a record.
func fragmentFixture() fixture {
	return fixture{name: "bare fragment", want: []string{`{"n":0}`}, build: func(t testing.TB, d disk) string {
		d.write(t, "app.jsonl", []byte("{\"n\":0}\n{\"n\":"))
		return "app.jsonl"
	}}
}

// ambarFixture is a pair of the two-file emulator: 11 bytes a record, none of
// them JSON.
func ambarFixture() fixture {
	var records []string
	for i := range 100 {
		b := []byte("lorem ipsum")
		for j := range b {
			b[j] = '#' + (b[j]-'#'+byte(i))%93
		}
		records = append(records, string(b))
	}
	return fixture{name: "ambar", want: records, build: func(t testing.TB, d disk) string {
		d.write(t, "x.records", text(records...))
		d.write(t, "x.index", entries(text(records...)))
		return "x.records"
	}}
}

// next is the offset after the last record.
func (f *fixture) next() uint64 { return f.start + uint64(len(f.want)) }

// kept is a record that a test keeps.
type kept struct {
	offset   uint64
	position int64
	data     string
}

// way is one way to read all records of a log.
type way struct {
	name string
	read func(t testing.TB, log *Log, f *fixture) []kept
}

func ways() []way {
	return []way{
		{"records", func(t testing.TB, log *Log, f *fixture) []kept { return collect(t, log.Records(f.start)) }},
		{"range", func(t testing.TB, log *Log, f *fixture) []kept { return collect(t, log.Range(0, UnknownOffset)) }},
		{"pieces", readPieces},
		{"ranges", readRanges},
		{"blocks", func(t testing.TB, log *Log, f *fixture) []kept { return linesOf(t, log.Blocks(0, UnknownOffset)) }},
		{"next", readNext},
		{"reader", func(t testing.TB, log *Log, f *fixture) []kept { return collect(t, log.Reader(f.start).Records()) }},
		{"tail", func(t testing.TB, log *Log, f *fixture) []kept { return collect(t, log.Tail(f.next()+5).Records()) }},
		{"backward", readBackward},
		{"pull", func(t testing.TB, log *Log, f *fixture) []kept { return pulled(t, log.Pull(0, UnknownOffset)) }},
		{"pull the rest", readRest},
		{"pull backward", func(t testing.TB, log *Log, f *fixture) []kept {
			got := pulled(t, log.PullBackward(UnknownOffset))
			slices.Reverse(got)
			return got
		}},
		{"get", readGet},
		{"writeto", readWriteTo},
		{"seek", readSeek},
		{"follow", readFollow},
	}
}

func collect(t testing.TB, seq func(func(Record, error) bool)) []kept {
	t.Helper()
	var got []kept
	for rec, err := range seq {
		got = append(got, keep(t, rec, err))
	}
	return got
}

// keep copies a record that was read without an error. It is called for very
// many, so that it does without package require.
func keep(t testing.TB, rec Record, err error) kept {
	if err != nil || len(rec.Data) != cap(rec.Data) {
		t.Helper()
		t.Fatalf("record %d (len %d, cap %d): %v", rec.Offset, len(rec.Data), cap(rec.Data), err)
	}
	return kept{rec.Offset, rec.Position, string(rec.Data)}
}

// linesOf takes blocks apart.
func linesOf(t testing.TB, blocks iter.Seq2[Lines, error]) (got []kept) {
	t.Helper()
	for b, err := range blocks {
		require.NoError(t, err)
		before := len(got)
		for line := range bytes.Lines(b.Data) {
			data := string(bytes.TrimSuffix(line, newline))
			got = append(got, kept{b.First + uint64(len(got)-before), -1, data})
		}
		require.Equal(t, b.Count, len(got)-before)
	}
	return got
}

// readPieces reads all pieces at the same time.
func readPieces(t testing.TB, log *Log, f *fixture) []kept {
	t.Helper()
	var parts []*[]kept
	var running sync.WaitGroup
	for piece := range log.Pieces(t.Context(), 0, UnknownOffset) {
		part := new([]kept)
		parts = append(parts, part)
		running.Go(func() { *part = linesOf(t, piece) })
	}
	running.Wait()
	var got []kept
	for _, part := range parts {
		got = append(got, *part...)
	}
	return got
}

func readRanges(t testing.TB, log *Log, f *fixture) (got []kept) {
	step := max(1, uint64(len(f.want))/7)
	for at := f.start; at < f.next(); at += step {
		got = append(got, collect(t, log.Range(at, at+step))...)
	}
	return got
}

func readNext(t testing.TB, log *Log, f *fixture) (got []kept) {
	r := log.Reader(f.start)
	for {
		if want := f.start + uint64(len(got)); r.Offset() != want {
			t.Fatalf("stands at %d, not at %d", r.Offset(), want)
		}
		rec, err := r.Next()
		if err == io.EOF {
			return got
		}
		got = append(got, keep(t, rec, err))
	}
}

// readRest takes some records step by step, and the others in a loop.
func readRest(t testing.TB, log *Log, f *fixture) (got []kept) {
	p := log.Pull(0, UnknownOffset)
	defer p.Close()
	for range len(f.want) / 3 {
		rec, err := p.Next()
		got = append(got, keep(t, rec, err))
	}
	return append(got, collect(t, p.Records())...)
}

// pulled takes all of a range, and looks behind its end.
func pulled(t testing.TB, p *Pull) (got []kept) {
	defer p.Close()
	for {
		rec, err := p.Next()
		if err == io.EOF {
			_, err = p.Next()
			require.Equal(t, io.EOF, err)
			return got
		}
		got = append(got, keep(t, rec, err))
	}
}

func readBackward(t testing.TB, log *Log, f *fixture) []kept {
	got := collect(t, log.Backward(UnknownOffset))
	slices.Reverse(got)
	return got
}

func readGet(t testing.TB, log *Log, f *fixture) (got []kept) {
	step := 1 + uint64(len(f.want))/200
	for at := f.start; at < f.next(); at++ {
		if (at-f.start)%step != 0 && at+1 < f.next() { // the rest is taken from what is wanted
			got = append(got, kept{at, -1, f.want[at-f.start]})
			continue
		}
		data, err := log.Get(at)
		require.NoError(t, err)
		require.Equal(t, len(data), cap(data))
		path, position, length, err := log.Locate(at)
		require.NoError(t, err)
		require.Contains(t, log.Info().Paths, path)
		require.Equal(t, len(data), length)
		got = append(got, kept{at, position, string(data)})
	}
	return got
}

func readWriteTo(t testing.TB, log *Log, f *fixture) (got []kept) {
	var b bytes.Buffer
	n, err := log.Reader(f.start).WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), n)
	for line := range bytes.Lines(b.Bytes()) {
		if !bytes.HasSuffix(line, newline) {
			t.Fatalf("no newline behind %.60q", line)
		}
		got = append(got, kept{f.start + uint64(len(got)), -1, string(line[:len(line)-1])})
	}
	return got
}

// readSeek reads every part of the log with one Reader, the last part first.
func readSeek(t testing.TB, log *Log, f *fixture) (got []kept) {
	r := log.Reader(f.next())
	step := max(1, uint64(len(f.want))/5)
	for to := f.next(); to > f.start; {
		from := max(f.start, to-min(to, step))
		require.NoError(t, r.Seek(from))
		var part []kept
		for at := from; at < to; at++ {
			rec, err := r.Next()
			part = append(part, keep(t, rec, err))
		}
		got = append(part, got...)
		to = from
	}
	return got
}

// readFollow follows up to the last whole line.
func readFollow(t testing.TB, log *Log, f *fixture) (got []kept) {
	want := len(f.want)
	if f.open {
		want--
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if want == 0 {
		return nil
	}
	for rec, err := range log.Follow(ctx, f.start) {
		if got = append(got, keep(t, rec, err)); len(got) == want {
			break
		}
	}
	return got
}
