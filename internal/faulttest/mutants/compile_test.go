package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListCompiles: no mutant leaves an import or a variable behind that
// nothing uses any more, or else it kills nothing and only looks broken on the
// day it is run.
func TestListCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("short: one goroutine checks the types of all mutants")
	}
	list, err := List()
	require.NoError(t, err)
	c := newChecker(t, list)
	for _, m := range list {
		t.Run(m.Name, func(t *testing.T) { require.NoError(t, c.check(&m)) })
	}
}

// listed is what `go list` says of a package.
type listed struct {
	ImportPath string
	Dir        string
	Export     string   // file that says what it exports
	GoFiles    []string // that are compiled on this machine
}

// checker checks the types of a package with one of its files changed.
type checker struct {
	set      *token.FileSet
	imports  types.Importer
	packages map[string]listed               // by directory
	parsed   map[string]map[string]*ast.File // by directory and name
}

func newChecker(t *testing.T, list []Mutant) *checker {
	c := &checker{set: token.NewFileSet(), packages: map[string]listed{}, parsed: map[string]map[string]*ast.File{}}
	exports := map[string]string{}
	for _, p := range goList(t, list) {
		c.packages[p.Dir] = p
		exports[p.ImportPath] = p.Export
	}
	c.imports = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return c
}

// goList lists the packages that the mutants change, and what these import.
func goList(t *testing.T, list []Mutant) (packages []listed) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, m := range list {
		args = append(args, "./"+path.Dir(m.File))
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = root, t.Output()
	out, err := cmd.Output()
	require.NoError(t, err)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else {
			require.NoError(t, err)
		}
		packages = append(packages, p)
	}
}

// check checks the types in the file that the mutant changes. A file that is for
// another system is not compiled here.
func (c *checker) check(m *Mutant) (errs error) {
	name, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return err
	}
	p, found := c.packages[filepath.Dir(name)]
	if !found {
		return fmt.Errorf("go list does not know the package in %s", filepath.Dir(name))
	}
	originals, err := c.parse(p)
	if err != nil {
		return err
	}
	var files []*ast.File
	for base, file := range originals {
		if base == filepath.Base(name) {
			if file, err = c.mutate(m, name); err != nil {
				return err
			}
		}
		files = append(files, file)
	}
	config := types.Config{Importer: c.imports, Error: func(err error) {
		if e, ok := errors.AsType[types.Error](err); !ok || c.set.Position(e.Pos).Filename == name {
			errs = errors.Join(errs, err)
		}
	}}
	_, _ = config.Check(p.ImportPath, c.set, files, nil) // the first of what Error was told
	return errs
}

// mutate parses the file with the mutant in it.
func (c *checker) mutate(m *Mutant, name string) (*ast.File, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if src, err = m.Apply(src); err != nil {
		return nil, err
	}
	return parser.ParseFile(c.set, name, src, parser.SkipObjectResolution)
}

// parse parses the files of a package once, without what the functions do: to
// look at that again for each mutant would take several times as long.
func (c *checker) parse(p listed) (map[string]*ast.File, error) {
	if files := c.parsed[p.Dir]; files != nil {
		return files, nil
	}
	files := map[string]*ast.File{}
	for _, base := range p.GoFiles {
		file, err := parser.ParseFile(c.set, filepath.Join(p.Dir, base), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				f.Body = nil
			}
		}
		files[base] = file
	}
	c.parsed[p.Dir] = files
	return files, nil
}
