package reader

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
)

// edited is what a hand made of the records file of a partition, whose index
// stayed as it was.
type edited struct {
	name  string
	lines func(lines []string) []byte
	bad   []uint64 // the records that are errors, in order
	other []uint64 // those that are read, but are other lines than they were
}

func edits() []edited {
	change := func(f func(lines []string) []string) func([]string) []byte {
		return func(lines []string) []byte { return text(f(lines)...) }
	}
	replace := func(lines []string, i int, by ...string) []string {
		return append(append(append([]string{}, lines[:i]...), by...), lines[i+1:]...)
	}
	all := func(from uint64) (offsets []uint64) {
		for i := from; i < 40; i++ {
			offsets = append(offsets, i)
		}
		return offsets
	}
	return []edited{
		{"line edited at equal length", change(func(l []string) []string {
			return replace(l, 20, strings.ReplaceAll(l[20], "x", "y"))
		}), nil, []uint64{20}},
		{"line edited longer", change(func(l []string) []string { return replace(l, 20, l[20]+" ") }), all(20), nil},
		{"line edited shorter", change(func(l []string) []string { return replace(l, 20, l[20][1:]) }), all(20), nil},
		{"last line edited shorter", change(func(l []string) []string { return replace(l, 39, l[39][1:]) }), []uint64{39}, nil},
		{"line deleted", change(func(l []string) []string { return replace(l, 20) }), all(20), nil},
		{"line inserted", change(func(l []string) []string { return replace(l, 20, "{}", l[20]) }), all(20), nil},
		{"last line deleted", change(func(l []string) []string { return replace(l, 39) }), []uint64{39}, nil},
		{"line split in two at equal total length", func(l []string) []byte {
			b := text(l...)
			b[len(text(l[:20]...))+8] = '\n'
			return b
		}, []uint64{20}, nil},
		{"two lines joined at equal total length", func(l []string) []byte {
			b := text(l...)
			b[len(text(l[:21]...))-1] = ' '
			return b
		}, []uint64{20, 21}, nil},
		{"two lines exchanged", change(func(l []string) []string {
			l = replace(l, 20, l[21])
			return replace(l, 21, numbered(20, 1)[0])
		}), []uint64{20, 21}, nil},
		{"saved with CRLF", func(l []string) []byte {
			return bytes.ReplaceAll(text(l...), newline, []byte("\r\n"))
		}, all(0), nil},
		{"saved with a byte order mark", func(l []string) []byte { return append([]byte(bom), text(l...)...) }, all(0), nil},
		{"saved without the final newline", func(l []string) []byte {
			return bytes.TrimSuffix(text(l...), newline)
		}, []uint64{39}, nil},
		{"cut in a line", func(l []string) []byte { return text(l...)[:len(text(l[:30]...))+5] }, all(30), nil},
		{"emptied", func([]string) []byte { return nil }, all(0), nil},
	}
}

// TestEditedByHand reads partitions whose records were edited. Every line that
// the index still fits is read at its offset; the rest is one error. An edit that
// keeps every length is not noticed, as the documents say.
func TestEditedByHand(t *testing.T) {
	lines := numbered(0, 40)
	for _, c := range edits() {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				d.write(t, recordsName, c.lines(lines))
				d.write(t, indexName, entries(text(lines...)))
				requireEdited(t, d.open(t, "", Options{}), lines, c)
			})
		})
	}
}

// TestEditedWhileOpen edits the files under a log and a reader that are open and
// have mapped them: in place and by an editor's save, which renames.
func TestEditedWhileOpen(t *testing.T) {
	lines := numbered(0, 40)
	for _, c := range edits() {
		for name, save := range map[string]func(disk, testing.TB, string, []byte){
			"renamed": disk.rename, "in place": func(d disk, t testing.TB, name string, data []byte) { d.write(t, name, data) },
		} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				d := osDisk(t)
				d.pair(t, 0, text(lines...))
				log := d.open(t, "", Options{})
				warm(t, log, 39)
				r := log.Reader(0)
				_, err := r.Next()
				require.NoError(t, err)
				save(d, t, recordsName, c.lines(lines))
				// A file that was replaced is read on by whoever has it; who
				// asks for the end of the log gets the new one.
				_, _, err = log.Bounds(t.Context())
				require.NoError(t, err)
				requireEdited(t, log, lines, c)
				// What the reader holds is what was there when it was read.
				for i := uint64(1); i < 40; i++ {
					rec, err := r.Next()
					require.NoError(t, err)
					require.Equal(t, lines[i], string(rec.Data))
				}
				_, err = r.Next()
				require.Equal(t, io.EOF, err)
			})
		}
	}
}

func requireEdited(t *testing.T, log *Log, lines []string, c edited) {
	t.Helper()
	bad, other := map[uint64]bool{}, map[uint64]bool{}
	for _, offset := range c.bad {
		bad[offset] = true
	}
	for _, offset := range c.other {
		other[offset] = true
	}
	r := log.Reader(0)
	for offset := uint64(0); offset < uint64(len(lines)); {
		rec, err := r.Next()
		if bad[offset] {
			e := requireCorrupt(t, err, segment.ErrIndexMismatch, c.bad[0])
			require.EqualValues(t, len(c.bad), e.Records)
			require.NoError(t, r.Skip())
			offset += e.Records
			continue
		}
		require.NoError(t, err)
		require.Equal(t, offset, rec.Offset)
		require.Equal(t, !other[offset], lines[offset] == string(rec.Data))
		offset++
	}
	_, err := r.Next()
	require.Equal(t, io.EOF, err)
	for offset, line := range lines {
		data, err := log.Get(uint64(offset))
		if bad[uint64(offset)] {
			requireCorrupt(t, err, segment.ErrIndexMismatch, uint64(offset))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, !other[uint64(offset)], line == string(data))
	}
}

// TestEditedBare reads bare files that were edited, with the index of what they
// were: the lines are the records, whatever the index says.
func TestEditedBare(t *testing.T) {
	lines := numbered(0, 40)
	for _, c := range edits() {
		if c.bad == nil {
			continue // the index still fits
		}
		for _, indexed := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				d := osDisk(t)
				now := c.lines(lines)
				d.write(t, "app.jsonl", now)
				if indexed {
					d.write(t, "app.jsonl.index", entries(text(lines...)))
				}
				var want []string
				for line := range bytes.Lines(now) {
					if bytes.HasSuffix(line, newline) || line[len(line)-1] == '}' {
						want = append(want, strings.TrimSuffix(string(line), "\n"))
					}
				}
				f := fixture{want: want, open: len(now) > 0 && now[len(now)-1] != '\n' && now[len(now)-1] == '}'}
				log := d.open(t, "app.jsonl", Options{})
				for _, w := range ways() {
					checkRecords(t, &f, w.name, w.read(t, log, &f))
				}
			})
		}
	}
}

// TestCutUnderReader cuts and empties both files of a partition under readers
// that are in the middle of it, from mappings too: errors, which name all that
// is gone, and never a crash.
func TestCutUnderReader(t *testing.T) {
	lines := numbered(0, 20_000)
	for _, file := range []string{recordsName, indexName} {
		for _, size := range []int64{0, 8 * 100} {
			t.Run(file, func(t *testing.T) {
				d := osDisk(t)
				d.pair(t, 0, text(lines...))
				log := d.open(t, "", Options{})
				warm(t, log, 19_999)
				r := log.Reader(0)
				rec, err := r.Next()
				require.NoError(t, err)
				read := uint64(1)
				d.cut(t, file, size)
				for ; err == nil; rec, err = r.Next() {
					require.Equal(t, lines[rec.Offset], string(rec.Data))
					read = rec.Offset + 1
				}
				requireCorrupt(t, err, segment.ErrIndexMismatch, read)
				_, err = log.Get(19_999)
				requireCorrupt(t, err, segment.ErrIndexMismatch, 19_999)
				for rec, err := range log.Backward(10_000) {
					if err != nil {
						require.ErrorIs(t, err, segment.ErrIndexMismatch)
						break
					}
					require.Equal(t, lines[rec.Offset], string(rec.Data))
				}
				require.NoError(t, r.Skip())
				_, err = r.Next()
				require.Error(t, err)
			})
		}
	}
}

// TestRolledBackBatch: what was read of a batch that is in flight cannot have
// been anything, because it is not published: a reader sees the batch of equal
// length that took its place.
func TestRolledBackBatch(t *testing.T) {
	first := []string{`{"n":0}`, `{"n":1}`}
	lost, kept := []string{`{"a":2}`, `{"a":3}`}, []string{`{"b":2}`, `{"b":3}`}
	d := osDisk(t)
	d.pair(t, 0, text(first...))
	log := d.open(t, "", Options{})
	r := log.Reader(0)
	for _, want := range first {
		rec, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, want, string(rec.Data))
	}
	d.append(t, recordsName, text(lost...)) // written, its fsync fails
	_, err := r.Next()
	require.Equal(t, io.EOF, err)
	require.Len(t, collect(t, log.Records(0)), 2)
	d.cut(t, recordsName, int64(len(text(first...))))
	d.append(t, recordsName, text(kept...))
	d.append(t, indexName, entries(text(append(first, kept...)...))[8*3:])
	for _, want := range kept {
		rec, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, want, string(rec.Data))
	}
	data, err := log.Get(3)
	require.NoError(t, err)
	require.Equal(t, kept[1], string(data))
}
