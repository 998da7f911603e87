package partition

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVerifyGap: blank lines in the place of records that were set aside are
// notes, one for each run.
func TestVerifyGap(t *testing.T) {
	const record, blank = "{\"n\":0}\n", "       \n"
	recs := strings.Repeat(record, 2) + strings.Repeat(blank, 3) + record + blank + strings.Repeat(record, 2) + blank
	for name, c := range map[string]struct {
		saved files
		want  []brief
	}{
		"not saved": {nil, []brief{
			{KindRecord, 2, 1, 16, 8, false}, {KindRecord, 3, 1, 24, 8, false}, {KindRecord, 4, 1, 32, 8, false},
			{KindRecord, 6, 1, 48, 8, false}, {KindRecord, 9, 1, 72, 8, false},
		}},
		"saved": {files{"torn-16": strings.Repeat("x", 24), "torn-48": strings.Repeat("y", 8), "torn-72-1": "zzzzzzzz"}, []brief{
			{KindGap, 2, 3, 16, 24, true}, {KindGap, 6, 1, 48, 8, true}, {KindGap, 9, 1, 72, 8, true},
		}},
		"one saved range around all": {files{"torn-0": strings.Repeat("x", 80)}, []brief{
			{KindGap, 2, 3, 16, 24, true}, {KindGap, 6, 1, 48, 8, true}, {KindGap, 9, 1, 72, 8, true},
		}},
		"two saved ranges side by side": {files{"torn-16": strings.Repeat("x", 8), "torn-24": strings.Repeat("x", 60)}, []brief{
			{KindGap, 2, 1, 16, 8, true}, {KindGap, 3, 2, 24, 16, true}, {KindGap, 6, 1, 48, 8, true}, {KindGap, 9, 1, 72, 8, true},
		}},
		"saved in part": {files{"torn-16": strings.Repeat("x", 10)}, []brief{
			{KindGap, 2, 1, 16, 8, true}, {KindRecord, 3, 1, 24, 8, false}, {KindRecord, 4, 1, 32, 8, false},
			{KindRecord, 6, 1, 48, 8, false}, {KindRecord, 9, 1, 72, 8, false},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for log, stem := range map[string]string{"d": "00000000000000000000.", "d/f.jsonl": "f.jsonl."} {
				fs := files{recordsName: recs, entriesName: indexOf(recs), "f.jsonl": recs, "f.jsonl.index": indexOf(recs),
					"partition.json": `{"format":1,"sync":"os","validate":"strict","synced":{"base":0,"position":80}}`}
				for name, data := range c.saved {
					fs[stem+name] = data
				}
				got := fs.verify(t, log)
				require.Equal(t, c.want, briefs(got))
				for _, p := range got {
					require.Equal(t, p.Kind == KindGap, strings.Contains(p.Reason, "what was there is in "+stem+"torn-"), p.Reason)
				}
			}
		})
	}
}

// TestVerifyGapFramed: where blank lines are records, those that were saved
// are gaps all the same.
func TestVerifyGapFramed(t *testing.T) {
	recs := "lorem\n     \n     \nipsum\n"
	fs := files{recordsName: recs, entriesName: indexOf(recs), "00000000000000000000.torn-12": "damage",
		"partition.json": `{"format":1,"sync":"os","validate":"frame","synced":{"base":0,"position":24}}`}
	got := fs.verify(t, "d")
	require.Equal(t, []brief{{KindGap, 2, 1, 12, 6, true}}, briefs(got))
	require.Equal(t, "record 2 was lost and holds its place as a blank line; what was there is in 00000000000000000000.torn-12", got[0].Reason)
}

func indexOf(recs string) string {
	var idx []byte
	for _, end := range append([]int64{0}, lineEnds(recs)...) {
		idx = appendEntry(idx, end)
	}
	return string(idx)
}
