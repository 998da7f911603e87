package mutants

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is that of the module, from here.
const root = "../../.."

// TestList: every mutant still finds its text, makes a file that parses, and
// names tests that there are. It is found out here, and not by the mutant that
// is in no sample.
func TestList(t *testing.T) {
	list, err := List()
	require.NoError(t, err)
	require.NotEmpty(t, list)
	tests := map[string][]string{}
	for _, m := range list {
		t.Run(m.Name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
			require.NoError(t, err)
			mutated, err := m.Apply(src)
			require.NoError(t, err)
			_, err = parser.ParseFile(token.NewFileSet(), m.File, mutated, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, test := range m.Kills {
				if tests[test.Pkg] == nil {
					tests[test.Pkg] = testsOf(t, test.Pkg)
				}
				top, _, _ := strings.Cut(test.Run, "/")
				requireMatch(t, test, regexp.MustCompile(top), tests[test.Pkg])
			}
		})
	}
}

func requireMatch(t *testing.T, test Test, pattern *regexp.Regexp, names []string) {
	for _, name := range names {
		if pattern.MatchString(name) {
			return
		}
	}
	t.Errorf("there is no test %s", test)
}

// testsOf returns the names of a package's tests.
func testsOf(t *testing.T, pkg string) (names []string) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names = append(names, f.Name.Name)
			}
		}
	}
	require.NotEmpty(t, names, pkg)
	return names
}
