// Package jlq_test runs the README: what it shows is what happens.
package jlq_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block is one fenced block of the README.
type block struct {
	kind string // the word behind the fence
	text string
	line int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocks(t *testing.T) []block {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var out []block
	for _, m := range fence.FindAllSubmatchIndex(data, -1) {
		out = append(out, block{
			kind: string(data[m[2]:m[3]]), text: string(data[m[4]:m[5]]),
			line: 1 + strings.Count(string(data[:m[0]]), "\n"),
		})
	}
	require.NotEmpty(t, out)
	return out
}

// TestReadme runs every block of the README: commands with the output that
// stands below them, programs, and the two set-up commands. (The one that runs
// these very tests is run by who reads this.)
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the README is written for a Unix shell")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	dir := workplace(t)
	for _, b := range blocks(t) {
		t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) {
			switch b.kind {
			case "sh":
				runSetUp(t, b)
			case "console":
				runConsole(t, b, dir)
			case "go":
				runProgram(t, b)
			case "text":
				requireFiles(t, b, dir)
			default:
				require.Fail(t, "a block of unknown kind", "%q", b.kind)
			}
		})
	}
}

// workplace is a directory with the sample log, and jlq on the path.
func workplace(t *testing.T) string {
	dir, bin := t.TempDir(), t.TempDir()
	sample, err := os.ReadFile(filepath.Join("testdata", "shop.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop.jsonl"), sample, 0o600))
	run(t, exec.Command("go", "build", "-o", filepath.Join(bin, "jlq"), "./cmd/jlq"))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v: %s", cmd, out)
	return string(out)
}

func runSetUp(t *testing.T, b block) {
	if strings.TrimSpace(b.text) == "go test ./..." {
		return
	}
	require.NotEmpty(t, run(t, exec.Command("bash", "-e", "-c", b.text)))
}

// seconds are what no two runs have in common.
var seconds = regexp.MustCompile(`\([0-9.]+ s\)`)

// runConsole runs the lines that begin with "$ " and compares what follows
// each. "[exit N]" stands for a status other than 0.
func runConsole(t *testing.T, b block, dir string) {
	steps := strings.Split("\n"+b.text, "\n$ ")[1:]
	require.NotEmpty(t, steps)
	for _, step := range steps {
		command, want, _ := strings.Cut(step, "\n")
		if strings.Contains(command, "| jq") {
			if _, err := exec.LookPath("jq"); err != nil {
				t.Logf("skipped, no jq: %s", command)
				continue
			}
		}
		cmd := exec.Command("bash", "-o", "pipefail", "-c", command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		got := string(out)
		if err != nil {
			got += fmt.Sprintf("[exit %d]\n", cmd.ProcessState.ExitCode())
		}
		require.Equal(t, seconds.ReplaceAllString(strings.TrimSpace(want), "(s)"), seconds.ReplaceAllString(strings.TrimSpace(got), "(s)"), command)
	}
}

// output is what a program says that it prints, as an example of Go does.
var output = regexp.MustCompile("(?m)^// Output: (.*)$")

// runProgram compiles and runs a whole program, in a directory of its own.
func runProgram(t *testing.T, b block) {
	src := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(src, []byte(b.text), 0o600))
	bin := filepath.Join(filepath.Dir(src), "program")
	run(t, exec.Command("go", "build", "-o", bin, src))
	cmd := exec.Command(bin)
	cmd.Dir = filepath.Dir(src)
	want := `0 {"id":17,"total":42.50}`
	if m := output.FindStringSubmatch(b.text); m != nil {
		want = m[1]
	}
	require.Contains(t, run(t, cmd), want)
}

// requireFiles compares the names and partition.json of the listing with what
// the commands before it have made.
func requireFiles(t *testing.T, b block, dir string) {
	entries, err := os.ReadDir(filepath.Join(dir, "shop"))
	require.NoError(t, err)
	require.Len(t, entries, 3)
	for _, e := range entries {
		require.Contains(t, b.text, "  "+e.Name()+" ")
	}
	meta, err := os.ReadFile(filepath.Join(dir, "shop", "partition.json"))
	require.NoError(t, err)
	require.Contains(t, b.text, strings.TrimSpace(string(meta)))
}
