package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4096": 4096, "64K": 64 << 10, "64k": 64 << 10, "64KiB": 64 << 10, "64KB": 64 << 10, "7B": 7,
		"16M": 16 << 20, "1G": 1 << 30, "1073741824": 1 << 30,
	} {
		got, err := parseSize(text, maxSize)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "0", "-1", "x", "1T", "2G", "1.5M", "M", "1KK", "99999999999999999999", "4096K4"} {
		_, err := parseSize(text, maxSize)
		require.ErrorContains(t, err, text, text)
	}
}

// TestDiskSizeFlag: what lies on disk may be larger than what is held in memory.
func TestDiskSizeFlag(t *testing.T) {
	var f diskSizeFlag
	require.Empty(t, f.String())
	for text, want := range map[string]diskSizeFlag{"64M": 64 << 20, "10G": 10 << 30, "2T": 2 << 40, "2TiB": 2 << 40} {
		require.NoError(t, f.Set(text))
		require.Equal(t, want, f)
	}
	require.NoError(t, f.Set("2048G"))
	require.Equal(t, "2T", f.String())
	require.ErrorContains(t, f.Set("9999999T"), "want 1 to 1048576T bytes")
	require.Error(t, f.Set("0"))
}

func TestAgeFlag(t *testing.T) {
	var f ageFlag
	require.Empty(t, f.String())
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "7d": 7 * 24 * time.Hour, "1d12h": 36 * time.Hour, "50ms": 50 * time.Millisecond,
	} {
		require.NoError(t, f.Set(text))
		require.Equal(t, want, time.Duration(f), text)
	}
	for _, text := range []string{"", "0", "0s", "-1h", "1", "d", "1.5d", "12h1d", "99999d", "9h9"} {
		require.ErrorContains(t, f.Set(text), text, text)
	}
}

func TestSizeText(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 1: "1", 1000: "1000", 1024: "1K", 16 << 20: "16M", 1 << 30: "1G"} {
		require.Equal(t, want, sizeText(n))
	}
}

func TestGuardNegatives(t *testing.T) {
	root := newApp(nil, nil, nil).root()
	for _, test := range [][2][]string{
		{{"get", "x", "-1"}, {"get", "x", guard + "-1"}},
		{{"get", "-1", "x"}, {"get", guard + "-1", "x"}},
		{{"get", "x", "-10:-5"}, {"get", "x", guard + "-10:-5"}},
		{{"cat", "-o", "-10", "x"}, {"cat", "-o", "-10", "x"}},
		{{"cat", "--offset", "-10", "x"}, {"cat", "--offset", "-10", "x"}},
		{{"cat", "-ro", "-10", "x"}, {"cat", "-ro", "-10", "x"}},
		{{"cat", "-r", "-10"}, {"cat", "-r", guard + "-10"}},
		{{"cat", "-o=-10", "x"}, {"cat", "-o=-10", "x"}},
		{{"get", "x", "--", "-1"}, {"get", "x", "--", "-1"}},
		{{"get", "--no-newline", "x", "-1", "-2"}, {"get", "--no-newline", "x", guard + "-1", guard + "-2"}},
		{{"tail", "-5", "x"}, {"tail", "-n5", "x"}},
		{{"head", "x", "-5"}, {"head", "x", "-n5"}},
		{{"tail", "-n", "-5", "x"}, {"tail", "-n", "-5", "x"}},
		{{"-1"}, {"-1"}},
		{{}, {}},
	} {
		require.Equal(t, test[1], guardNegatives(root, test[0]))
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "abd", 1}, {"offest", "offset", 2}, {"kitten", "sitting", 3}} {
		require.Equal(t, test.want, distance(test.a, test.b))
		require.Equal(t, test.want, distance(test.b, test.a))
	}
}

// Each command has a help with two examples, and each flag is explained.
func TestHelpIsThere(t *testing.T) {
	root := newApp(nil, nil, nil).root()
	eachCommand(root, func(cmd *cobra.Command) {
		if cmd == root {
			return
		}
		require.NotEmpty(t, cmd.Short, cmd.CommandPath())
		require.NotEmpty(t, cmd.Long, cmd.CommandPath())
		require.GreaterOrEqual(t, countLines(cmd), 2, "%s: examples", cmd.CommandPath())
	})
}

// No help names a command that is not there, a default that says nothing, or a
// kind of value that only programmers know; and it fits into a terminal.
func TestHelpIsRight(t *testing.T) {
	root := newApp(nil, nil, nil).root()
	named := regexp.MustCompile(`jlq ([a-z-]+)`)
	eachCommand(root, func(cmd *cobra.Command) {
		for _, m := range named.FindAllStringSubmatch(cmd.Long+cmd.Example+cmd.Flags().FlagUsages(), -1) {
			found, _, err := root.Find(m[1:])
			require.True(t, err == nil && (found != root || m[1] == "help" || notCommand[m[1]]), "%s names %q", cmd.CommandPath(), m[0])
		}
		for line := range strings.Lines(cmd.Long) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 97, "%s: %s", cmd.CommandPath(), line)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			require.NotContains(t, []string{"int", "uint", "string", "strings", "stringArray", "duration"}, kind, "%s --%s", cmd.CommandPath(), f.Name)
		})
		require.NotContains(t, cmd.Flags().FlagUsages(), "(default )", cmd.CommandPath())
	})
}

// notCommand are the words that follow the name of the program in sentences.
var notCommand = map[string]bool{"appends": true, "descends": true, "did": true}

func countLines(cmd *cobra.Command) (n int) {
	for _, c := range cmd.Example {
		if c == '\n' {
			n++
		}
	}
	return n + 1
}
