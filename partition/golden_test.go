package partition

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files of the present format anew")

// golden is what the golden logs hold. It never changes: every later version
// opens the logs of every earlier one.
var golden = []string{
	`{"n":0}`, `[1,"zwei",3.0]`, `"three"`, `18446744073709551615`,
	`{"text":"line\nbreak, \u0000, \ud800, naïve, 🐢"}`, `{"a":1,"a":2}`, ` { "spaced" : true } `, `null`,
}

// lorem is what the golden pair of the Haskell original's format holds.
var lorem = []string{"lorem ipsum", "mpsfn!jqtvn", `nqtgo"kruwo`}

// TestGolden opens logs that version 1 of the format wrote: for reading where
// they lie, and for appending in a copy, where there is nothing to recover.
func TestGolden(t *testing.T) {
	root := filepath.Join("..", "testdata", "v1")
	if *update {
		writeGolden(t, root)
	}
	for name, c := range map[string]struct {
		want []string
		opts *Options
	}{
		"partition":       {golden, nil},
		"weak":            {golden, &Options{Sync: SyncOS, Validate: Frame}},
		"bare.jsonl":      {golden, nil},
		"pair.records":    {lorem, &Options{Validate: Frame}},
		"unindexed.jsonl": {golden, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, name)
			r, err := OpenReader(path, c.opts)
			require.NoError(t, err)
			require.Equal(t, c.want, read(t, r, 0))
			for problem, err := range r.Verify(t.Context()) {
				require.NoError(t, err)
				require.True(t, problem.Note, "%+v", problem)
			}
			require.NoError(t, r.Close())

			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(root)))
			p := mustOpen(t, filepath.Join(dir, name), c.opts)
			require.Equal(t, RecoveryReport{}, p.Recovery())
			offset, err := p.Append([]byte(`"one more"`))
			require.NoError(t, err)
			require.Equal(t, uint64(len(c.want)), offset)
			require.NoError(t, p.Close())
		})
	}
}

func writeGolden(t *testing.T, root string) {
	require.NoError(t, os.RemoveAll(root))
	require.NoError(t, os.MkdirAll(root, 0o755))
	fill(t, filepath.Join(root, "partition"), nil, golden)
	fill(t, filepath.Join(root, "weak"), &Options{Sync: SyncOS, Validate: Frame}, golden)
	fill(t, filepath.Join(root, "bare.jsonl"), nil, golden)
	fill(t, filepath.Join(root, "pair.records"), &Options{Validate: Frame}, lorem)
	fill(t, filepath.Join(root, "unindexed.jsonl"), nil, golden)
	require.NoError(t, os.Remove(filepath.Join(root, "unindexed.jsonl.index")))
}

func fill(t *testing.T, path string, opts *Options, records []string) {
	p := mustOpen(t, path, opts)
	for _, rec := range records {
		_, err := p.Append([]byte(rec))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
}
