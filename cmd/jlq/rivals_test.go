package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sampleFile is one real file, and its lines.
type sampleFile struct {
	path  string
	lines [][]byte // all of them are records
}

// sampleFiles are the files of more than one line each, in a directory that
// may be written to.
func sampleFiles(t *testing.T) (all []sampleFile) {
	t.Helper()
	dir := t.TempDir()
	err := filepath.WalkDir(sampleData, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SOURCE.txt" {
			return err
		}
		content, err := os.ReadFile(path)
		if lines := recordsOf(content); err == nil && len(lines) > 1 {
			f := sampleFile{filepath.Join(dir, fmt.Sprint(len(all), ".jsonl")), lines}
			all = append(all, f)
			err = os.WriteFile(f.path, content, 0o600)
		}
		return err
	})
	if err != nil {
		t.Skip("no sample data beside this checkout")
	}
	return all
}

// recordsOf are the lines that are records: a last one without newline is held
// back until it is complete.
func recordsOf(content []byte) [][]byte {
	lines := linesOf(content)
	if last := len(lines) - 1; last >= 0 && !bytes.HasSuffix(content, []byte("\n")) && !complete(lines[last]) {
		lines = lines[:last]
	}
	return lines
}

// asked runs another program and returns what it printed.
func asked(t *testing.T, stdin []byte, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	require.NoError(t, err, "%s %q", name, args)
	return string(out)
}

// has skips where one of the programs is missing.
func has(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("no " + name)
		}
	}
}

// said is jlq, with whatever exit code: 4 where lines are no JSON.
func said(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(args, strings.NewReader(""), &out, &errs)
	require.Contains(t, []int{0, exitMissing, exitInvalid}, code, "%q: %s", args, errs.String())
	return out.String()
}

// TestRivals holds jlq against the programs that people use on such files: the
// same lines, byte for byte.
func TestRivals(t *testing.T) {
	if testing.Short() {
		t.Skip("short: one process after another")
	}
	files := sampleFiles(t)
	require.Greater(t, len(files), 50)
	t.Run("wc", func(t *testing.T) { likeWC(t, files) })
	t.Run("sed, head, tail", func(t *testing.T) { likeSed(t, files) })
	t.Run("jq", func(t *testing.T) { likeJQ(t, files) })
	t.Run("python", func(t *testing.T) { likePython(t, files) })
}

// likeWC: count is wc -l, and one more where the last line has no newline and
// is a record.
func likeWC(t *testing.T, files []sampleFile) {
	has(t, "wc")
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		require.NoError(t, err)
		newlines, err := strconv.Atoi(strings.TrimSpace(asked(t, content, "wc", "-l")))
		require.NoError(t, err)
		if rest := content[bytes.LastIndexByte(content, '\n')+1:]; complete(rest) {
			newlines++
		}
		require.Equal(t, fmt.Sprintln(newlines), said(t, "count", f.path))
	}
}

// likeSed: line N+1 of the editor is record N, also through the index.
func likeSed(t *testing.T, files []sampleFile) {
	has(t, "sed", "head", "tail")
	for i, f := range files {
		n := len(f.lines)
		if i%2 == 0 {
			jlq(t, 0, "index", f.path)
		}
		whole := append(bytes.Join(f.lines, []byte("\n")), '\n')
		middle := n / 2
		some, lines := []string{"get", f.path}, ""
		for _, offset := range slices.Compact([]int{0, middle, n - 1}) {
			some, lines = append(some, strconv.Itoa(offset)), lines+fmt.Sprintf("%dp;", offset+1)
		}
		require.Equal(t, asked(t, whole, "sed", "-n", lines), said(t, some...))
		require.Equal(t, asked(t, whole, "head", "-n", "3"), said(t, "head", "-n", "3", f.path))
		require.Equal(t, asked(t, whole, "tail", "-n", "3"), said(t, "tail", "-n", "3", f.path))
		require.Equal(t, asked(t, whole, "sed", "-n", fmt.Sprintf("%d,%dp", middle+1, n)),
			said(t, "cat", "-o", fmt.Sprintf("%d:%d", middle, n), f.path))
	}
}

// likeJQ: filter prints the stored lines that jq's select keeps.
func likeJQ(t *testing.T, files []sampleFile) {
	has(t, "jq")
	selected := 0
	for _, f := range files {
		exprs, programs := conditions(f)
		if len(exprs) == 0 {
			continue
		}
		var good [][]byte
		for _, line := range f.lines {
			if valid(line) {
				good = append(good, line)
			}
		}
		answers := asked(t, bytes.Join(good, []byte("\n")), "jq", "-c", "["+strings.Join(programs, ",")+"]")
		want := make([]string, len(exprs))
		for i, answer := range strings.Split(strings.TrimSpace(answers), "\n") {
			var holds []bool
			require.NoError(t, json.Unmarshal([]byte(answer), &holds))
			for j := range exprs {
				if holds[j] {
					want[j] += string(good[i]) + "\n"
					selected++
				}
			}
		}
		for j, expr := range exprs {
			require.Equal(t, want[j], said(t, "filter", f.path, expr), "%s: jq -c 'select(%s)'", f.lines[0], programs[j])
		}
	}
	require.Greater(t, selected, 1000)
}

// conditions are some that a file's own fields and values suggest, and the
// same in jq's language.
func conditions(f sampleFile) (exprs, programs []string) {
	var fields map[string]json.RawMessage
	for _, line := range f.lines {
		if len(line) < 1<<16 && valid(line) && json.Unmarshal(line, &fields) == nil && len(fields) > 0 {
			break
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if len(exprs) == 5 || len(fields[key]) > 200 || strings.ContainsAny(key, "\\\uFFFD") {
			continue // jq spells what is no character otherwise
		}
		quoted, value := strconv.Quote(key), string(fields[key])
		at := "(try .[" + quoted + "] catch null)"
		op := []string{"==", "!=", ">", "<="}[len(exprs)%4]
		exprs = append(exprs, "."+quoted+" "+op+" "+value)
		programs = append(programs, "("+at+" "+op+" "+value+")")
	}
	return exprs, programs
}

// likePython: -F json keeps every number as it is written, every key in its
// place, and every string, which python reads from both.
func likePython(t *testing.T, files []sampleFile) {
	has(t, "python3")
	var pairs bytes.Buffer
	for _, f := range files {
		printed := linesOf([]byte(said(t, "cat", "-F", "json", f.path)))
		i := 0
		for _, line := range f.lines {
			if valid(line) {
				require.Less(t, i, len(printed), "%s is missing", line)
				fmt.Fprintf(&pairs, "%s\n%s\n", bytes.TrimSpace(line), printed[i])
				i++
			}
		}
		require.Len(t, printed, i)
	}
	const program = `
import json, sys
lines = sys.stdin.buffer.read().decode('utf-8', 'surrogatepass').split('\n')
read = lambda s: json.loads(s, parse_int=lambda n: ('number', n), parse_float=lambda n: ('number', n), object_pairs_hook=list)
n = 0
for stored, printed in zip(lines[0::2], lines[1::2]):
    assert read(stored) == read(printed), (stored, printed)
    n += 1
print(n)
`
	out := asked(t, pairs.Bytes(), "python3", "-c", program)
	require.Greater(t, len(out), len("1000\n")-1, "%s records", out)
}
