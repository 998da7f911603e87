package partition

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// inOrder examines the lines one after the other, by the scanner that
// recovery uses: what examiners on several goroutines must come to.
func inOrder(w *walk) error {
	lines := segment.NewScanner(w.h.Rec, 0, w.size, w.v.limit)
	for {
		l, err := lines.Next()
		if err == io.EOF {
			w.v.advance(w.size)
			return nil
		}
		if err != nil {
			return err
		}
		f, err := judgeAlone(w, &l)
		if err == nil {
			err = w.take(f)
		}
		if err != nil {
			return err
		}
	}
}

// judgeAlone says of a line what an examiner should say.
func judgeAlone(w *walk, l *segment.Line) (*findings, error) {
	f := &findings{}
	find := func(p Problem) { f.problems = append(f.problems, numbered{p, 0}) }
	p := Problem{Records: 1, Position: l.Start, Length: l.End - l.Start}
	data := l.Data
	if w.v.p.place.Bare && l.Start == 0 && bytes.HasPrefix(data, byteOrderMark) {
		find(Problem{Kind: KindBOM, Records: 1, Length: 3, Note: true, Reason: "the file begins with a byte order mark"})
		data = data[3:]
	}
	if l.Whole {
		f.ends = []int64{l.End}
	} else {
		p.Kind, f.tailStart, f.complete = KindTail, l.Start, !l.NUL() && l.Data != nil && jsonl.Complete(l.Data)
	}
	asides, err := w.asides()
	if err != nil {
		return nil, err
	}
	saved := ""
	if l.Whole && data != nil && len(strings.Trim(string(data), " ")) == 0 {
		saved = asides.Gap(l.Data, l.Start, l.End-1)
	}
	switch {
	case saved != "":
		p.Kind, p.Note, p.Saved = KindGap, true, saved
	case l.NUL():
		p.Kind, p.Position, p.Length = KindNUL, l.NULStart, l.NULEnd-l.NULStart
		p.Reason = fmt.Sprintf("%d NUL bytes", p.Length)
	case !l.Whole:
	case data == nil:
		p.Kind, p.Reason = KindRecord, fmt.Sprintf("the line is longer than %d bytes and was not looked into", w.v.limit)
	default:
		if err := w.v.checkAt(w.h.Base)(l.Start).Check(data, w.v.limit); err != nil {
			p.Kind, p.Reason = KindRecord, err.Error()
		}
	}
	if p.Kind != "" {
		find(p)
	}
	return f, nil
}

// how a log is verified in a test.
type how struct {
	block   int64
	limit   int // 0: that of the log
	examine func(*walk) error
}

func verifyAs(t require.TestingT, p *Partition, h how) (out []Problem, n Verified, err error) {
	v := p.newVerifier(context.Background(), &n, func(problem Problem, failure error) bool {
		require.NoError(t, err, "an error is the last pair")
		if failure != nil {
			err = failure
			return true
		}
		out = append(out, problem)
		return true
	})
	v.patience = 0
	if h.block > 0 {
		v.block = h.block
	}
	if h.examine != nil {
		v.examine = h.examine
	}
	if h.limit > 0 {
		examine := v.examine
		v.examine = func(w *walk) error {
			w.v.limit = h.limit
			return examine(w)
		}
	}
	v.verify()
	return out, n, err
}

// files are the files of a log, by their names.
type files map[string]string

// openFiles opens a log that consists of these files, in memory.
func (fs files) open(t require.TestingT, log string) *Partition {
	p, err := fs.tryOpen(t, log)
	require.NoError(t, err)
	return p
}

func (fs files) tryOpen(t require.TestingT, log string) (*Partition, error) {
	mem := vfs.NewMem()
	require.NoError(t, mem.Mkdir("d", 0o700))
	for name, data := range fs {
		require.NoError(t, vfs.ReplaceFile(mem, "d/"+name, []byte(data), 0o600))
	}
	return OpenReader(log, &Options{FS: mem})
}

const (
	recordsName = "00000000000000000000.jsonl"
	entriesName = "00000000000000000000.index"
)

// requireLikeOracle verifies a log in several ways, which must come to the
// same.
func requireLikeOracle(t require.TestingT, p *Partition, limit int, blocks ...int64) []Problem {
	want, read, err := verifyAs(t, p, how{limit: limit, examine: inOrder})
	require.NoError(t, err)
	for _, block := range blocks {
		got, n, err := verifyAs(t, p, how{limit: limit, block: block})
		require.NoError(t, err)
		if !slices.Equal(want, got) {
			require.Equal(t, want, got, "block %d", block)
		}
		require.Equal(t, read, n, "block %d", block)
	}
	return want
}

// TestVerifyLikeOracle damages logs in every way and compares.
func TestVerifyLikeOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{
			`{}`, `[1,2]`, `{"a":"b"}`, ``, ` `, `      `, `null `, "{}\r", `{"a":`, "\x00\x00", "{\x00}\x00", "\uFEFF{}", "\xff", "0123456789", `"0123456789012345678901234567890123456789"`,
		})
		lines := rapid.SliceOfN(line, 0, 60).Draw(t, "lines")
		recs := strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "whole") && recs != "" {
			recs += "\n"
		}
		entries := asEntries(append([]int64{0}, lineEnds(recs)...))
		idx := ""
		for _, e := range damaged(t, entries) {
			idx += string(binary.BigEndian.AppendUint64(nil, e))
		}
		idx = idx[:rapid.SampledFrom([]int{len(idx), len(idx), len(idx) / 2, 5, 0}).Draw(t, "bytes of the index")]
		fs := files{recordsName: recs, entriesName: idx, "f.jsonl": recs, "f.jsonl.index": idx}
		if rapid.Bool().Draw(t, "gap") {
			at := rapid.IntRange(0, len(recs)).Draw(t, "saved from")
			saved := recs[at:rapid.IntRange(at, len(recs)).Draw(t, "saved to")]
			fs[fmt.Sprintf("00000000000000000000.torn-%d", at)], fs[fmt.Sprintf("f.jsonl.torn-%d", at)] = saved, saved
		}
		if rapid.Bool().Draw(t, "promise") {
			fs["partition.json"] = fmt.Sprintf(`{"format":1,"sync":"%s","validate":"%s","batch":%d,"synced":{"base":0,"position":%d}}`,
				rapid.SampledFrom([]string{"always", "os"}).Draw(t, "sync"), rapid.SampledFrom([]string{"strict", "frame"}).Draw(t, "validate"),
				rapid.IntRange(0, 40).Draw(t, "batch"), rapid.IntRange(0, len(recs)+10).Draw(t, "synced"))
		}
		limit := rapid.SampledFrom([]int{0, 1, 9, 30}).Draw(t, "limit")
		block := rapid.Int64Range(1, 70).Draw(t, "block")
		for _, log := range []string{"d", "d/f.jsonl"} {
			p := fs.open(t, log)
			requireLikeOracle(t, p, limit, block, examineBlock)
			require.NoError(t, p.Close())
		}
	})
}

// lineEnds are the positions behind the newlines of text.
func lineEnds(text string) (ends []int64) {
	for i := range len(text) {
		if text[i] == '\n' {
			ends = append(ends, int64(i)+1)
		}
	}
	return ends
}

// TestVerifyLargeLikeOracle: many blocks, lines longer than a block and than
// what may be read, and so many problems that they do not fit into what an
// examiner hands over at a time.
func TestVerifyLargeLikeOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	long := `"` + strings.Repeat("x", 300<<10) + `"` + "\n"
	many := strings.Repeat("{\"a\":1}\n", 20_000)
	for name, recs := range map[string]string{
		"long lines":    many + long + long + many + long,
		"a long tail":   many + strings.TrimSuffix(long, "\n"),
		"blank lines":   strings.Repeat("\n", 50_000),
		"bad lines":     strings.Repeat("bad\n", 20_000),
		"NULs":          many + strings.Repeat("\x00", 1<<20) + many,
		"NULs and none": strings.Repeat("\x00", 1<<20),
		"NULs at last":  many + strings.Repeat("\x00", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			var idx []byte
			for _, end := range append([]int64{0}, lineEnds(recs)...) {
				idx = index.AppendEntry(idx, end)
			}
			p := files{recordsName: recs, entriesName: string(idx)}.open(t, "d")
			for _, limit := range []int{0, 1000} {
				requireLikeOracle(t, p, limit, 4<<10, examineBlock)
			}
			require.NoError(t, p.Close())
		})
	}
}

// FuzzVerify gives arbitrary bytes as records, index and partition.json:
// verifying them ends, tells the same every time, and tells of something
// where the index is not that of the lines.
func FuzzVerify(f *testing.F) {
	good := string(index.AppendEntry(index.AppendEntry(nil, 0), 3))
	meta := `{"format":1,"sync":"always","validate":"strict","batch":100,"synced":{"base":0,"position":3}}`
	f.Add("{}\n", good, meta, byte(1))
	f.Add("{}\n{\n\n[]", good+good, "", byte(2))
	f.Add("\x00\x00\n", good+"\x00", `{"format":1`, byte(7))
	f.Add("", "", `{"format":2}`, byte(0))
	f.Add("{}\n", "\xff\xff\xff\xff\xff\xff\xff\xff", `{"format":1,"sync":"os","validate":"frame","start":9,"synced":{"base":7,"position":1}}`, byte(3))
	f.Fuzz(func(t *testing.T, recs, idx, meta string, block byte) {
		fs := files{recordsName: recs, entriesName: idx, "f.jsonl": recs, "f.jsonl.index": idx}
		if meta != "" {
			fs["partition.json"] = meta
		}
		for _, log := range []string{"d", "d/f.jsonl"} {
			p, err := fs.tryOpen(t, log)
			if err != nil {
				require.ErrorIs(t, err, ErrNewerFormat)
				continue
			}
			defer func() { require.NoError(t, p.Close()) }()
			want, _, err := verifyAs(t, p, how{examine: inOrder})
			require.NoError(t, err)
			got, n, err := verifyAs(t, p, how{block: int64(block) + 1})
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, int64(len(recs)), n.Bytes)
			requireSound(t, got, recs, idx)
		}
	})
}

// requireSound: problems lie within the files, and an index that is not that
// of the lines is one.
func requireSound(t require.TestingT, got []Problem, recs, idx string) {
	structure := 0
	for _, p := range got {
		require.NotEmpty(t, p.Kind)
		require.NotEmpty(t, p.Path)
		require.NotEmpty(t, p.Reason)
		require.GreaterOrEqual(t, p.Position, int64(0))
		require.GreaterOrEqual(t, p.Length, int64(0))
		if p.Kind != KindMeta && p.Kind != KindSegment {
			require.LessOrEqual(t, p.Position+p.Length, int64(len(recs)), "%+v", p)
		}
		if !p.Note {
			structure++
		}
	}
	want := ""
	for _, end := range append([]int64{0}, lineEnds(recs)...) {
		want += string(index.AppendEntry(nil, end))
	}
	if idx != want && !(recs == "" && idx == "") {
		require.NotZero(t, structure)
	}
}
