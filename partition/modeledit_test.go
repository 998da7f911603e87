package partition

import (
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// triple is the contents of a log's files.
type triple struct {
	recs, idx, meta string
	noIdx, noMeta   bool
}

func (l crashLog) triple(t anyT, fsys vfs.FS) triple {
	d := readDisk(t, fsys)
	idx, hasIdx := d[l.pair().Index]
	meta, hasMeta := d[l.metaPath()]
	return triple{recs: d[l.pair().Records], idx: idx, meta: meta, noIdx: !hasIdx, noMeta: !hasMeta}
}

func (m *machine) triple(t anyT) triple { return m.log.triple(t, m.mem) }

func (l crashLog) metaPath() string { return path.Join(l.path, segment.MetaName) }

// put writes those files that differ, in place or as most editors do.
func (m *machine) put(t anyT, old, now triple, byRename bool) {
	write := func(name, old, now string, gone bool) {
		if gone {
			require.NoError(t, m.mem.Remove(name))
			return
		}
		if old == now {
			return
		}
		temp := name
		if byRename {
			temp = name + ".swp"
		}
		f, err := m.mem.Open(temp, os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte(now), 0)
		require.NoError(t, errors.Join(err, f.Truncate(int64(len(now))), f.Sync(), f.Close()))
		if byRename {
			require.NoError(t, m.mem.Rename(temp, name))
		}
	}
	write(m.log.pair().Records, old.recs, now.recs, false)
	write(m.log.pair().Index, old.idx, now.idx, now.noIdx && !old.noIdx)
	write(m.log.metaPath(), old.meta, now.meta, now.noMeta && !old.noMeta)
}

// handEdit changes files as a person, a tool or a broken disk does.
type handEdit struct {
	name string
	do   func(*rapid.T, triple) triple
}

func drawEdit(t *rapid.T, l crashLog) (string, func(*rapid.T, triple) triple) {
	edits := slices.Concat(recordEdits, indexEdits)
	if !l.bare {
		edits = append(edits, handEdit{"partition.json removed", func(_ *rapid.T, f triple) triple { f.meta, f.noMeta = "", true; return f }})
	}
	e := rapid.SampledFrom(edits).Draw(t, "edit")
	return e.name, e.do
}

// onRecords makes an edit of one of the records file.
func onRecords(do func(*rapid.T, string) string) func(*rapid.T, triple) triple {
	return func(t *rapid.T, f triple) triple { f.recs = do(t, f.recs); return f }
}

// onLine makes an edit of one of a line, which it is given with its newline.
func onLine(do func(line string) string) func(*rapid.T, triple) triple {
	return onRecords(func(t *rapid.T, recs string) string {
		lines := strings.SplitAfter(recs, "\n")
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		lines[i] = do(lines[i])
		return strings.Join(lines, "")
	})
}

func appended(tail string) func(*rapid.T, triple) triple {
	return onRecords(func(_ *rapid.T, recs string) string { return recs + tail })
}

var recordEdits = []handEdit{
	{"line added", appended("{\"by\":\"hand\"}\n")},
	{"line added without newline", appended(`{"by":"hand"}`)},
	{"line added that is no JSON", appended("by hand\n")},
	{"lines added around one that is none", appended("{}\n\x00\n{}\n")},
	{"torn tail", appended(`{"n":1`)},
	{"NUL tail", appended(strings.Repeat("\x00", 600))},
	{"line deleted", onLine(func(string) string { return "" })},
	{"line edited, equal length", onLine(func(line string) string { return strings.Replace(line, "gen", "neg", 1) })},
	{"line edited, shorter", onLine(func(line string) string { return strings.Replace(line, "pad", "p", 1) })},
	{"line edited, longer", onLine(func(line string) string { return strings.Replace(line, "pad", "padding", 1) })},
	{"line edited, no JSON any more", onLine(func(line string) string { return strings.Replace(line, "}", "]", 1) })},
	{"line split", onLine(func(line string) string { return strings.Replace(line, ",", "\n", 1) })},
	{"lines joined", onRecords(func(_ *rapid.T, recs string) string { return strings.Replace(recs, "\n", " ", 1) })},
	{"line inserted", onLine(func(line string) string { return "{\"by\":\"hand\"}\n" + line })},
	{"CRLF", onRecords(func(_ *rapid.T, recs string) string { return strings.ReplaceAll(recs, "\n", "\r\n") })},
	{"byte order mark", onRecords(func(_ *rapid.T, recs string) string { return "\xef\xbb\xbf" + recs })},
	{"last newline removed", onRecords(func(_ *rapid.T, recs string) string { return strings.TrimSuffix(recs, "\n") })},
	{"NUL hole", onRecords(func(t *rapid.T, recs string) string {
		from := rapid.IntRange(0, len(recs)).Draw(t, "from")
		to := rapid.IntRange(from, min(from+700, len(recs))).Draw(t, "to")
		return recs[:from] + strings.Repeat("\x00", to-from) + recs[to:]
	})},
	{"emptied", onRecords(func(*rapid.T, string) string { return "" })},
	{"cut", onRecords(func(t *rapid.T, recs string) string { return recs[:rapid.IntRange(0, len(recs)).Draw(t, "size")] })},
}

// onIndex makes an edit of one of the index.
func onIndex(do func(*rapid.T, string) string) func(*rapid.T, triple) triple {
	return func(t *rapid.T, f triple) triple { f.idx = do(t, f.idx); return f }
}

var indexEdits = []handEdit{
	{"index removed", func(_ *rapid.T, f triple) triple { f.idx, f.noIdx = "", true; return f }},
	{"index cut", onIndex(func(t *rapid.T, idx string) string { return idx[:rapid.IntRange(0, len(idx)).Draw(t, "size")] })},
	{"index with a zero tail", onIndex(func(t *rapid.T, idx string) string {
		return idx + strings.Repeat("\x00", index.EntrySize*rapid.IntRange(1, 80).Draw(t, "zeros"))
	})},
	{"index that ends in zeros", onIndex(func(t *rapid.T, idx string) string {
		zeros := rapid.IntRange(0, len(idx)).Draw(t, "zeros")
		return idx[:len(idx)-zeros] + strings.Repeat("\x00", zeros)
	})},
	{"index that ends in garbage", onIndex(func(t *rapid.T, idx string) string {
		return idx + string(rapid.SliceOfN(rapid.Byte(), 1, 100).Draw(t, "garbage"))
	})},
	{"index with another entry", onIndex(func(t *rapid.T, idx string) string {
		if len(idx) < index.EntrySize {
			return idx
		}
		b := []byte(idx)
		at := index.EntrySize * rapid.IntRange(0, len(idx)/index.EntrySize-1).Draw(t, "at")
		copy(b[at:], index.AppendEntry(nil, rapid.Int64Range(0, int64(len(idx)*100)).Draw(t, "entry")))
		return string(b)
	})},
	{"index of another file", onIndex(func(_ *rapid.T, idx string) string {
		return string(newlineIndex(strings.Repeat("12345\n", len(idx)/8)))
	})},
}

// promise is how much of the records was promised when they were edited.
func (l crashLog) promise(t anyT, f triple) int64 {
	if l.bare {
		return 0
	}
	return naivePromise(t, f.recs, f.idx, f.meta)
}

// sameShape reports whether an edit of old left every line as long as it was,
// and every one of them JSON: nothing can tell that.
func sameShape(old, now string) bool {
	if len(now) < len(old) {
		return false
	}
	now = now[:len(old)]
	for i := range len(old) {
		if (old[i] == '\n') != (now[i] == '\n') {
			return false
		}
	}
	for line := range strings.Lines(now) {
		if jsonl.CheckStrict([]byte(strings.TrimSuffix(line, "\n")), crashBatch-1) != nil {
			return false
		}
	}
	return true
}

// personSees is what recovery keeps of records that it does not refuse:
// every line of a bare file; of a partition all that was promised, and the
// good lines behind.
func (l crashLog) personSees(t anyT, f triple) string {
	if l.bare {
		if f.recs != "" && !strings.HasSuffix(f.recs, "\n") {
			return f.recs + "\n"
		}
		return f.recs
	}
	// The bound on a batch may lie within a line, which was promised then.
	kept := int64(strings.LastIndexByte(f.recs[:l.promise(t, f)], '\n') + 1)
	for line := range strings.Lines(f.recs[kept:]) {
		rec, whole := strings.CutSuffix(line, "\n")
		if !whole || strings.Contains(rec, "\x00") || !f.noMeta && jsonl.CheckStrict([]byte(rec), crashBatch-1) != nil {
			break
		}
		kept += int64(len(line))
	}
	return f.recs[:kept]
}
