// Package jlq_test runs the README and the documents: what they show is what
// happens.
package jlq_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documents are those whose blocks are run.
var documents = []string{"README.md", "docs/library.md", "docs/operating.md", "docs/cookbook.md"}

// block is one fenced block of a document.
type block struct {
	kind string // the word behind the fence
	text string
	line int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocks(t *testing.T, document string) []block {
	data, err := os.ReadFile(document)
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

// TestReadme runs every block of the README and of the documents: commands with
// the output that stands below them, programs, and the two set-up commands.
// (The one that runs these very tests is run by who reads this.) With -update
// it puts what is printed in the place of what was shown.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the README is written for a Unix shell")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	bin := filepath.Join(t.TempDir(), "jlq")
	run(t, exec.Command("go", "build", "-o", bin, "./cmd/jlq"))
	t.Run("commands", func(t *testing.T) { requireCommands(t, run(t, exec.Command(bin, "help"))) })
	for _, document := range documents {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			w := newWorkplace(t, filepath.Dir(bin))
			all := blocks(t, document)
			for i, b := range all {
				t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) { all[i].text = w.block(t, b) })
			}
			if *update {
				rewrite(t, document, all)
			}
		})
	}
}

// TestReadmeIsShort: the README is read from the top to the bottom; what is
// looked up has a document of its own.
func TestReadmeIsShort(t *testing.T) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(data), "\n"), 400)
}

// command is a line of the help that names one.
var command = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}\S`)

// requireCommands: the table of the README has every command.
func requireCommands(t *testing.T, help string) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	named := command.FindAllStringSubmatch(help, -1)
	require.Greater(t, len(named), 20)
	for _, m := range named {
		row := regexp.MustCompile("(?m)^\\| [^|]*`" + m[1] + "[` ]")
		require.True(t, row.Match(data), "the table of commands has %s", m[1])
	}
}

// workplace is where the blocks of one document run, each where those before it
// left off.
type workplace struct {
	dir string
	env []string
}

// newWorkplace is a directory with the sample log, and jlq on the path.
func newWorkplace(t *testing.T, bin string) *workplace {
	w := &workplace{dir: t.TempDir()}
	sample, err := os.ReadFile(filepath.Join("testdata", "sample", "shop.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "shop.jsonl"), sample, 0o600))
	own := func(v string) bool { return strings.HasPrefix(v, "JLQ_") } // flags that whoever runs this has set
	w.env = append(slices.DeleteFunc(os.Environ(), own), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TZ=UTC", "LC_ALL=C.UTF-8")
	return w
}

// block runs a block, and returns it with what it prints.
func (w *workplace) block(t *testing.T, b block) string {
	switch b.kind {
	case "sh":
		runSetUp(t, b)
	case "console":
		return w.console(t, b)
	case "go":
		runProgram(t, b)
	case "yaml":
		require.YAMLEq(t, b.text, b.text) // it parses
	case "text":
		requireFiles(t, b, w.dir)
	default:
		require.Fail(t, "a block of unknown kind", "%q", b.kind)
	}
	return b.text
}

// rewrite puts blocks in the place of those of a document.
func rewrite(t *testing.T, document string, with []block) {
	data, err := os.ReadFile(document)
	require.NoError(t, err)
	next := 0
	text := fence.ReplaceAllStringFunc(string(data), func(string) string {
		b := with[next]
		next++
		return "```" + b.kind + "\n" + b.text + "```"
	})
	require.NoError(t, os.WriteFile(document, []byte(text), 0o600))
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

// output is what a program says that it prints, as an example of Go does.
var output = regexp.MustCompile("(?m)^// Output: (.*)$")

// runProgram compiles and runs a whole program, in a directory of its own.
func runProgram(t *testing.T, b block) {
	m := output.FindStringSubmatch(b.text)
	require.NotNil(t, m, "a program says what it prints: // Output: ")
	src := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(src, []byte(b.text), 0o600))
	bin := filepath.Join(filepath.Dir(src), "program")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, src)
	if strings.Contains(b.text, "github.com/tidwall/wal") {
		build.Dir = filepath.Join("bench", "peers") // the module that knows rivals
	}
	if out, err := build.CombinedOutput(); err != nil && strings.Contains(string(out), "dial tcp") {
		t.Skipf("a module is not here, and there is no network: %s", out)
	} else {
		require.NoError(t, err, "%s", out)
	}
	cmd := exec.Command(bin)
	cmd.Dir = filepath.Dir(src)
	require.Equal(t, m[1], strings.TrimSpace(run(t, cmd)))
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
