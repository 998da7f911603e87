package mutants

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fake is a module with one line that matters.
var fake = map[string]string{
	"go.mod": "module example.com/fake\n\ngo 1.26\n",
	"p/p.go": `package p

func Double(n int) int {
	n *= 2
	return n
}
`,
	"p/p_test.go": `package p

import "testing"

func TestDouble(t *testing.T) {
	if Double(2) != 4 {
		t.Fatal("not four")
	}
}

func TestZero(t *testing.T) {
	if Double(0) != 0 {
		t.Fatal("not zero")
	}
}

func TestBad(t *testing.T) { t.Fatal("always") }

func TestSkips(t *testing.T) { t.Skip("not here") }
`,
	".hidden/p.go":  "not Go",
	"nested/go.mod": "module nested\n",
	"nested/n.go":   "not Go",
}

func fakeModule(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range fake {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestRun(t *testing.T) {
	const line = "\tn *= 2\n"
	list := []struct {
		name, old, new, run string
		want                Outcome
		late                bool
		says                string
	}{
		{"killed", line, "", "^TestDouble$", Killed, false, ""},
		{"survivor", line, "", "^TestZero$", Survived, false, "./p -run ^TestZero$ passes"},
		{"equal", line, "\tn += n\n", "^TestDouble$", Survived, false, "passes"},
		{"not compiling", line, "\tn *= two\n", "^TestDouble$", Broken, false, "undefined: two"},
		{"gone", "\tn *= 3\n", "", "^TestDouble$", Broken, false, ErrGone.Error()},
		{"bad test", line, "", "^TestBad$", Broken, false, "fails without the mutant"},
		{"no test", line, "", "^TestGone$", Broken, false, "there is no such test"},
		{"skips", line, "", "^TestSkips$", Skipped, false, "skips here"},
		{"runs for ever", line, "\tfor n != 4 {\n\t}\n", "^TestZero$", Killed, true, ""},
	}
	results := map[string]Result{}
	r := Runner{Root: fakeModule(t), Timeout: 2 * time.Second, Report: func(res Result) { results[res.Mutant.Name] = res }}
	var mutants []Mutant
	for _, c := range list {
		mutants = append(mutants, Mutant{
			Name: c.name, File: "p/p.go", Kills: []Test{{"./p", c.run}}, Edits: []Edit{{c.old, c.new}},
		})
	}
	require.NoError(t, r.Run(t.Context(), mutants))
	require.Len(t, results, len(list))
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			res := results[c.name]
			require.Equal(t, c.want, res.Outcome, "%v", res.Err)
			require.Equal(t, c.late, res.Late)
			if c.says != "" {
				require.ErrorContains(t, res.Err, c.says)
			}
		})
	}
}

// TestRunAllKills: each of the tests that a mutant names must fail.
func TestRunAllKills(t *testing.T) {
	m := Mutant{
		Name: "m", File: "p/p.go", Edits: []Edit{{"\tn *= 2\n", ""}},
		Kills: []Test{{"./p", "^TestDouble$"}, {"./p", "^TestZero$"}},
	}
	var got Result
	r := Runner{Root: fakeModule(t), Report: func(res Result) { got = res }}
	require.NoError(t, r.Run(t.Context(), []Mutant{m}))
	require.Equal(t, Survived, got.Outcome)
}

// TestRunStops: nothing is reported of what was interrupted, and no copy stays.
func TestRunStops(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	m := Mutant{Name: "m", File: "p/p.go", Kills: []Test{{"./p", "^TestDouble$"}}, Edits: []Edit{{"\tn *= 2\n", ""}}}
	r := Runner{Root: fakeModule(t), Report: func(Result) { t.Error("reported") }}
	require.ErrorIs(t, r.Run(ctx, []Mutant{m}), stop)
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "mutants-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestRootUnchanged: mutants are put into copies only.
func TestRootUnchanged(t *testing.T) {
	dir := fakeModule(t)
	m := Mutant{Name: "m", File: "p/p.go", Kills: []Test{{"./p", "^TestDouble$"}}, Edits: []Edit{{"\tn *= 2\n", ""}}}
	r := Runner{Root: dir, Report: func(Result) {
		for name, text := range fake {
			now, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Equal(t, text, string(now))
		}
	}}
	require.NoError(t, r.Run(t.Context(), []Mutant{m}))
}
