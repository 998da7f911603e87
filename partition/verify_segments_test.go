package partition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
)

func appendEntry(idx []byte, end int64) []byte { return index.AppendEntry(idx, end) }

// verify verifies the log that consists of these files.
func (fs files) verify(t testing.TB, log string) []Problem {
	t.Helper()
	p := fs.open(t, log)
	got, _, err := verifyAs(t, p, how{})
	require.NoError(t, err)
	require.NoError(t, p.Close())
	return got
}

// segment adds a segment of n records of eight bytes.
func (fs files) segment(base uint64, n int) {
	recs := strings.Repeat("{\"n\":0}\n", n)
	fs[fmt.Sprintf("%020d.jsonl", base)], fs[fmt.Sprintf("%020d.index", base)] = recs, indexOf(recs)
}

// promise writes a partition.json.
func (fs files) promise(start, base uint64, position int64) {
	fs["partition.json"] = fmt.Sprintf(`{"format":1,"sync":"os","validate":"strict","batch":100,"start":%d,"synced":{"base":%d,"position":%d}}`, start, base, position)
}

// TestVerifySegments breaks a log of three segments of 100, 100 and 50 records.
func TestVerifySegments(t *testing.T) {
	const first, second, third = "00000000000000000000", "00000000000000000100", "00000000000000000200"
	line := strings.Repeat("{\"n\":0}\n", 1)
	for name, c := range map[string]struct {
		damage func(files)
		want   []brief
		reason string // of the first problem
	}{
		"clean":   {func(fs files) {}, nil, ""},
		"trimmed": {func(fs files) { fs.drop(first); fs.promise(100, 200, 400) }, nil, ""},
		"first away": {func(fs files) { fs.drop(first) },
			[]brief{{KindSegment, 0, 100, 0, 0, false}}, "a segment is away (moved or lost): the next one begins with offset 100 where 0 should follow; put its two files back"},
		"middle away": {func(fs files) { fs.drop(second) },
			[]brief{{KindSegment, 100, 100, 0, 0, false}}, "a segment is away (moved or lost): the next one begins with offset 200 where 100 should follow; put its two files back, or the end"},
		"last away": {func(fs files) { fs.drop(third) },
			[]brief{{KindSegment, 200, 0, 0, 400, false}}, "the segment that partition.json names is away (moved or lost); put its two files back"},
		"records of the last away": {func(fs files) { delete(fs, third+".jsonl") },
			[]brief{{KindSegment, 200, 0, 0, 400, false}}, "put its two files back"},
		"records of the middle away": {func(fs files) { delete(fs, second+".jsonl") },
			[]brief{{KindSegment, 100, 100, 0, 0, false}}, "there is an index but no records file"},
		"all away": {func(fs files) { fs.drop(first); fs.drop(second); fs.drop(third) },
			[]brief{{KindSegment, 200, 0, 0, 400, false}}, "put its two files back"},
		"roll broken off": {func(fs files) { fs["00000000000000000250.index"] = "" },
			[]brief{{KindSegment, 250, 0, 0, 0, true}}, "which a roll was making or left behind"},
		"roll left behind": {func(fs files) { fs["00000000000000000220.index"] = ""; fs["00000000000000000220.jsonl"] = "" },
			[]brief{{KindSegment, 220, 0, 0, 0, true}}, "which a roll was making or left behind"},
		"roll beyond the end": {func(fs files) { fs["00000000000000000260.jsonl"] = "" },
			[]brief{{KindSegment, 250, 10, 0, 0, false}}, "begins with offset 260 where 250 should follow"},
		"trim broken off": {func(fs files) { delete(fs, first+".jsonl"); fs.promise(200, 200, 400) },
			[]brief{{KindSegment, 200, 0, 0, 0, true}}, "below the start of the log"},
		"empty one away": {func(fs files) { fs.drop(first); fs.drop(second); fs.drop(third); fs.promise(0, 0, 0) },
			[]brief{{KindSegment, 0, 0, 0, 0, false}}, "it was empty, and opening for appending makes it again"},
		"sealed one cut": {func(fs files) { fs[first+".jsonl"] = fs[first+".jsonl"][:790] },
			[]brief{{KindTail, 98, 1, 784, 6, false}, {KindAhead, 98, 2, 790, 0, false}}, "the record is cut: it has no newline, and the index knows its end; jlq repair d shows what can be done"},
		"sealed one and its index cut": {func(fs files) { fs.segment(0, 90) },
			[]brief{{KindSegment, 90, 10, 0, 0, false}}, "or the end of the one before is lost"},
		"sealed one grew": {func(fs files) { fs[second+".jsonl"] += line },
			[]brief{{KindBehind, 200, 1, 800, 8, false}}, "1 whole line behind the end of the index; jlq repair d shows"},
		"sealed one grew with its index": {func(fs files) { fs.segment(100, 101) },
			[]brief{{KindSegment, 200, 1, 0, 0, false}}, "the records between have the offset of another one, too"},
		"line inserted into a sealed one": {func(fs files) { fs[second+".jsonl"] = "[\"inserted\"]\n" + fs[second+".jsonl"] },
			[]brief{{KindShift, 100, 100, 0, 813, false}}, "from record 100 on the file has 1 line more (13 bytes) than the index knows"},
		"index of a sealed one away": {func(fs files) { delete(fs, first+".index") },
			[]brief{{KindIndex, 0, 0, 0, 0, false}}, "there is none; jlq repair d shows"},
		"last cut below what was synced": {func(fs files) { fs[third+".jsonl"] = fs[third+".jsonl"][:100] },
			[]brief{{KindTail, 212, 1, 96, 4, false}, {KindMeta, 212, 38, 100, 300, false}}, "the record is cut"},
		"synced within a line": {func(fs files) { fs.promise(0, 200, 83) },
			[]brief{{KindMeta, 210, 1, 80, 8, false}}, "partition.json says that the records were synced up to 83, which lies within this line"},
		"line edited below what was synced": {func(fs files) { fs[third+".jsonl"] = "[\"edited\"]\n" + fs[third+".jsonl"][8:] },
			[]brief{{KindShift, 200, 50, 0, 403, false}}, "from record 200 on the file has 3 bytes more than the index knows, in as many lines: a line was edited"},
		"lines deleted and edited below what was synced": {func(fs files) { fs[third+".jsonl"] = fs[third+".jsonl"][8:192] + "[1]\n" + fs[third+".jsonl"][200:] },
			[]brief{{KindShift, 223, 27, 184, 204, false}}, "from record 223 on the file has 1 line fewer (12 bytes) than the index knows"},
		"line deleted that was like the others": {func(fs files) { fs[third+".jsonl"] = fs[third+".jsonl"][8:] },
			[]brief{{KindMeta, 249, 1, 392, 8, false}}, "the file ends at 392, but was synced up to 400: 8 bytes missing, and with them record 249; put the file back"},
	} {
		t.Run(name, func(t *testing.T) {
			fs := files{}
			fs.segment(0, 100)
			fs.segment(100, 100)
			fs.segment(200, 50)
			fs.promise(0, 200, 400)
			c.damage(fs)
			got := fs.verify(t, "d")
			require.Equal(t, c.want, briefs(got))
			if len(got) > 0 {
				require.Contains(t, got[0].Reason, c.reason)
				if strings.Contains(c.reason, "is away") && got[0].Kind == KindSegment {
					require.Contains(t, got[0].Path, fmt.Sprintf("%020d.jsonl", got[0].Offset), "the file that is missing")
				}
			}
		})
	}
}

func (fs files) drop(stem string) {
	delete(fs, stem+".jsonl")
	delete(fs, stem+".index")
}

// TestVerifyPromise: what is bad above the promise is harmless and says so.
func TestVerifyPromise(t *testing.T) {
	for name, c := range map[string]struct {
		sync   string
		tail   string
		synced int
		want   []brief
		reason []string
	}{
		"torn":                 {"always", `{"n":`, 80, []brief{{KindTail, 10, 1, 80, 5, false}}, []string{"a torn tail, which is harmless"}},
		"torn and weak":        {"os", `{"n":`, 16, []brief{{KindTail, 10, 1, 80, 5, false}}, []string{"a torn tail, which is harmless: it was never synced, and sync os promises no more; opening"}},
		"torn and promised":    {"os", `{"n":`, 85, []brief{{KindTail, 10, 1, 80, 5, false}}, []string{"the record is cut: it has no newline; jlq repair d"}},
		"farther than a batch": {"always", strings.Repeat("x", 101), 80, []brief{{KindTail, 10, 1, 80, 101, false}}, []string{"the record is cut"}},
		"NULs":                 {"always", "\x00\x00\x00", 80, []brief{{KindNUL, 10, 1, 80, 3, false}}, []string{"3 NUL bytes at the end: a torn tail, which is harmless"}},
		"bad lines": {"always", "x\ny\n", 80, []brief{{KindRecord, 10, 1, 80, 2, false}, {KindRecord, 11, 1, 82, 2, false}, {KindBehind, 10, 2, 80, 4, false}},
			[]string{"; no record in it was ever acknowledged; opening for appending sets it and what follows aside", "where a value should be", "2 whole lines behind the end of the index; opening for appending adopts none of them"}},
		"a bad line behind good ones": {"always", "1\n2\ny\n3\n", 80, []brief{{KindRecord, 12, 1, 84, 2, false}, {KindBehind, 10, 4, 80, 8, false}},
			[]string{"opening for appending sets it and what follows aside", "4 whole lines behind the end of the index; opening for appending adopts 2 of them"}},
		"bad lines, promised": {"os", "x\n", 82, []brief{{KindRecord, 10, 1, 80, 2, false}, {KindBehind, 10, 1, 80, 2, false}},
			[]string{"where a value should be", "jlq repair d shows what can be done"}},
		"bad lines, of which nothing was promised": {"", "x\n", 0, []brief{{KindMeta, 0, 0, 0, 0, true}, {KindRecord, 10, 1, 80, 2, false}, {KindBehind, 10, 1, 80, 2, false}},
			[]string{"there is none", "where a value should be", "opening for appending adopts them"}},
	} {
		t.Run(name, func(t *testing.T) {
			fs := files{}
			fs.segment(0, 10)
			fs[recordsName] += c.tail
			if c.sync != "" {
				fs["partition.json"] = fmt.Sprintf(`{"format":1,"sync":"%s","validate":"strict","batch":100,"synced":{"base":0,"position":%d}}`, c.sync, c.synced)
			}
			got := fs.verify(t, "d")
			require.Equal(t, c.want, briefs(got))
			for i, p := range got {
				require.Contains(t, p.Reason, c.reason[i])
				require.Equal(t, strings.Contains(c.reason[i], "follows aside"), strings.Contains(p.Reason, "follows aside"))
			}
		})
	}
}

// TestVerifyPublishedTail: bytes that the index has a record of were published
// once, so they are no harmless tail, under whatever mode.
func TestVerifyPublishedTail(t *testing.T) {
	for _, sync := range []string{"always", "os"} {
		fs := files{}
		fs.segment(0, 10)
		fs[recordsName] = fs[recordsName][:76]
		fs["partition.json"] = fmt.Sprintf(`{"format":1,"sync":"%s","validate":"strict","batch":100,"synced":{"base":0,"position":40}}`, sync)
		got := fs.verify(t, "d")
		require.Equal(t, []brief{{KindTail, 9, 1, 72, 4, false}, {KindAhead, 9, 1, 76, 0, false}}, briefs(got))
		require.Contains(t, got[0].Reason, "the record is cut: it has no newline, and the index knows its end")
		require.Equal(t, "entry 10 is 80; the records end at 72: the index has 1 record more than the file; opening for appending drops them and reports the loss", got[1].Reason)
	}
}

// TestVerifyZeroTail: zero entries claim no record, so that no loss is told.
func TestVerifyZeroTail(t *testing.T) {
	fs := files{}
	fs.segment(0, 10)
	fs["00000000000000000000.index"] += strings.Repeat("\x00", 16)
	fs["partition.json"] = `{"format":1,"sync":"always","validate":"strict","batch":100,"synced":{"base":0,"position":80}}`
	got := fs.verify(t, "d")
	require.Equal(t, []brief{{KindAhead, 10, 2, 80, 0, false}}, briefs(got))
	require.Equal(t, "entries 11 to 12 are zero, as a power loss leaves them; they are of no record; opening for appending drops them", got[0].Reason)
}
