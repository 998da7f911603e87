package reader

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
)

// sampleFiles returns the files of the sample data that lies beside the
// project, where it does.
func sampleFiles(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..", "shared", "data")
	var files []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && filepath.Ext(path) != ".index" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Skipf("no sample data: %v", err)
	}
	return files
}

// TestSampleData reads every line of every sample file, whatever it is, with
// and without an index.
func TestSampleData(t *testing.T) {
	if testing.Short() {
		t.Skip("short: many files, in every way")
	}
	d := osDisk(t)
	for _, path := range sampleFiles(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := bytes.Split(data, newline)
		last := lines[len(lines)-1]
		lines = lines[:len(lines)-1]
		whole := data[:len(data)-len(last)]
		f := fixture{open: len(last) > 0 && jsonl.Complete(last)}
		if f.open {
			lines = append(lines, last)
		}
		for _, l := range lines {
			f.want = append(f.want, string(l))
		}
		d.write(t, "plain.jsonl", data)
		d.write(t, "indexed.jsonl", data)
		d.write(t, "indexed.jsonl.index", entries(whole))
		for _, name := range []string{"plain.jsonl", "indexed.jsonl"} {
			log := d.open(t, name, Options{})
			for _, w := range ways() {
				checkRecords(t, &f, w.name, w.read(t, log, &f))
			}
			require.NoError(t, log.Close(), path)
		}
	}
}
