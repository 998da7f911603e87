package partition

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
)

// problems verifies the log at path.
func problems(t testing.TB, path string) []Problem {
	t.Helper()
	p, err := OpenReader(path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	var out []Problem
	for problem, err := range p.Verify(t.Context()) {
		require.NoError(t, err)
		out = append(out, problem)
	}
	return out
}

// brief is what the tests compare of a Problem.
type brief struct {
	kind     string
	offset   uint64
	records  uint64
	position int64
	length   int64
	note     bool
}

func briefs(ps []Problem) []brief {
	var out []brief
	for _, p := range ps {
		out = append(out, brief{p.Kind, p.Offset, p.Records, p.Position, p.Length, p.Note})
	}
	return out
}

// TestVerifyPartition breaks a partition of ten records of eight bytes each.
func TestVerifyPartition(t *testing.T) {
	nul := strings.Repeat("\x00", 7)
	for name, c := range map[string]struct {
		damage func(t *testing.T, recs, idx string)
		want   []brief
	}{
		"clean": {func(t *testing.T, recs, idx string) {}, nil},
		"record cut": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Truncate(recs, 76))
		}, []brief{{KindTail, 9, 1, 72, 4, false}, {KindMeta, 9, 1, 76, 4, false}}},
		"records cut": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Truncate(recs, 40))
		}, []brief{{KindMeta, 5, 5, 40, 40, false}}},
		"records emptied": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Truncate(recs, 0))
		}, []brief{{KindMeta, 0, 10, 0, 80, false}}},
		"torn tail": {func(t *testing.T, recs, idx string) {
			appendTo(t, recs, `{"n":`)
		}, []brief{{KindTail, 10, 1, 80, 5, false}}},
		"index behind": {func(t *testing.T, recs, idx string) {
			appendTo(t, recs, "{}\n{}\n")
		}, []brief{{KindBehind, 10, 2, 80, 6, false}}},
		"index partial": {func(t *testing.T, recs, idx string) {
			appendTo(t, idx, "\x00\x00")
		}, []brief{{KindIndex, 0, 0, 0, 0, false}}},
		"index ahead": {func(t *testing.T, recs, idx string) {
			appendTo(t, idx, string(index.AppendEntry(index.AppendEntry(nil, 88), 96)))
		}, []brief{{KindAhead, 10, 2, 80, 0, false}}},
		"index missing": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Remove(idx))
		}, []brief{{KindIndex, 0, 0, 0, 0, false}}},
		"entry wrong": {func(t *testing.T, recs, idx string) {
			patch(t, idx, 24, string(index.AppendEntry(nil, 23)))
		}, []brief{{KindEntry, 2, 1, 16, 8, false}}},
		"first entry wrong": {func(t *testing.T, recs, idx string) {
			patch(t, idx, 0, string(index.AppendEntry(nil, 1)))
		}, []brief{{KindEntry, 0, 1, 0, 0, false}}},
		"last entry wrong": {func(t *testing.T, recs, idx string) {
			patch(t, idx, 80, string(index.AppendEntry(nil, 79)))
		}, []brief{{KindEntry, 9, 1, 72, 8, false}}},
		"entries zero": {func(t *testing.T, recs, idx string) {
			patch(t, idx, 24, strings.Repeat("\x00", 24))
		}, []brief{{KindEntry, 2, 3, 16, 24, false}}},
		"entries zero to the end": {func(t *testing.T, recs, idx string) {
			patch(t, idx, 24, strings.Repeat("\x00", 64))
		}, []brief{{KindEntry, 2, 8, 16, 64, false}}},
		"entries zero behind the end": {func(t *testing.T, recs, idx string) {
			appendTo(t, idx, strings.Repeat("\x00", 800))
		}, []brief{{KindAhead, 10, 100, 80, 0, false}}},
		"index garbage": {func(t *testing.T, recs, idx string) {
			patch(t, idx, 0, strings.Repeat("garbage!", 11))
		}, []brief{{KindIndex, 0, 10, 0, 80, false}}},
		"index empty": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Truncate(idx, 0))
		}, []brief{{KindBehind, 0, 10, 0, 80, false}}},
		"index less than an entry": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Truncate(idx, 7))
		}, []brief{{KindIndex, 0, 0, 0, 0, false}}},
		"index lost its end": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Truncate(idx, 64))
		}, []brief{{KindBehind, 7, 3, 56, 24, false}}},
		"record no json": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 16, "nothing")
		}, []brief{{KindRecord, 2, 1, 16, 8, false}}},
		"NULs": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 16, nul)
		}, []brief{{KindNUL, 2, 1, 16, 7, false}}},
		"line joined": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 23, ",")
		}, []brief{{KindRecord, 2, 2, 16, 16, false}}},
		"lines joined to a record": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 16, "[1,          2]")
		}, []brief{{KindSplit, 2, 2, 16, 16, false}}},
		"NULs over lines": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 20, strings.Repeat("\x00", 24))
		}, []brief{{KindNUL, 2, 4, 20, 24, false}}},
		"NUL up to where a record begins": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 20, strings.Repeat("\x00", 20))
		}, []brief{{KindNUL, 2, 3, 20, 20, false}}},
		"NUL for whole records": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 16, strings.Repeat("\x00", 24))
		}, []brief{{KindNUL, 2, 3, 16, 24, false}}},
		"NUL for a newline": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 23, "\x00")
		}, []brief{{KindNUL, 2, 1, 23, 1, false}}},
		"line split": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 16, "12\n4567")
		}, []brief{{KindSplit, 2, 1, 16, 8, false}}},
		"line split into no records": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 20, "\n")
		}, []brief{{KindSplit, 2, 1, 16, 8, false}}},
		"lines split and joined": {func(t *testing.T, recs, idx string) {
			patch(t, recs, 16, "12\n4567")
			patch(t, recs, 48, "[1,          2]")
			patch(t, recs, 72, "x")
		}, []brief{{KindEntry, 2, 5, 16, 32, false}, {KindRecord, 9, 1, 72, 8, false}}},
		"partition.json missing": {func(t *testing.T, recs, idx string) {
			require.NoError(t, os.Remove(filepath.Join(filepath.Dir(recs), "partition.json")))
		}, []brief{{KindMeta, 0, 0, 0, 0, true}}},
		"partition.json broken": {func(t *testing.T, recs, idx string) {
			writeFile(t, filepath.Join(filepath.Dir(recs), "partition.json"), "{")
		}, []brief{{KindMeta, 0, 0, 0, 0, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "p")
			tenRecords(t, dir)
			recs, idx := filepath.Join(dir, "00000000000000000000.jsonl"), filepath.Join(dir, "00000000000000000000.index")
			c.damage(t, recs, idx)
			synctest.Test(t, func(t *testing.T) { require.Equal(t, c.want, briefs(problems(t, dir))) }) // it waits for a writer
		})
	}
}

func tenRecords(t testing.TB, path string) {
	p := mustOpen(t, path, nil)
	for n := range 10 {
		_, err := p.Append([]byte(`{"n":` + string(rune('0'+n)) + `}`))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
}

func appendTo(t *testing.T, path, s string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString(s)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func patch(t *testing.T, path string, at int64, s string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte(s), at)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestVerifyBareFile(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    []brief
	}{
		"clean":               {"{}\n[]\n", nil},
		"byte order mark":     {"\uFEFF{}\n[]\n", []brief{{KindBOM, 0, 1, 0, 3, true}}},
		"carriage return":     {"{}\r\n[]\r\n", nil},
		"blank lines":         {"{}\n\n\r\n", []brief{{KindRecord, 1, 1, 3, 1, false}, {KindRecord, 2, 1, 4, 2, false}}},
		"complete at the end": {"{}\n[]", []brief{{KindTail, 1, 1, 3, 2, true}}},
		"torn at the end":     {"{}\n[", []brief{{KindTail, 1, 1, 3, 1, false}}},
		"hole": {strings.Repeat("\x00", 4096) + "{}\n[]\n",
			[]brief{{KindNUL, 0, 1, 0, 4096, false}}},
		"text behind the value": {"{} x\n{}\n", []brief{{KindRecord, 0, 1, 0, 5, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "f.jsonl"), c.content)
			require.Equal(t, c.want, briefs(problems(t, path)))
		})
	}
}

// TestVerifyForeignIndex: a whole index of another file is a few problems and
// not one a record.
func TestVerifyForeignIndex(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "f.jsonl"), strings.Repeat("{\"a\":1}\n", 1000))
	var idx []byte
	for i := range int64(1001) {
		idx = index.AppendEntry(idx, 7*i)
	}
	writeFile(t, path+".index", string(idx))
	got := problems(t, path)
	require.NotEmpty(t, got)
	for _, p := range got {
		require.NotEqual(t, KindRecord, p.Kind)
	}
}
