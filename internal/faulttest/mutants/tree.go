package mutants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// tree is a scratch copy of the module, for one worker.
type tree struct {
	dir string // holds src, the copy, and the test programs
}

// newTree copies the module at root, tracked or not. What begins with a dot and
// nested modules stay behind.
func newTree(root string) (*tree, error) {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	t := &tree{dir: dir}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return ignoreMissing(err) // somebody is working on the original
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return t.copyDir(p, rel)
		}
		return t.copyFile(p, rel, d)
	})
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

func (t *tree) copyDir(p, rel string) error {
	_, err := os.Lstat(filepath.Join(p, "go.mod"))
	if nested := err == nil; rel != "." && (nested || strings.HasPrefix(filepath.Base(rel), ".")) {
		return filepath.SkipDir
	}
	return os.MkdirAll(t.path(rel), 0o700)
}

func (t *tree) copyFile(p, rel string, d fs.DirEntry) error {
	if !d.Type().IsRegular() {
		return nil
	}
	data, err := os.ReadFile(p)
	if err != nil {
		return ignoreMissing(err)
	}
	return os.WriteFile(t.path(rel), data, 0o600)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (t *tree) path(rel string) string { return filepath.Join(t.dir, "src", filepath.FromSlash(rel)) }

func (t *tree) remove() error { return os.RemoveAll(t.dir) }

// with runs f while the mutant is in the copy.
func (t *tree) with(m *Mutant, f func()) error {
	name := t.path(m.File)
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mutated, err := m.Apply(src)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, mutated, 0o600); err != nil {
		return err
	}
	f()
	return os.WriteFile(name, src, 0o600)
}

// build compiles the tests of a package. Without paths in what is compiled,
// all copies share the build cache. Most of the time goes to the compiler, which
// is done by a quarter sooner where it does not inline the package under test.
// That `go vet` objects is not a kill.
func (t *tree) build(ctx context.Context, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-vet=off", "-gcflags=-l", "-ldflags=-s -w", "-o", t.program(pkg), pkg)
	cmd.Dir = t.path(".")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("does not compile: go test -c %s: %w\n%s", pkg, err, out)
	}
	return nil
}

func (t *tree) program(pkg string) string {
	return filepath.Join(t.dir, strings.NewReplacer("/", "_", ".", "").Replace(pkg)+".test.exe")
}

// verdict is what running a test gave.
type verdict struct {
	failed  bool
	late    bool // it failed because its time was over
	skipped bool // nothing passed or failed, because it was skipped
	none    bool // the pattern names no test
	took    time.Duration
	output  string
}

// grace is the time for a test program to end by itself when its time is over.
const grace = 10 * time.Second

// run runs tests of a package that was built.
func (t *tree) run(ctx context.Context, test Test, limit time.Duration) (verdict, error) {
	bounded, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	cmd := exec.CommandContext(bounded, t.program(test.Pkg), "-test.v", "-test.run", test.Run, "-test.timeout", limit.String())
	cmd.Dir = t.path(test.Pkg)
	cmd.WaitDelay = grace // children of a killed test may hold its output open
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	v := verdict{took: time.Since(begun), output: string(out)}
	if ctx.Err() != nil {
		return v, context.Cause(ctx)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && bounded.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
		return v, err
	}
	v.failed = err != nil
	v.late = v.failed && (bounded.Err() != nil || strings.Contains(v.output, "panic: test timed out after "))
	v.none = !v.failed && !strings.Contains(v.output, "=== RUN ")
	v.skipped = !v.failed && !v.none && !strings.Contains("\n"+v.output, "\n--- PASS: ")
	return v, nil
}
