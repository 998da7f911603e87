package program

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"", "jq: want a program; . is the whole record, column 1\n    \n    ^"},
		{".a |", "jq: the program ends too early, column 5\n    .a |\n        ^"},
		{".a | )", "jq: unexpected token \")\", column 6\n    .a | )\n         ^"},
		{"é | .é", "jq: unexpected token \"é\", column 1\n    é | .é\n    ^"},
		{`"abc`, "jq: unterminated string literal, column 5\n    \"abc\n        ^"},
		{`.foo | "foo" | foo(1)`, "jq: function not defined: foo/1, column 16\n    .foo | \"foo\" | foo(1)\n                   ^"},
		{"# foo\n\t. | foo", "jq: function not defined: foo/0, line 2, column 6\n     . | foo\n         ^"},
		{"$x", "jq: variable not defined: $x, column 1\n    $x\n    ^"},
		{".a | @foo", "jq: format not defined: @foo, column 6\n    .a | @foo\n         ^"},
		{"break $out", "jq: label not defined: $out, column 7\n    break $out\n          ^"},
		{".a, env.HOME", "jq: env: programs see no environment, column 5\n    .a, env.HOME\n        ^"},
		{"$ENV", "jq: $ENV: programs see no environment, column 1\n    $ENV\n    ^"},
		{"[inputs]", "jq: inputs: a program sees one record, no further input, column 2\n    [inputs]\n     ^"},
		{`import "a" as a; .`, "jq: import: programs load no modules, column 1\n    import \"a\" as a; .\n    ^"},
		{`include "a"; .`, "jq: include: programs load no modules, column 1\n    include \"a\"; .\n    ^"},
		{`"\(foo)"`, "jq: function not defined: foo/0, column 4\n    \"\\(foo)\"\n       ^"},
	} {
		_, err := Compile(c.program)
		wrong, ok := errors.AsType[*Error](err)
		require.True(t, ok, "%q: %v", c.program, err)
		require.Equal(t, c.want, wrong.String(), "%q", c.program)
	}
}

func TestCompileOwnNames(t *testing.T) {
	for _, text := range []string{`def env: 1; env`, `. as $ENV | $ENV`, `def f(input): input; f(.)`, `"env"`, `.env`, `{env:1}`, `{"$id":1}`} {
		_, err := Compile(text)
		require.NoError(t, err, text)
	}
}
