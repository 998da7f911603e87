package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// duckdb is a process of peers/duckdb/filter.mjs, which counts the records of
// one file that a condition is true of.
type duckdb struct {
	questions io.WriteCloser
	answers   *bufio.Reader
}

// startDuckDB skips where node or what npm installs is missing. It is not one
// of the peers of bench/peers, which are libraries of Go.
func startDuckDB(t testing.TB, file string) *duckdb {
	t.Helper()
	dir := filepath.Join("peers", "duckdb")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		t.Skip("DuckDB is not installed: npm ci --prefix bench/peers/duckdb")
	}
	cmd := exec.Command(node, filepath.Join(dir, "filter.mjs"), file)
	cmd.Stderr = os.Stderr
	var d duckdb
	d.questions, err = cmd.StdinPipe()
	require.NoError(t, err)
	answers, err := cmd.StdoutPipe()
	require.NoError(t, err)
	d.answers = bufio.NewReader(answers)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, d.questions.Close())
		require.NoError(t, cmd.Wait())
	})
	return &d
}

// count asks for the records that a condition is true of. The schema is given
// or inferred.
func (d *duckdb) count(schema, condition string) (matched int, err error) {
	if _, err := fmt.Fprintf(d.questions, "%s %s\n", schema, condition); err != nil {
		return 0, err
	}
	line, err := d.answers.ReadBytes('\n')
	if err != nil {
		return 0, fmt.Errorf("DuckDB ended: %w", err)
	}
	var answer struct{ Matched int }
	err = json.Unmarshal(line, &answer)
	return answer.Matched, err
}

// runDuckDB measures DuckDB beside the contestants of a filter.
func runDuckDB(b *testing.B, set *Set, dir, schema, condition string, want int) {
	b.Helper()
	d := startDuckDB(b, RecordsPath(dir))
	count := func() (int, error) { return d.count(schema, condition) }
	_, err := count() // it has read the file once, as the others have
	require.NoError(b, err)
	runFilter(b, set, want, count)
}

// What DuckDB counts is what jlq is compared with.
func TestDuckDBAgrees(t *testing.T) {
	set := JSON(5000)
	dir := t.TempDir()
	require.NoError(t, Fixture(dir, set))
	d := startDuckDB(t, RecordsPath(dir))
	for _, f := range filters {
		want, err := NaiveFilter(dir, f.keep)
		require.NoError(t, err)
		for _, schema := range []string{"given", "inferred"} {
			got, err := d.count(schema, f.sql)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s, %s", f.sql, schema)
		}
	}
}
