package segment

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// longBare are the records of a bare file of several pages.
var longBare = strings.Repeat(`{"n":0}`+"\n", 2000)

// putBare makes a bare file of longBare with an index of its first known
// records, and none where that is 0.
func putBare(t *testing.T, fsys vfs.FS, known int) Pair {
	t.Helper()
	pair := BarePair("f.jsonl")
	require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, []byte(longBare), 0o600))
	if known > 0 {
		var entries []uint64
		for i := range known + 1 {
			entries = append(entries, uint64(i*8))
		}
		require.NoError(t, vfs.ReplaceFile(fsys, pair.Index, entriesOf(entries...), 0o600))
	}
	return pair
}

func recoverBare(t *testing.T, fsys vfs.FS, pair Pair) *Active {
	t.Helper()
	a, _, _, err := RecoverBare(fsys, pair, BareOptions{Complete: func([]byte) bool { return true }, MaxLine: 1 << 10, Perm: 0o600})
	require.NoError(t, err)
	return a
}

func TestUnvouched(t *testing.T) {
	for _, c := range []struct{ vouched, end, want int64 }{
		{0, 0, 0},
		{100, 100, 0},
		{4096, 4096, 0},
		{4097, 4097, 4096},
		{9000, 20_000, 9000},
		{20_000, 20_000, 16_384},
		{0, 1 << 40, 1<<40 - MaxUnsynced - defaultBatch},
	} {
		require.Equal(t, c.want, unvouched(c.vouched, c.end, 1<<10), "%+v", c)
	}
	require.Equal(t, int64(1<<40-MaxUnsynced-1<<30-1), unvouched(0, 1<<40, 1<<30), "a batch may be one large record")
}

// TestVouched: what a writer vouched for is not looked at again, and so opening
// costs the same whatever the size of the file.
func TestVouched(t *testing.T) {
	fsys := &broken{Mem: vfs.NewMem(), disk: map[string]string{}}
	pair := putBare(t, fsys, 2000)
	for want := range 2 {
		fsys.looked = nil
		require.NoError(t, recoverBare(t, fsys, pair).Close())
		require.Equal(t, []int64{0, 12288}[want], fsys.looked[0])
	}
}

// TestVouchedForAnother: a label is worth nothing where the records are not those
// that it was set for.
func TestVouchedForAnother(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, fsys *broken, pair Pair){
		"the same": func(*testing.T, *broken, Pair) {},
		"another file, saved in its place": func(t *testing.T, fsys *broken, pair Pair) {
			require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, []byte(longBare), 0o600))
		},
		"cut": func(t *testing.T, fsys *broken, pair Pair) {
			regrow(t, fsys, pair, longBare[:8000])
		},
		"cut and grown again": func(t *testing.T, fsys *broken, pair Pair) {
			regrow(t, fsys, pair, strings.Repeat(`{"n":1}`+"\n", 2000))
		},
		"no label": func(t *testing.T, fsys *broken, pair Pair) {
			setLabel(t, fsys, pair, "")
		},
		"another label": func(t *testing.T, fsys *broken, pair Pair) {
			setLabel(t, fsys, pair, "synced 16000")
		},
		"a label past the end": func(t *testing.T, fsys *broken, pair Pair) {
			setLabel(t, fsys, pair, "synced 9223372036854775807 of 2, 00000000")
		},
		"a negative one": func(t *testing.T, fsys *broken, pair Pair) {
			setLabel(t, fsys, pair, "synced -8 of 2, 00000000")
		},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := &broken{Mem: vfs.NewMem()}
			pair := putBare(t, fsys, 0)
			a := recoverBare(t, fsys, pair)
			require.NoError(t, a.Close())
			change(t, fsys, pair)
			rec, err := fsys.Open(pair.Records, os.O_RDONLY, 0)
			require.NoError(t, err)
			defer rec.Close()
			want := int64(0)
			if name == "the same" {
				want = int64(len(longBare))
			}
			require.Equal(t, want, vouched(fsys, rec, pair.Index))
		})
	}
}

func regrow(t *testing.T, fsys vfs.FS, pair Pair, records string) {
	t.Helper()
	f, err := fsys.Open(pair.Records, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(0))
	_, err = f.WriteAt([]byte(records), 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func setLabel(t *testing.T, fsys vfs.FS, pair Pair, text string) {
	t.Helper()
	f, err := fsys.Open(pair.Index, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.(vfs.Labeler).SetLabel(text))
	require.NoError(t, f.Close())
}

// TestBareIndexHole: a power loss can leave a hole further back in an index than
// package index looks of its own accord: one batch of a weak mode may have any
// number of entries, none of them synced.
func TestBareIndexHole(t *testing.T) {
	n := 600_000
	fsys, pair := vfs.NewMem(), BarePair("f.jsonl")
	require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, []byte(strings.Repeat("1\n", n)), 0o600))
	var entries []uint64
	for i := range n + 1 {
		entries = append(entries, uint64(i*2))
	}
	good := entriesOf(entries...)
	clear(entries[10_001:10_400])
	require.NoError(t, vfs.ReplaceFile(fsys, pair.Index, entriesOf(entries...), 0o600))
	require.NoError(t, recoverBare(t, fsys, pair).Close())
	got, err := vfs.ReadFile(fsys, pair.Index, 1<<30)
	require.NoError(t, err)
	require.True(t, bytes.Equal(good, got))
}
