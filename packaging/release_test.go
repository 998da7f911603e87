// Package packaging has what a release is made of, and the tests of it.
package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = ".."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// run runs a program at the top of the module.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
	return string(out)
}

// TestGoreleaser: what the release is made for is there, and what it packs.
func TestGoreleaser(t *testing.T) {
	text := read(t, ".goreleaser.yaml")
	known := run(t, "go", "tool", "dist", "list")
	targets := regexp.MustCompile(`(?m)^      - (linux|darwin|windows)_(amd64|arm64)$`).FindAllStringSubmatch(text, -1)
	require.Len(t, targets, 6)
	for _, target := range targets {
		require.Contains(t, known, target[1]+"/"+target[2]+"\n")
	}
	for _, src := range regexp.MustCompile(`src: (\S+)`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(src[1], "dist-extras/") {
			require.FileExists(t, filepath.Join(root, src[1]))
		}
	}
	if path, err := exec.LookPath("goreleaser"); err == nil {
		run(t, path, "check")
	}
}

// TestExtras: completions and manual pages that the release packs are written.
func TestExtras(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir := t.TempDir()
	run(t, "go", "run", "./packaging/extras", dir)
	text := read(t, ".goreleaser.yaml")
	for _, src := range regexp.MustCompile(`src: dist-extras/(\S+)`).FindAllStringSubmatch(text, -1) {
		found, err := filepath.Glob(filepath.Join(dir, src[1]))
		require.NoError(t, err)
		require.NotEmpty(t, found, src[1])
	}
	require.NoFileExists(t, filepath.Join(dir, "jlq.tmp"))
	require.FileExists(t, filepath.Join(dir, "man", "jlq-append.1"))
}

// TestDockerfile: images are pinned, what is copied is there, and nothing runs
// as root.
func TestDockerfile(t *testing.T) {
	text := strings.ReplaceAll(read(t, "Dockerfile"), "\\\n", " ")
	ignored := strings.Fields(read(t, ".dockerignore"))
	stages := map[string]bool{"scratch": true}
	instructions := map[string]int{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		instructions[words[0]]++
		switch words[0] {
		case "FROM":
			require.True(t, stages[words[1]] || regexp.MustCompile(`:\d+\.\d+\.\d+-`).MatchString(words[1]), "not pinned: %s", words[1])
			if len(words) == 4 {
				stages[words[3]] = true
			}
		case "COPY":
			for _, source := range copied(words[1:]) {
				_, err := os.Stat(filepath.Join(root, source))
				require.NoError(t, err)
				require.NotContains(t, ignored, source)
			}
		case "USER":
			require.Regexp(t, `^[1-9]\d*:[1-9]\d*$`, words[1])
		case "ARG", "ENV", "RUN", "WORKDIR", "VOLUME", "ENTRYPOINT":
		default:
			t.Errorf("unknown instruction %s", words[0])
		}
	}
	require.Equal(t, 1, instructions["USER"])
	require.Equal(t, 1, instructions["ENTRYPOINT"])
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	require.Contains(t, text, "FROM golang:"+version+".")
}

// copied are the sources of a COPY that are in the source tree.
func copied(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "--") {
		if strings.HasPrefix(words[0], "--from=") {
			return nil
		}
		words = words[1:]
	}
	return words[:len(words)-1]
}

// TestFormula: the formula is Ruby, and builds what the release builds.
func TestFormula(t *testing.T) {
	text := read(t, "packaging/homebrew/jlq.rb")
	for _, blank := range []string{"vVERSION", `"SHA256"`, "https://HOMEPAGE"} {
		require.Contains(t, text, blank)
	}
	for _, name := range []string{"packaging/homebrew/jlq.rb", ".goreleaser.yaml", "Dockerfile"} {
		require.Contains(t, read(t, name), "jlq_nosonic", name)
		require.Contains(t, read(t, name), "main.release=", name)
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		require.Contains(t, run(t, ruby, "-c", "packaging/homebrew/jlq.rb"), "Syntax OK")
	}
}
