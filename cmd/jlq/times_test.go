package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
)

// TestPlacedByPosition prints the same of a large file without an index, of which
// no line is counted, as of one that has an index.
func TestPlacedByPosition(t *testing.T) {
	if testing.Short() {
		t.Skip("short: a file of 66 MiB")
	}
	t.Chdir(t.TempDir())
	var content bytes.Buffer
	pad := strings.Repeat("x", 22<<10)
	epoch := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for i := range 3000 {
		late := time.Duration(i%7/6) * 20 * time.Second
		fmt.Fprintf(&content, `{"ts":%q,"n":%d,"pad":%q}`+"\n", epoch.Add(time.Duration(i)*time.Second-late).Format(time.RFC3339), i, pad)
	}
	require.NoError(t, os.WriteFile("plain.jsonl", content.Bytes(), 0o600))
	require.NoError(t, os.Link("plain.jsonl", "indexed.jsonl"))
	jlq(t, 0, "index", "indexed.jsonl")
	for _, args := range [][]string{
		{"cat", "--since", "2026-01-02T00:40:00Z"},
		{"cat", "--until", "2026-01-02T00:01:00Z", "--slack", "30s"},
		{"cat", "--since", "2026-01-02T00:40:00Z", "-F", "%{n} ", "--where", ".n > 2500"},
		{"head", "--since", "2026-01-02T00:40:00Z", "-n", "2"},
		{"count", "--since", "2026-01-02T00:40:00Z"},
		{"count", "--since", "2026-01-02T00:40:00Z", "--where", ".n > 2500"},
		{"head", "--since", "2026-01-02T00:40:00Z", "-n", "2", "--offsets"},
		{"filter", "--since", "2026-01-02T00:20:00Z", "--until", "2026-01-02T00:21:00Z", "-n", "20"},
	} {
		var outputs [2]string
		for i, name := range []string{"plain.jsonl", "indexed.jsonl"} {
			full := append(append([]string(nil), args...), name)
			if args[0] == "filter" {
				full = append(full, ".n != 5")
			}
			outputs[i], _ = jlq(t, 0, full...)
		}
		require.NotEmpty(t, outputs[0])
		require.True(t, outputs[0] == outputs[1], "%q: %d and %d bytes", args, len(outputs[0]), len(outputs[1]))
	}
}

// pythonTimes prints each string of sampled JSON lines that Python reads as a time
// of ISO 8601, HTTP or Apache, with its seconds.
const pythonTimes = `
import sys, json, datetime as d, email.utils
def parse(s):
    for f in (d.datetime.fromisoformat, lambda s: d.datetime.strptime(s, '%d/%b/%Y:%H:%M:%S %z'), email.utils.parsedate_to_datetime):
        try: return f(s)
        except Exception: pass
def walk(v):
    if isinstance(v, dict): v = list(v.values())
    if isinstance(v, list):
        for x in v: walk(x)
    elif isinstance(v, str) and 10 <= len(v) < 40 and v[:3] + v[4:5] != '':
        t = parse(v)
        if t and v[2] != ':' and t.year > 1:
            if t.tzinfo is None: t = t.replace(tzinfo=d.timezone.utc)
            print(json.dumps([v, str((t - d.datetime(1970, 1, 1, tzinfo=d.timezone.utc)) // d.timedelta(microseconds=1))]))
for line in open(sys.argv[1], errors='replace'):
    try: walk(json.loads(line))
    except Exception: pass
`

// TestTimesAsPython reads the times of the sample data as Python does.
func TestTimesAsPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	files, err := filepath.Glob(filepath.Join(sampleData, "*", "*"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no sample data beside this checkout")
	}
	all := filepath.Join(t.TempDir(), "all")
	var content []byte
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil && !strings.Contains(name, "jsontestsuite") {
			content = append(append(content, data[:min(len(data), 200_000)]...), '\n')
		}
	}
	require.NoError(t, os.WriteFile(all, content, 0o600))
	out, err := exec.Command(python, "-c", pythonTimes, all).Output()
	require.NoError(t, err)
	compared := 0
	for line := range strings.Lines(string(out)) {
		var pair [2]string
		require.NoError(t, json.Unmarshal([]byte(line), &pair))
		quoted, err := json.Marshal(pair[0])
		require.NoError(t, err)
		got, ok := jsonl.ValueTime(quoted)
		if !ok && !strings.ContainsAny(pair[0], "-/ ") {
			continue // the basic format, without separators
		}
		require.True(t, ok, pair[0])
		require.Equal(t, pair[1], fmt.Sprint(got.UnixMicro()), pair[0])
		compared++
	}
	t.Logf("%d times", compared)
	require.Greater(t, compared, 100)
}
