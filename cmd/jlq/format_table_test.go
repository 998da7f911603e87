package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hardRows are records whose values try a reader of tables.
const hardRows = `{"a":"plain","b":"co,mma","c":1.50}
{"a":"quo\"te","b":"new\nline","c":12345678901234567890}
{"a":"","b":null,"c":true}
{"a":" space ","b":"tab\t\\back","c":{"x":[1, "y,z\""]}}
{"a":"\u00e9\ud83d\ude00\r\n","b":"'=1+1","c":-1e400}
{"b":"only"}
`

// hardCells are their cells.
var hardCells = [][]string{
	{"a", "b", "c"},
	{"plain", "co,mma", "1.50"},
	{`quo"te`, "new\nline", "12345678901234567890"},
	{"", "", "true"},
	{" space ", "tab\t\\back", `{"x":[1,"y,z\""]}`},
	{"é😀\r\n", "'=1+1", "-1e400"},
	{"", "only", ""},
}

// TestTableReaders: Go's and Python's readers of CSV find the values.
func TestTableReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(hardRows), 0o600))
	text, _ := jlq(t, 0, "cat", "-F", "csv", path)
	// It makes \n of \r\n, also in quotes.
	rows, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(text, "\r", "\\r"))).ReadAll()
	require.NoError(t, err)
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "\\r", "\r")
		}
	}
	require.Equal(t, hardCells, rows)
	t.Run("python", func(t *testing.T) {
		require.Equal(t, hardCells, pythonRows(t, text, `csv.reader(sys.stdin, strict=True)`))
	})

	tsv, _ := jlq(t, 0, "cat", "-F", "tsv", path)
	rows = nil
	unescape := strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r", `\\`, `\`)
	for line := range strings.Lines(tsv) {
		var row []string
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\t") {
			row = append(row, unescape.Replace(cell))
		}
		rows = append(rows, row)
	}
	require.Equal(t, hardCells, rows)
}

// pythonRows is what Python makes of text.
func pythonRows(t *testing.T, text, reader string) (rows [][]string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to compare with")
	}
	cmd := exec.Command(python, "-c", "import csv, io, json, sys\nsys.stdin = io.TextIOWrapper(sys.stdin.buffer, 'utf-8', newline='')\nprint(json.dumps(list("+reader+")))")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &rows))
	return rows
}
