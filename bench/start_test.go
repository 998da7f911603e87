package bench

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart runs the shortest commands as processes on a log of ten records,
// beside a Go program that does nothing: what a script pays for each call.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	require.NoError(b, shortLog(dir, 10))
	released := buildProgram(b, "../cmd/jlq", "-tags", "jlq_nosonic", "-trimpath", "-ldflags", "-s -w")
	for _, contestant := range []struct {
		name, program string
		args          []string
	}{
		{"empty", buildProgram(b, emptyProgram(b)), nil},
		{"jlq", released, []string{"get", dir, "5"}},
		{"jlq-version", released, []string{"version"}},
		{"jlq-sonic", buildProgram(b, "../cmd/jlq"), []string{"get", dir, "5"}},
	} {
		b.Run(contestant.name, func(b *testing.B) { runJLQ(b, contestant.program, contestant.args, nil) })
	}
}

// emptyProgram writes a program that does nothing.
func emptyProgram(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "empty.go")
	require.NoError(tb, os.WriteFile(path, []byte("package main\n\nfunc main() {}\n"), 0o600))
	return path
}

func buildProgram(tb testing.TB, source string, flags ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "program.exe")
	args := append(append([]string{"build", "-o", path}, flags...), source)
	out, err := exec.Command("go", args...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		tb.Skip("no go command here that would build " + source)
	}
	require.NoError(tb, err, "%s", out)
	return path
}
