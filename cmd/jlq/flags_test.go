package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{
		"1": 1, "4096": 4096, "64K": 64 << 10, "64k": 64 << 10, "64KiB": 64 << 10, "64KB": 64 << 10, "7B": 7,
		"16M": 16 << 20, "1G": 1 << 30, "1073741824": 1 << 30,
	} {
		got, err := parseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "0", "-1", "x", "1T", "2G", "1.5M", "M", "1KK", "99999999999999999999", "4096K4"} {
		_, err := parseSize(text)
		require.ErrorContains(t, err, text, text)
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
		{{"cat", "--offsets", "-10", "x"}, {"cat", "--offsets", "-10", "x"}},
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
	for _, cmd := range newApp(nil, nil, nil).root().Commands() {
		require.NotEmpty(t, cmd.Short, cmd.Name())
		require.NotEmpty(t, cmd.Long, cmd.Name())
		require.GreaterOrEqual(t, countLines(cmd), 2, "%s: examples", cmd.Name())
	}
}

func countLines(cmd *cobra.Command) (n int) {
	for _, c := range cmd.Example {
		if c == '\n' {
			n++
		}
	}
	return n + 1
}
