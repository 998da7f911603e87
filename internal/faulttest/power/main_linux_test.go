package power

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// childEnv names the variable that makes the test binary one of the processes
// that a test starts, and says which.
const childEnv = "JLQ_POWER_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		os.Exit(runChild(what))
	}
	code := m.Run()
	for _, p := range []*program{&jlqProgram, &diskProgram} {
		if p.dir != "" {
			_ = os.RemoveAll(p.dir)
		}
	}
	os.Exit(code)
}

func runChild(what string) int {
	var c child
	err := json.Unmarshal([]byte(what), &c)
	if err == nil {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// program is built once, when a test needs it.
type program struct {
	source string // directory of its package
	once   sync.Once
	dir    string
	err    error
}

var (
	jlqProgram  = program{source: filepath.Join("..", "..", "..", "cmd", "jlq")}
	diskProgram = program{source: filepath.Join("..", "fusedisk")}
)

// build returns the path of the program.
func (p *program) build() (string, error) {
	p.once.Do(func() {
		if p.dir, p.err = os.MkdirTemp("", "jlq-power"); p.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", filepath.Join(p.dir, "program"), ".")
		cmd.Dir = p.source
		if out, err := cmd.CombinedOutput(); err != nil {
			p.err = fmt.Errorf("build %s: %w: %s", p.source, err, out)
		}
	})
	return filepath.Join(p.dir, "program"), p.err
}

// jlq is the path of the program that users have.
func jlq(t testing.TB) string {
	t.Helper()
	path, err := jlqProgram.build()
	require.NoError(t, err)
	return path
}
