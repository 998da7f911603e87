package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// realTerminal is a shell on a real terminal, which tmux draws.
type realTerminal struct {
	t   *testing.T
	pos []string // says tmux which server
	n   int      // commands that were typed
}

// newTerminal starts a shell in dir, 80 columns by 24 lines.
func newTerminal(t *testing.T, dir string, env ...string) *realTerminal {
	t.Helper()
	for _, name := range []string{"tmux", "less"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("no " + name)
		}
	}
	socket, err := os.MkdirTemp("", "t") // short: there is a limit to names of sockets
	require.NoError(t, err)
	term := &realTerminal{t: t, pos: []string{"-S", filepath.Join(socket, "s"), "-f", "/dev/null"}}
	shell := append([]string{"env", "-i", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=screen", "LC_ALL=C.UTF-8", "PS1=ready> ", "ENV="}, env...)
	term.tmux(append([]string{"new-session", "-d", "-x", "80", "-y", "24", "-c", dir}, append(shell, "sh")...)...)
	t.Cleanup(func() {
		_ = exec.Command("tmux", append(term.pos, "kill-server")...).Run() // it is gone when the shell is
		_ = os.RemoveAll(socket)
	})
	term.await(`^ready> $`)
	return term
}

func (r *realTerminal) tmux(args ...string) string {
	r.t.Helper()
	out, err := exec.Command("tmux", append(r.pos, args...)...).CombinedOutput()
	require.NoError(r.t, err, "tmux %q: %s", args, out)
	return string(out)
}

// typed types a command, on a screen that is cleared; its exit code comes behind.
func (r *realTerminal) typed(command string) {
	r.n++
	r.tmux("send-keys", "-l", fmt.Sprintf("clear; %s; echo end %d: $?", command, r.n))
	r.tmux("send-keys", "Enter")
}

func (r *realTerminal) press(key string) { r.tmux("send-keys", key) }

// ended waits until the command has ended, and what it printed last is before
// that matches.
func (r *realTerminal) ended(code int, last string) string {
	r.t.Helper()
	return r.await(fmt.Sprintf(`%s^end %d: %d$`, last, r.n, code))
}

// await waits until the screen, without empty lines at its end, matches.
func (r *realTerminal) await(pattern string) string {
	r.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	shown := ""
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		shown = strings.TrimRight(r.tmux("capture-pane", "-p", "-e"), "\n")
		if re.MatchString(shown) || re.MatchString(shown+" ") {
			return shown
		}
	}
	require.Fail(r.t, "not on the screen", "%s\n%s", pattern, shown)
	return ""
}

// TestTmux: how jlq behaves for who sits before a terminal.
func TestTmux(t *testing.T) {
	dir := t.TempDir()
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "{\"n\":%d}\n", i)
	}
	for name, text := range map[string]string{"many.jsonl": many.String(), "few.jsonl": "{\"n\":1}\n{\"n\":2}\n", "bad.jsonl": many.String() + "{\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	r := newTerminal(t, dir, "NO_COLOR=1")

	// What has no room on the screen is shown by the pager; leaving it is no error.
	r.typed("jlq cat many.jsonl")
	r.await(`^{"n":0}$(.|\n)*^{"n":22}$\n^:`)
	r.press("C-c") // is the pager's, which forgets what was typed before it noticed
	require.Eventually(t, func() bool {
		r.press("G")
		return strings.Contains(r.tmux("capture-pane", "-p"), `{"n":99}`)
	}, 20*time.Second, 50*time.Millisecond)
	r.press("q")
	r.ended(0, "")
	r.typed("stty -a | grep -o ' echo '")
	r.ended(0, `^ echo\s*$\n`)

	// Left before the end, too. What there is to say comes behind it.
	r.typed("jlq filter bad.jsonl '.n >= 0'")
	r.await(`^{"n":0}$(.|\n)*^:`)
	r.press("q")
	r.ended(4, `^jlq: .*bad.jsonl(.|\n)*`)

	// What has room is printed as ever; and without a pager, everything.
	r.typed("jlq cat few.jsonl")
	r.ended(0, `^{"n":2}$\n`)
	r.typed("jlq cat --pager never many.jsonl")
	r.ended(0, `^{"n":99}$\n`)
	r.typed("JLQ_PAGER='tail -n 1' jlq cat many.jsonl")
	r.ended(0, `^{"n":99}$\n`)
	r.typed("PAGER=nonsense-zz jlq cat many.jsonl")
	r.ended(0, `^{"n":99}$\n`)

	// Help, too.
	r.typed("jlq help append")
	r.await(`^append stores the lines(.|\n)*^:`)
	r.press("q")
	r.ended(0, "")

	// Following is never paged, and an interrupt ends it.
	r.typed("jlq tail -f -n 50 many.jsonl")
	r.await(`^{"n":99}$`)
	r.press("C-c")
	r.await(`end \d+: 130$`)

	// Colours.
	r.typed("NO_COLOR= jlq cat -F pretty few.jsonl")
	require.Contains(t, r.ended(0, ""), "\x1b[3")
	r.typed("NO_COLOR= jlq cat --color never -F pretty few.jsonl")
	require.NotContains(t, r.ended(0, ""), "\x1b[3")
}
