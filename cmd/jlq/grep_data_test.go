package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// greps are searches that mean the same to grep -E, but for -n and -o, which have
// other names here.
var greps = [][]string{
	{"error"}, {"-c", "-i", "error"}, {"-v", "e"}, {"-m", "3", "a"}, {"-m", "2", "-A", "2", "a"}, {"-v", "-m", "2", "-C", "1", "a"},
	{"-A", "1", "info"}, {"-B", "2", "error"}, {"-C", "0", "error"}, {"-C", "1", "[0-9]{3}"}, {"--only-matching", "[a-z]+@[a-z.]+"},
	{"-i", "-w", "--only-matching", "the"}, {"-w", "id|user"}, {"-x", `.*\}`}, {"-c", ""}, {"-c", "x*"}, {"-F", `"level":"`},
	{"-F", "-e", "error", "-e", "warn", "-c"}, {"-i", "é|ß|ſ"}, {"-q", "error"}, {`\bGET\b|POST`},
}

// TestGrepSampleData: of real files, what is printed and the exit code are those of
// GNU grep.
func TestGrepSampleData(t *testing.T) {
	if _, err := os.Stat(sampleData); err != nil {
		t.Skip("no sample data beside this checkout")
	}
	if out, err := exec.Command("grep", "--version").Output(); err != nil || !bytes.Contains(out, []byte("GNU")) {
		t.Skip("needs GNU grep")
	}
	compared := 0
	err := filepath.WalkDir(sampleData, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		if len(content) < 2000 || len(content) > 100_000 || !sameLines(content) {
			return nil
		}
		for range 4 { // so that each search has its turn several times
			args := greps[compared%len(greps)]
			compared++
			want, code := gnuGrep(t, append(slices.Clone(args), path))
			got, stderr := jlq(t, code, append(append([]string{"grep"}, args...), path)...)
			require.Equal(t, want, got, "%q %s: %s", args, path, stderr)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, compared, 3*len(greps))
}

// sameLines reports whether grep has the same lines of a file: a last one
// without newline is none where it may be half a record.
func sameLines(content []byte) bool {
	return bytes.HasSuffix(content, []byte("\n")) && bytes.IndexByte(content, 0) < 0
}

func gnuGrep(t *testing.T, args []string) (stdout string, code int) {
	t.Helper()
	kind := "-E"
	if slices.Contains(args, "-F") {
		kind = "-F"
	}
	args = append([]string{"-a", kind}, args...)
	for i := range args {
		args[i] = strings.Replace(args[i], "--only-matching", "-o", 1)
	}
	cmd := exec.Command("grep", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
