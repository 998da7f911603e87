package jlq_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// states are those that were asked for. Each has a row of its own in
// docs/guarantees.md.
var states = []string{
	"records cut in the middle of a line", "batch cut between lines", "index not a multiple of 8", "index behind",
	"index ahead", "NUL tail in the records", "zero tail in the index that is a multiple of 8",
	"NUL hole in the middle with valid lines after it",
	"a NUL hole of 100 MB under 800,000 clean index entries (weak mode, power cut)",
	"mode changed from weak to `always` between opens, then damage above and below",
	"adopted lines lost again by a second power cut", "index durable but record bytes stale", "garbage instead of zeros",
	"new file whose directory entry was lost", "one of the two files lost", "crash inside recovery at every step",
	"fsync fails once and then succeeds", "EIO on write, on read, on read during recovery",
	"ENOSPC in the middle of a batch, at the index, at fsync", "EFBIG", "EMFILE at open and at roll", "EROFS while open",
	"SIGKILL at every system call", "SIGSTOP for minutes",
	"two writers under every alias (directory and its segment as a bare file, two names of one file, before and after an editor's save, directory renamed and recreated)",
	"lock holder killed", "file replaced by an editor's save",
	"file truncated or emptied under writer and under reader (mapped reads included: an error, never a crash)",
	"line added by hand at the end, without and with a live writer",
	"line deleted or edited by hand in the middle, with and without change of length",
	"line split in two at equal total length",
	"a reader that read an in-flight batch which was rolled back and replaced by one of equal length",
	"missing final newline, CRLF, BOM added by an editor", "copytruncate", "partition copied while being written",
	"clock set back", "read-only media", "symbolic link, FIFO, hard link, directory in place of a file", "umask 0",
}

// packages are the directories that the document names tests of.
var packages = map[string]string{
	"index": "index", "writer": "writer", "reader": "reader", "partition": "partition", "topic": "topic", "jlq": "cmd/jlq", "bench": "bench", "filter": "internal/filter", "grep": "internal/grep", "jsonl": "internal/jsonl",
	"segment": "internal/segment", "vfs": "internal/vfs", "offsets": "internal/offsets", "group": "group", "queue": "queue", "faulttest": "internal/faulttest", "power": "internal/faulttest/power",
}

// testName is a test in the document: package, function, case.
var testName = regexp.MustCompile("`([a-z]+)\\.((?:Test|Fuzz)\\w+)(?:/([^`]+))?`")

// TestGuarantees: every state has a row in docs/guarantees.md, every row names
// tests, and every test that the document names is there.
func TestGuarantees(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("docs", "guarantees.md"))
	require.NoError(t, err)
	rows := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if cells := strings.SplitN(line, " | ", 2); strings.HasPrefix(line, "| ") && len(cells) == 2 {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells[1]
		}
	}
	for _, state := range states {
		require.Regexp(t, testName, rows[state], "the row of the state %q", state)
	}
	named := testName.FindAllStringSubmatch(string(data), -1)
	require.Greater(t, len(named), len(states))
	for _, m := range named {
		requireTest(t, m[1], m[2], m[3])
	}
}

// TestAncestors: so it is in docs/ancestors.md, where every row of a feature or
// a fault names a test.
func TestAncestors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("docs", "ancestors.md"))
	require.NoError(t, err)
	const columns = 3
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if strings.HasPrefix(line, "| ") && len(cells) == columns && !strings.Contains(cells[2], " by ") {
			require.Regexp(t, testName, cells[2], line)
		}
	}
	named := testName.FindAllStringSubmatch(string(data), -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		requireTest(t, m[1], m[2], m[3])
	}
}

// TestFixturesAreNamed: no fixture of a state is without a place in the
// document.
func TestFixturesAreNamed(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("docs", "guarantees.md"))
	require.NoError(t, err)
	fixtures, err := filepath.Glob(filepath.Join("partition", "testdata", "states", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, fixtures)
	for _, name := range fixtures {
		require.Contains(t, string(data), "`partition.TestStates/"+strings.TrimSuffix(filepath.Base(name), ".txtar")+"`")
	}
}

// requireTest looks for the function in the test files of the package, and for
// the case where the function takes its cases from: in a file of that name, or
// in the source.
func requireTest(t *testing.T, pkg, function, name string) {
	dir, ok := packages[pkg]
	require.True(t, ok, "no package %s", pkg)
	sources := testSources(t, dir)
	is := func(src string) bool { return strings.Contains(src, "\nfunc "+function+"(") }
	require.True(t, slices.ContainsFunc(sources, is), "%s has no %s", pkg, function)
	switch {
	case name == "":
	case function == "TestStates":
		require.FileExists(t, filepath.Join(dir, "testdata", "states", name+".txtar"))
	case function == "TestScripts":
		require.FileExists(t, filepath.Join(dir, "testdata", "script", name+".txt"))
	default:
		has := func(src string) bool { return strings.Contains(src, `"`+name+`"`) }
		require.True(t, slices.ContainsFunc(sources, has), "%s.%s has no case %q", pkg, function, name)
	}
}

func testSources(t *testing.T, dir string) []string {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	var sources []string
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		sources = append(sources, "\n"+string(data))
	}
	return sources
}
