package segment

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/vfs"
)

// FuzzRepair: whatever two files hold, a repair ends; each line that was a
// record and stood alone is one afterwards, at its place; every byte that it
// changed is saved; and there is nothing left for a second one.
func FuzzRepair(f *testing.F) {
	entries := entriesOf(0, 8, 16, 24)
	f.Add([]byte(three), entries, uint64(0), false)
	f.Add([]byte(three[:20]), entries, uint64(0), false)
	f.Add([]byte(three[:9]+"\x00\x00\x00\x00\x00\x00\x00"+three[16:]), entries, uint64(0), false)
	f.Add([]byte(three[:7]+"x"+three[8:]), entries, uint64(3), false)
	f.Add([]byte("text\n\x00\x00\x00{}\n"), []byte{}, uint64(4), true)
	f.Add([]byte(three[:8]+"{}\n"+three[8:]), entries, uint64(0), true)
	f.Fuzz(func(t *testing.T, recs, idx []byte, next uint64, bare bool) {
		opts := repairOptions()
		opts.AnyLine, opts.Bare = bare, bare
		if bare {
			opts.Check = func(int64, []byte) error { return nil }
		}
		if next > 0 && next < 1<<10 && !bare {
			opts.Next = &next
		}
		fsys := vfs.NewMem()
		state{idx: []uint64{}, tail: string(idx)}.put(t, fsys)
		require.NoError(t, vfs.ReplaceFile(fsys, PairAt("p", 0).Records, recs, 0o600))
		p, err := PlanRepair(fsys, PairAt("p", 0), opts)
		require.NoError(t, err)
		if p.Left != "" {
			return
		}
		require.NoError(t, p.Apply())
		after := read(t, fsys, p.Records)
		requireLinesKept(t, recs, []byte(after), p)
		requireKept(t, fsys, string(recs), after, "")
		requireIndexOf(t, fsys, after, bare)
		again, err := PlanRepair(fsys, PairAt("p", 0), opts)
		require.NoError(t, err)
		require.False(t, again.Needed(), "%+v", again)
	})
}

// requireLinesKept: a whole line that is a record is still there.
func requireLinesKept(t *testing.T, before, after []byte, p *PairRepair) {
	at := 0
	for line := range bytes.Lines(before) {
		rec, whole := bytes.CutSuffix(line, []byte{'\n'})
		// Half a line behind NUL bytes can look like a record. That of a whole
		// line is one if it is an object or array.
		if whole && jsonl.CheckStrict(rec, repairLimit) == nil && jsonl.Complete(rec) {
			require.True(t, at+len(line) <= len(after) && bytes.Equal(line, after[at:at+len(line)]), "line at %d: %q, %+v", at, line, p)
		}
		at += len(line)
	}
}

// requireIndexOf: the index is exactly that of the lines, where there is one.
func requireIndexOf(t *testing.T, fsys vfs.FS, recs string, bare bool) {
	got := read(t, fsys, PairAt("p", 0).Index)
	if got == "" && !strings.Contains(recs, "\n") {
		return // an empty index describes no lines
	}
	want := index.AppendEntry(nil, 0)
	for i := range recs {
		if recs[i] == '\n' {
			want = index.AppendEntry(want, int64(i+1))
		}
	}
	require.Equal(t, want, []byte(got), "bare %v", bare)
}
