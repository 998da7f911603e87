package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrepOnTerminal: matches are coloured there, and what could drive the
// terminal is escaped, in the line as in the match.
func TestGrepOnTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"a\":\"x\x1bx\"}\n{\"b\":1}\n{\"c\":1}\n"), 0o600))
	coloured := []string{"NO_COLOR=", "TERM=xterm"}
	require.Equal(t, "{\"a\":\"\x1b[1;31mx\x1b[0m\\u001b\x1b[1;31mx\x1b[0m\"}\n", onTerminal(t, coloured, "grep", "x", path))
	require.Equal(t, "{\"a\":\"\x1b[1;31mx\\u001b\x1b[0mx\"}\n", onTerminal(t, coloured, "grep", "x\x1b", path))
	require.Equal(t, "\x1b[32m0\x1b[0m\x1b[36m:\x1b[0m{\"a\":\"\x1b[1;31mx\x1b[0m\\u001b\x1b[1;31mx\x1b[0m\"}\n"+
		"\x1b[32m1\x1b[0m\x1b[36m-\x1b[0m{\"b\":1}\n",
		onTerminal(t, coloured, "grep", "-A1", "--offsets", "x", path))
	// With -v it is the context in which there are matches.
	require.Equal(t, "{\"\x1b[1;31ma\x1b[0m\":\"x\\u001bx\"}\n{\"b\":1}\n{\"c\":1}\n", onTerminal(t, coloured, "grep", "-v", "-B1", "a", path))
	require.Equal(t, "\x1b[1;31m\"b\"\x1b[0m\n", onTerminal(t, coloured, "grep", "--only-matching", `"b"`, path))
	require.Equal(t, "{\"a\":\"x\\u001bx\"}\n", onTerminal(t, []string{"NO_COLOR=1"}, "grep", "x", path))
}
