package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTerminalLog: on a terminal the records of a service are shown as -F log
// shows them, where nobody asks for something else; those of no service are JSON.
func TestTerminalLog(t *testing.T) {
	dir := t.TempDir()
	service, data := filepath.Join(dir, "service.jsonl"), filepath.Join(dir, "data.jsonl")
	require.NoError(t, os.WriteFile(service, []byte(`{"ts":"2026-01-02T03:04:05Z","level":"warn","msg":"a\u001b[2Jb","n":[1, 2]}`+"\nnot JSON\x07\n"), 0o600))
	require.NoError(t, os.WriteFile(data, []byte(`{"level":"warn", "msg":"no time"}`+"\n"), 0o600))
	plain := []string{"NO_COLOR=1"}

	want := "2026-01-02 03:04:05.000Z WARN  a\\u001b[2Jb n=[1,2]\nnot JSON\\u0007\n"
	require.Equal(t, want, onTerminal(t, plain, "cat", service))
	require.Equal(t, want, onTerminal(t, plain, "tail", service))
	require.Contains(t, onTerminal(t, plain, "cat", "-F", "raw", service), `{"ts":"2026-01-02T03:04:05Z","level":"warn","msg":"a\u001b[2Jb","n":[1, 2]}`)
	require.Contains(t, onTerminal(t, plain, "get", service, "0"), `{"ts":`, "get shows what is stored")
	require.Equal(t, `{"level":"warn", "msg":"no time"}`+"\n", onTerminal(t, plain, "cat", data))

	banner := filepath.Join(dir, "banner.jsonl")
	require.NoError(t, os.WriteFile(banner, []byte("starting\n"+`{"time":1,"message":"up"}`+"\n"), 0o600))
	require.Equal(t, "starting\n1970-01-01 00:00:01.000Z up\n", onTerminal(t, plain, "cat", banner), "the first that is JSON decides")

	colours := []string{"NO_COLOR=", "CLICOLOR=", "TERM=xterm"}
	require.Contains(t, onTerminal(t, colours, "cat", service), "\x1b[33mWARN \x1b[0m \x1b[1ma\\u001b[2Jb\x1b[0m \x1b[34mn\x1b[0m=[1,2]")
	require.Contains(t, onTerminal(t, colours, "cat", "--offsets", data), "\x1b[90m0\x1b[0m\t{\x1b[34m\"level\"\x1b[0m:")
	for _, off := range [][]string{{"NO_COLOR=1", "TERM=xterm"}, {"NO_COLOR=", "CLICOLOR=0", "TERM=xterm"}, {"NO_COLOR=", "TERM=dumb"}} {
		require.NotContains(t, onTerminal(t, off, "cat", service), "\x1b", "%q", off)
	}
	require.NotContains(t, onTerminal(t, colours, "cat", "--color", "never", service), "\x1b")
	require.Contains(t, onTerminal(t, plain, "cat", "--color", "always", service), "\x1b[33m", "what is asked for outranks NO_COLOR")
}
