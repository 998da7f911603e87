package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpotAt(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, test := range map[string]struct {
		raw          string
		pos          int
		line, column int
		excerpt      string
	}{
		"begin":     {"abc", 0, 0, 1, "abc\n^"},
		"middle":    {`{"k":11} tail`, 9, 0, 10, "{\"k\":11} tail\n         ^"},
		"end":       {"abc", 3, 0, 4, "abc\n   ^"},
		"beyond":    {"abc", 9, 0, 4, "abc\n   ^"},
		"negative":  {"abc", -1, 0, 1, "abc\n^"},
		"empty":     {"", 0, 0, 1, "\n^"},
		"two lines": {"{\n \"a\":?}", 7, 1, 6, " \"a\":?}\n     ^"},
		"newline":   {"abc\n", 3, 0, 4, "abc\n   ^"},
		"letters":   {"éé?", 4, 0, 3, "éé?\n  ^"},
		"escaped":   {"\x1b?", 1, 0, 2, "\\u001b?\n      ^"},
		"bad bytes": {"\xff\xff?", 2, 0, 3, "\\xff\\xff?\n        ^"},
		"cut behind": {"?" + long, 0, 0, 1,
			"?" + long[:63] + "...\n^"},
		"cut before": {long + "?", 100, 0, 101,
			"..." + long[:32] + "?\n" + strings.Repeat(" ", 35) + "^"},
		"cut both": {long + "?" + long, 100, 0, 101,
			"..." + long[:32] + "?" + long[:28] + "...\n" + strings.Repeat(" ", 35) + "^"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spotAt([]byte(test.raw), test.pos)
			require.Equal(t, test.line, s.line)
			require.Equal(t, test.column, s.column)
			want := "    " + strings.ReplaceAll(test.excerpt, "\n", "\n    ")
			require.Equal(t, want, s.excerpt())
		})
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("{\"a\":\x1b\xff}\n"), 3)
	f.Fuzz(func(t *testing.T, raw []byte, pos int) {
		line, caret, ok := strings.Cut(spotAt(raw, pos).excerpt(), "\n")
		require.True(t, ok)
		require.LessOrEqual(t, len([]rune(line)), 4+excerptColumns+3)
		require.LessOrEqual(t, len(caret), 4+excerptColumns+1)
		require.Equal(t, "^", strings.TrimLeft(caret, " "))
	})
}
