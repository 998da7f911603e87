package partition

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
)

// TestOpenAnything is FuzzOpen with files that are more often nearly right:
// damaged lines between good ones, an index with some entries that are of
// another line, zero, or nonsense, and a promise that ends anywhere.
func TestOpenAnything(t *testing.T) {
	checkOnFalseClock(t, func(rt *rapid.T) {
		recs := drawRecords(rt)
		idx := drawIndex(rt, recs)
		meta := ""
		if rapid.IntRange(0, 9).Draw(rt, "partition.json") > 0 {
			meta = drawMeta(rt, recs)
		}
		rt.Logf("records %q\nindex %x\n%s", recs, idx, meta)
		open := trackOpened(rt)
		requireOpens(rt, open, dirLog, recs, idx, meta)
		requireOpens(rt, open, bareLog, recs, idx, "")
	})
}

// checkOnFalseClock is rapid's Check in a bubble, where waiting costs nothing.
// There it is always the same time, of which rapid makes its seed, so it gets
// one from outside.
func checkOnFalseClock(t *testing.T, property func(*rapid.T)) {
	seed := flag.Lookup("rapid.seed")
	if seed.Value.String() == seed.DefValue {
		require.NoError(t, seed.Value.Set(fmt.Sprint(rand.Uint64())))
		defer func() { require.NoError(t, seed.Value.Set(seed.DefValue)) }()
	}
	synctest.Test(t, func(t *testing.T) { rapid.Check(noDeadline{t}, property) })
}

// noDeadline hides the deadline of a test, which is one of the true clock.
type noDeadline struct{ rapid.TB }

func drawRecords(t *rapid.T) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{
		"{}\n", "[1]\n", `{"n":7}` + "\n", `"` + strings.Repeat("x", 100) + `"` + "\n", // good
		"\n", "{\n", "\x00\n", "\x00\x00\x00\x00\x00\x00\x00\x00", "[2", "\r\n", "\xef\xbb\xbf{}\n", "\xff\n", // not
	}), 0, 12).Draw(t, "lines")
	good := rapid.IntRange(0, len(lines)).Draw(t, "good")
	for i := range good {
		lines[i] = `{"n":1}` + "\n"
	}
	return strings.Join(lines, "")
}

func drawIndex(t *rapid.T, recs string) string {
	var entries []uint64
	for idx := newlineIndex(recs); len(idx) > 0; idx = idx[index.EntrySize:] {
		entries = append(entries, entryAt(idx))
	}
	right := slices.Clone(entries)
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		i := rapid.IntRange(0, len(entries)).Draw(t, "at")
		e := rapid.OneOf(
			rapid.Just(uint64(0)), rapid.SampledFrom(right), rapid.Uint64(),
			rapid.Uint64Range(0, uint64(len(recs)+10)),
		).Draw(t, "entry")
		switch {
		case i == len(entries), rapid.Bool().Draw(t, "insert"):
			entries = slices.Insert(entries, i, e)
		case rapid.Bool().Draw(t, "delete"):
			entries = slices.Delete(entries, i, i+1)
		default:
			entries[i] = e
		}
	}
	var idx []byte
	for _, e := range entries {
		idx = index.AppendEntry(idx, int64(e))
	}
	if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
		idx = idx[:rapid.IntRange(0, len(idx)).Draw(t, "size")]
	}
	return string(idx)
}

func drawMeta(t *rapid.T, recs string) string {
	m := segment.Meta{
		Format: 1, Sync: rapid.SampledFrom(segment.SyncNames[:]).Draw(t, "sync"),
		Validate: rapid.SampledFrom(segment.ValidateNames[:]).Draw(t, "validate"),
		Batch:    rapid.Int64Range(1, 200).Draw(t, "batch"),
	}
	m.Synced.Position = rapid.Int64Range(0, int64(len(recs)+1)).Draw(t, "synced")
	if end := strings.LastIndexByte(recs[:min(int(m.Synced.Position), len(recs))], '\n'); rapid.IntRange(0, 4).Draw(t, "anywhere") > 0 {
		m.Synced.Position = int64(end + 1)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
