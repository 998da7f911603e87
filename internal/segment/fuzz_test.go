package segment

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/vfs"
)

// FuzzRecover gives arbitrary bytes as records, index and synced position.
// Recovery never panics; it refuses or brings the pair in order; it loses no
// byte, in place or set aside; and a second one finds nothing to do.
func FuzzRecover(f *testing.F) {
	f.Add(three, string(entriesOf(0, 8, 16, 24)), int64(24), true)
	f.Add(three+"torn", string(entriesOf(0, 8)), int64(8), true)
	f.Add(three[:12]+"\x00\x00"+three, string(entriesOf(0, 9, 1<<63)), int64(0), false)
	f.Add("", "\x00\x00\x00\x00\x00\x00\x00\x00\xff", int64(0), true)
	f.Add(three, string(entriesOf(0, 8, 0, 0, 0, 0, 0, 0)), int64(8), true)
	f.Add(three, string(entriesOf(0, 8, 0, 24, 0)), int64(0), true)
	f.Add(three[:8]+strings.Repeat("\x00", 16)+three, string(entriesOf(0, 8, 16, 24, 32, 40, 48)), int64(48), true)
	f.Add(three[:12]+"\n"+three[13:], string(entriesOf(0, 8, 16, 24)), int64(24), false)
	f.Add("\n\n{}\r\n", "", int64(2), false)
	f.Fuzz(func(t *testing.T, recs, idx string, synced int64, promised bool) {
		if synced < 0 || recs == "-" {
			return
		}
		fsys := vfs.NewMem()
		meta := weak(synced)
		if promised {
			meta = always(synced)
		}
		state{recs: recs, meta: meta}.put(t, fsys)
		require.NoError(t, vfs.ReplaceFile(fsys, PairAt("p", 0).Index, []byte(idx), 0o600))

		a, next, report, err := recoverState(fsys, meta)
		if err != nil {
			_, corrupt := errors.AsType[*CorruptError](err)
			require.True(t, corrupt, "%v", err)
			require.Equal(t, recs, read(t, fsys, PairAt("p", 0).Records))
			require.Equal(t, idx, read(t, fsys, PairAt("p", 0).Index))
			return
		}
		require.NoError(t, a.Close())
		kept := read(t, fsys, PairAt("p", 0).Records)
		require.Equal(t, recs[:len(kept)], kept)
		require.GreaterOrEqual(t, int64(len(kept)), synced)
		if len(kept) < len(recs) {
			require.Equal(t, recs[len(kept):], read(t, fsys, report.TornPath))
		}
		if believable(recs, idx, synced) {
			require.Equal(t, uint64(strings.Count(kept, "\n")), next)
			want{recs: kept}.requireFiles(t, fsys, report)
		}
		requireNothingLeft(t, fsys)
	})
}

// believable reports whether the index is right up to the synced position.
// Recovery takes its word for that, or opening would cost as much as the log
// is long; a wrong entry there is for readers to find, and for verify.
func believable(recs, idx string, synced int64) bool {
	want := entriesOf(0)
	for i := range recs[:synced] {
		if recs[i] == '\n' {
			want = index.AppendEntry(want, int64(i+1))
		}
	}
	n := min(len(want), len(idx)) / index.EntrySize * index.EntrySize
	if idx[:n] == string(want[:n]) {
		return true
	}
	for ; len(idx) >= index.EntrySize; idx = idx[index.EntrySize:] {
		if idx[:index.EntrySize] == string(entriesOf(uint64(synced))) {
			return false // an anchor that stands in the wrong place
		}
	}
	return true
}
