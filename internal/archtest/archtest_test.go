// Package archtest holds the module to its architecture: which package may
// import which, and what no code may do. It has tests only.
package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "example.com/jlq"

// layers is the import table: a package may import those of this module that
// are named with it, and no others. Imports go one way: leaves, the mechanism,
// the policies (which do not know each other), the owner, the command line.
var layers = map[string][]string{
	"internal/vfs":      {},
	"internal/jsonl":    {},
	"internal/program":  {"internal/jsonl"},
	"internal/offsets":  {"internal/vfs"},
	"internal/inorder":  {},
	"internal/rare":     {},
	"internal/filter":   {"internal/inorder", "internal/jsonl", "internal/rare"},
	"internal/format":   {"internal/filter", "internal/jsonl"},
	"internal/profile":  {"internal/filter", "internal/jsonl"},
	"internal/grep":     {"internal/rare"},
	"internal/sample":   {},
	"index":             {"internal/vfs"},
	"internal/segment":  {"index", "internal/vfs", "internal/jsonl"},
	"writer":            {"index", "internal/segment", "internal/vfs", "internal/jsonl"},
	"reader":            {"index", "internal/segment", "internal/vfs", "internal/jsonl"},
	"partition":         {"index", "internal/segment", "internal/vfs", "internal/jsonl", "internal/offsets", "reader", "writer"},
	"topic":             {"internal/offsets", "internal/jsonl", "internal/segment", "internal/vfs", "internal/jsonl", "reader", "partition"},
	"group":             {"internal/segment", "internal/vfs", "internal/jsonl", "internal/offsets", "reader", "partition", "topic"},
	"cmd/jlq":           {"index", "internal/program", "internal/filter", "internal/format", "internal/grep", "internal/inorder", "internal/profile", "internal/sample", "internal/segment", "internal/vfs", "internal/jsonl", "internal/offsets", "reader", "writer", "partition", "topic", "group"},
	"queue":             {"internal/vfs", "internal/jsonl", "internal/offsets", "partition", "group"},
	"bench":             {"index", "internal/filter", "internal/vfs", "internal/jsonl", "reader", "writer", "partition", "topic", "group", "queue"},
	"bench/cmd/results": {"bench"},
	"bench/soak":        {"partition"},

	"internal/samplelog": {},
	"internal/picture":   {},

	"packaging":        {},
	"packaging/extras": {},

	"internal/faulttest":             {},
	"internal/faulttest/mutants":     {},
	"internal/faulttest/cmd/mutants": {"internal/faulttest/mutants"},
}

// owners are the libraries that one package alone may import; the benchmarks
// may measure any.
var owners = map[string]string{
	"github.com/bytedance/sonic":    "internal/jsonl",
	"golang.org/x/exp/mmap":         "internal/vfs",
	"github.com/fsnotify/fsnotify":  "reader",
	"github.com/spf13/cobra":        "cmd/jlq",
	"github.com/itchyny/gojq":       "internal/program",
	"github.com/klauspost/compress": "cmd/jlq",
}

// forbidden are imports that nothing may have, and what to use.
var forbidden = map[string]string{
	"github.com/stretchr/testify/assert": "testify/require",
	"github.com/stretchr/testify/suite":  "plain tests",
	"github.com/stretchr/testify/mock":   "a fake in a few lines",
	"golang.org/x/exp/slices":            "slices",
	"golang.org/x/exp/maps":              "maps",
	"golang.org/x/exp/slog":              "log/slog",
	"github.com/pkg/errors":              "errors",
	"io/ioutil":                          "io and os",
}

// source is one Go file.
type source struct {
	pkg  string // its directory, from the root of the module
	name string
	file *ast.File
	fset *token.FileSet
}

func (s source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

func (s source) imports() []string {
	var out []string
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		out = append(out, p)
	}
	return out
}

// sources parses every Go file of this module, but for nested ones.
func sources(t *testing.T) []source {
	root := filepath.Join("..", "..")
	var out []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return descend(root, p, d)
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		s := source{name: d.Name(), fset: token.NewFileSet()}
		if s.file, err = parser.ParseFile(s.fset, p, nil, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(p))
		s.pkg = filepath.ToSlash(dir)
		out = append(out, s)
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(out), 50)
	return out
}

func descend(root, p string, d fs.DirEntry) error {
	nested, _ := filepath.Glob(filepath.Join(p, "go.mod"))
	if p != root && (len(nested) > 0 || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
		return filepath.SkipDir
	}
	return nil
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, p := range s.imports() {
			if use, bad := forbidden[p]; bad {
				t.Errorf("%s/%s imports %s: use %s", s.pkg, s.name, p, use)
			}
			if s.test() {
				continue
			}
			checkLayer(t, s, p)
			checkOwner(t, s, p)
		}
	}
}

func checkLayer(t *testing.T, s source, p string) {
	own, inside := strings.CutPrefix(p, module+"/")
	if !inside {
		return
	}
	allowed, known := layers[s.pkg]
	if !known {
		t.Errorf("package %s is not in the import table", s.pkg)
	} else if !slices.Contains(allowed, own) {
		t.Errorf("%s/%s must not import %s", s.pkg, s.name, own)
	}
}

func checkOwner(t *testing.T, s source, p string) {
	for lib, owner := range owners {
		if (p == lib || strings.HasPrefix(p, lib+"/")) && s.pkg != owner && s.pkg != "bench" {
			t.Errorf("%s/%s imports %s, which only %s may", s.pkg, s.name, p, owner)
		}
	}
}

// TestTable: the table names no package that is gone.
func TestTable(t *testing.T) {
	have := map[string]bool{}
	for _, s := range sources(t) {
		have[s.pkg] = true
	}
	for pkg := range layers {
		require.True(t, have[pkg], "%s is in the table only", pkg)
	}
}

// sequences are the iterators that end in an error. A range that names one
// variable only drops it in silence.
var sequences = []string{"Records", "Range", "Blocks", "Backward", "Follow", "FollowTail", "Verify"}

func TestNoDroppedErrors(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if loop, ok := n.(*ast.RangeStmt); ok && dropsError(loop) {
				t.Errorf("%s: the range drops the error of the sequence", path.Join(s.pkg, s.fset.Position(loop.Pos()).String()))
			}
			return true
		})
	}
}

func dropsError(loop *ast.RangeStmt) bool {
	call, ok := loop.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(sequences, method.Sel.Name) {
		return false
	}
	value, named := loop.Value.(*ast.Ident)
	return loop.Value == nil || named && value.Name == "_"
}

// TestPackageComments: every package says what it is.
func TestPackageComments(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		documented[s.pkg] = documented[s.pkg] || s.file.Doc != nil
	}
	for pkg, ok := range documented {
		require.True(t, ok, "package %s has no package comment", pkg)
	}
}
