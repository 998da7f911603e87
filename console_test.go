package jlq_test

import (
	"flag"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "put what the commands of the documents print below them, to be read before it is kept")

// seconds and moments are what no two runs have in common: how long something
// took, and when a file was appended to. (Times in records have fractions.)
var (
	seconds = regexp.MustCompile(`\([0-9.]+ s\)`)
	moments = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
)

// tools are programs that a block may use where they are there.
var tools = regexp.MustCompile(`(?:^|[ |;(])(jq|duckdb|python3)\b`)

// step is a command of a block and the output below it.
type step struct{ command, want string }

// steps splits a block at its prompts. Lines that begin with "> " belong to the
// command, as a shell shows it.
func steps(text string) (out []step) {
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, rest, _ := strings.Cut(part, "\n")
		for strings.HasPrefix(rest, "> ") {
			var line string
			line, rest, _ = strings.Cut(rest[2:], "\n")
			command += "\n" + line
		}
		out = append(out, step{command, rest})
	}
	return out
}

// console runs the commands of a block and compares what each prints. "[exit N]"
// stands for a status other than 0, a line "…" for lines that are left out.
// It returns the block with what was printed.
func (w *workplace) console(t *testing.T, b block) string {
	todo := steps(b.text)
	require.NotEmpty(t, todo)
	var shown strings.Builder
	for _, s := range todo {
		if tool := missingTool(s.command); tool != "" {
			t.Logf("skipped, no %s: %s", tool, s.command)
			s.show(&shown)
			continue
		}
		got := w.shell(s.command)
		if !*update {
			requireShown(t, s.want, got, s.command)
		} else if !s.matches(got) {
			s.want = got
		}
		s.show(&shown)
	}
	return shown.String()
}

// show writes a step as it stands in a document.
func (s step) show(to *strings.Builder) {
	fmt.Fprintf(to, "$ %s\n", strings.ReplaceAll(s.command, "\n", "\n> "))
	if want := strings.TrimRight(s.want, "\n"); want != "" {
		fmt.Fprintln(to, want)
	}
}

// missingTool is a program that a command wants and that is not there.
func missingTool(command string) string {
	for _, m := range tools.FindAllStringSubmatch(command, -1) {
		if _, err := exec.LookPath(m[1]); err != nil {
			return m[1]
		}
	}
	return ""
}

// shell is what a command prints, and its status.
func (w *workplace) shell(command string) string {
	cmd := exec.Command("bash", "-o", "pipefail", "-c", command)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s[exit %d]\n", out, cmd.ProcessState.ExitCode())
	}
	return string(out)
}

// requireShown compares the lines that a document shows with those that were
// printed.
func requireShown(t *testing.T, want, got, command string) {
	t.Helper()
	if !(step{command, want}).matches(got) {
		require.Equal(t, plain(want), plain(got), command)
	}
}

// leftOut is a line that stands for any number of lines.
const leftOut = "\n…\n"

// matches reports whether what a command printed is what is shown of it.
func (s step) matches(got string) bool {
	parts := strings.Split("\n"+plain(s.want)+"\n", leftOut)
	got = "\n" + plain(got) + "\n"
	if len(parts) == 1 {
		return parts[0] == got
	}
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(`\A` + strings.Join(parts, `\n(?s:.*\n)?`) + `\z`).MatchString(got)
}

// plain takes out what differs from run to run.
func plain(text string) string {
	text = moments.ReplaceAllString(strings.TrimSpace(text), "(moment)")
	return seconds.ReplaceAllString(text, "(s)")
}

// TestSteps: how a block is read.
func TestSteps(t *testing.T) {
	require.Equal(t, []step{{"a b", "1\n2"}, {"c <<E\nx\nE", ""}, {"d", "3\n"}}, steps("$ a b\n1\n2\n$ c <<E\n> x\n> E\n$ d\n3\n"))
	require.True(t, step{want: "a\n…\nd"}.matches("a\nb\nc\nd\n"))
	require.False(t, step{want: "a\n…\nd"}.matches("a\nb\nc\n"))
	require.True(t, step{want: "built (0.1 s)"}.matches("built (2.00 s)\n"))
	require.Equal(t, [][]string{{" jq", "jq"}, {" duckdb", "duckdb"}}, tools.FindAllStringSubmatch("jlq cat --jq . x | jq . >jqx; duckdb -c 1", -1))
}
