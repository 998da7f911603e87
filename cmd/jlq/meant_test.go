package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"orders", "billing", "os"}
	require.Equal(t, "orders", nearest("orderz", names))
	require.Equal(t, "billing", nearest("bilng", names))
	require.Empty(t, nearest("orders!!!!", names))
	require.Empty(t, nearest("x", names))
	require.Empty(t, nearest("", names))
	require.Equal(t, "; did you mean os?", meant("os"))
}

func TestNearLog(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"app.jsonl", "app.jsonl.index", "notes.txt", "q.offsets.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "orders"), 0o700))
	for given, want := range map[string]string{"orderz": "orders", "app": "app.jsonl", "ap.jsonl": "app.jsonl", "notes.tx": "", "nothing": ""} {
		if want != "" {
			want = filepath.Join(dir, want)
		}
		require.Equal(t, want, nearLog(filepath.Join(dir, given)), given)
	}
	require.Empty(t, nearLog(filepath.Join(dir, "away", "orders")))
	t.Chdir(dir)
	require.Equal(t, "orders", nearLog("orderz"))
	require.Equal(t, "orders", nearLog("order/"))
}
