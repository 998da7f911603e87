package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBadLinesOfAllKinds: lines that are too large are met by who reads ahead, those
// that are not JSON by who prints; the race detector looks on.
func TestBadLinesOfAllKinds(t *testing.T) {
	const rounds = 500
	large := `{"text":"` + strings.Repeat("x", 2000) + `"}`
	path := filepath.Join(t.TempDir(), "app.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat(`{"n":1}`+"\nno JSON\n"+large+"\n", rounds)), 0o600))
	for _, how := range [][]string{{"cat", "--jq", ".n"}, {"cat", "--where", ".n == 1", "--jq", ".n"}} {
		var stdout, stderr bytes.Buffer
		code := run(append(how, "--max-record", "1000", path), nil, &stdout, &stderr)
		require.Equal(t, exitInvalid, code, "%v: %s", how, stderr.String())
		require.Equal(t, strings.Repeat("1\n", rounds), stdout.String(), "%v", how)
		require.Contains(t, stderr.String(), "skipped 500 records", "%v", how)
		require.Contains(t, stderr.String(), "are not JSON", "%v", how)
		require.Contains(t, stderr.String(), tooLargeText, "%v", how)
	}
}
