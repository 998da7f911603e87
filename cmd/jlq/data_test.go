package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// sampleData is where real files of other people lie, beside a checkout.
const sampleData = "../../../shared/data"

// TestSampleData takes every real file there is through append, cat, get,
// count and verify, and through index, get and tail: what is valid comes back
// byte for byte, what is not is refused and set aside.
func TestSampleData(t *testing.T) {
	if testing.Short() {
		t.Skip("short: one process after another")
	}
	if _, err := os.Stat(sampleData); err != nil {
		t.Skip("no sample data beside this checkout")
	}
	files := 0
	err := filepath.WalkDir(sampleData, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SOURCE.txt" {
			return err
		}
		files++
		name, err := filepath.Rel(sampleData, path)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("in", content, 0o600))
			appendSample(t, content)
			indexSample(t, content)
		})
		return err
	})
	require.NoError(t, err)
	require.Greater(t, files, 400)
}

// linesOf splits as an editor does: what follows the last newline is a line
// only when it is not empty.
func linesOf(content []byte) [][]byte {
	lines := bytes.Split(content, []byte("\n"))
	if last := len(lines) - 1; len(lines[last]) == 0 {
		lines = lines[:last]
	}
	return lines
}

// valid is the oracle: the standard library's opinion of a record.
func valid(line []byte) bool {
	return utf8.Valid(line) && json.Valid(line) && depth(line) <= 1000
}

// depth counts brackets, which is exact for valid JSON without any in strings
// and more than enough for these files.
func depth(line []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == '[' || c == '{'):
			now++
			deepest = max(deepest, now)
		case !inString && (c == ']' || c == '}'):
			now--
		}
	}
	return deepest
}

// jlq runs the program in this process and returns what it printed.
func jlq(t *testing.T, wantCode int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code := run(args, strings.NewReader(""), &out, &err)
	require.Equal(t, wantCode, code, "%q: %s", args, err.String())
	return out.String(), err.String()
}

func appendSample(t *testing.T, content []byte) {
	// A byte order mark at the beginning of the input is left out.
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	var good, bad []byte
	firstBad, count := 0, 0
	for i, line := range linesOf(content) {
		if valid(line) {
			good = append(append(good, line...), '\n')
			count++
			continue
		}
		bad = append(append(bad, line...), '\n')
		if firstBad == 0 {
			firstBad = i + 1
		}
	}

	if firstBad > 0 {
		_, stderr := jlq(t, exitInvalid, "append", "refused", "in")
		require.Contains(t, stderr, fmt.Sprintf("in:%d: ", firstBad), "file, line and reason")
	}
	jlq(t, 0, "append", "--on-bad", "bad", "log", "in")
	if firstBad > 0 {
		aside, err := os.ReadFile("bad")
		require.NoError(t, err)
		require.Equal(t, string(bytes.TrimSuffix(bad, []byte("\n"))), strings.TrimSuffix(string(aside), "\n"))
	}
	out, _ := jlq(t, 0, "cat", "log")
	require.Equal(t, string(good), out)
	stored, err := os.ReadFile(filepath.Join("log", "00000000000000000000.jsonl"))
	require.NoError(t, err)
	require.Equal(t, string(good), string(stored))
	out, _ = jlq(t, 0, "count", "log")
	require.Equal(t, strconv.Itoa(count)+"\n", out)
	for i, line := range linesOf(good) {
		if i < 3 || i == count-1 {
			out, _ = jlq(t, 0, "get", "log", strconv.Itoa(i))
			require.Equal(t, string(line)+"\n", out)
		}
	}
	jlq(t, 0, "verify", "log")
}

func indexSample(t *testing.T, content []byte) {
	lines := linesOf(content)
	jlq(t, 0, "index", "in")
	jlq(t, 0, "index", "--check", "in")
	if last := len(lines) - 1; last >= 0 && !bytes.HasSuffix(content, []byte("\n")) && !complete(lines[last]) {
		lines = lines[:last] // held back until it is complete
	}
	for i, line := range lines {
		if i < 3 || i == len(lines)-1 {
			out, _ := jlq(t, 0, "get", "in", strconv.Itoa(i))
			require.Equal(t, string(line)+"\n", out, "line %d", i+1)
		}
	}
	jlq(t, 1, "get", "in", strconv.Itoa(len(lines)))
	out, _ := jlq(t, 0, "tail", "-n", "2", "in")
	want := bytes.Join(append(lines[max(0, len(lines)-2):len(lines):len(lines)], nil), []byte("\n"))
	require.Equal(t, string(want), out)
	after, err := os.ReadFile("in")
	require.NoError(t, err)
	require.Equal(t, content, after, "reading changes nothing")
}

// complete reports whether a last line without newline is a record.
func complete(line []byte) bool {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\uFEFF")))
	return len(line) > 0 && (line[0] == '{' || line[0] == '[') && valid(line)
}
