package writer

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

const dir = "p"

var pair = segment.PairAt(dir, 0)

// open recovers the partition "p" of fsys and begins to write to it, as
// package partition does.
func open(fsys vfs.FS, opts Options) (*Writer, *segment.Live, error) {
	if err := fsys.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return nil, nil, err
	}
	if err := fsys.SyncDir("."); err != nil {
		return nil, nil, err
	}
	meta, ok, err := segment.ReadMeta(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	ro := segment.RecoverOptions{
		Mode:    segment.Meta{Format: 1, Sync: opts.Sync.String(), Validate: opts.Validate.String(), Batch: opts.BatchBytes()},
		MaxLine: 1 << 20, Perm: 0o600,
		Strict: func(rec []byte) error { return jsonl.CheckStrict(rec, 1<<20) },
	}
	if ok {
		ro.Meta = &meta
	}
	a, next, _, err := segment.Recover(fsys, dir, pair, ro)
	if err != nil {
		return nil, nil, err
	}
	live := segment.NewLive(0, next, a.End())
	save := func(position int64, _ time.Time) error {
		m := ro.Mode
		m.Synced = segment.Mark{Position: position}
		return segment.WriteMeta(fsys, dir, m, 0o600)
	}
	return New(a, live, Owner{Save: save}, opts), live, nil
}

func mustOpen(t testing.TB, fsys vfs.FS, opts Options) (*Writer, *segment.Live) {
	t.Helper()
	w, live, err := open(fsys, opts)
	require.NoError(t, err)
	return w, live
}

// mustOpenBare makes the pair the files of a bare log, and begins to write to it.
func mustOpenBare(t testing.TB, fsys vfs.FS, opts Options) (*Writer, *segment.Live) {
	t.Helper()
	if _, err := fsys.Lstat(pair.Records); err != nil {
		require.NoError(t, fsys.Mkdir(dir, 0o700))
		require.NoError(t, vfs.ReplaceFile(fsys, pair.Records, nil, 0o600))
	}
	a, next, _, err := segment.RecoverBare(fsys, pair, segment.BareOptions{
		Complete: func(rec []byte) bool { return jsonl.CheckStrict(rec, 1<<20) == nil }, MaxLine: 1 << 20, Perm: 0o600,
	})
	require.NoError(t, err)
	live := segment.NewLive(0, next, a.End())
	return New(a, live, Owner{}, opts), live
}

func rec(n int) []byte { return fmt.Appendf(nil, `{"n":%d}`, n) }

func recs(from, to int) [][]byte {
	var out [][]byte
	for n := from; n < to; n++ {
		out = append(out, rec(n))
	}
	return out
}

// stored returns the lines of the records file and checks that the index is
// exactly theirs.
func stored(t testing.TB, fsys vfs.FS) []string {
	t.Helper()
	data := readFile(t, fsys, pair.Records)
	want := index.AppendEntry(nil, 0)
	for i := range data {
		if data[i] == '\n' {
			want = index.AppendEntry(want, int64(i+1))
		}
	}
	require.Equal(t, want, []byte(readFile(t, fsys, pair.Index)))
	if data == "" {
		return nil
	}
	require.True(t, strings.HasSuffix(data, "\n"))
	return strings.Split(strings.TrimSuffix(data, "\n"), "\n")
}

func readFile(t testing.TB, fsys vfs.FS, name string) string {
	t.Helper()
	data, err := vfs.ReadFile(fsys, name, 1<<30)
	require.NoError(t, err)
	return string(data)
}

func lines(from, to int) []string {
	var out []string
	for _, r := range recs(from, to) {
		out = append(out, string(r))
	}
	return out
}

// each runs f under every durability mode.
func each(t *testing.T, f func(t *testing.T, sync SyncMode)) {
	for _, sync := range []SyncMode{SyncAlways, SyncInterval, SyncOS, SyncBuffered} {
		t.Run(sync.String(), func(t *testing.T) { f(t, sync) })
	}
}
