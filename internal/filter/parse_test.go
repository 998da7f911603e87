package filter

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct{ expr, caret, reason string }{
		{``, `^`, `an empty filter; true takes every record`},
		{`  `, `  ^`, `an empty filter; true takes every record`},
		{`.a ==`, `     ^`, `the filter ends where a path or a value should be`},
		{`.a = 1`, `   ^`, `= does not compare, == does`},
		{`1 = .a`, `  ^`, `= does not compare, == does`},
		{`.a == 1 & .b`, `        ^`, `& alone is nothing, && is and`},
		{`.a | length`, `   ^`, `a filter has no pipes; || is or; a function takes its field: contains(.a, "x")`},
		{`.a !~ "x"`, `   ^`, `there is no !~; write !(.a =~ "re")`},
		{`.a not`, `   ^`, `not goes in front: !(...)`},
		{`not .a`, `^`, `not is written !`},
		{`.a == 'x'`, `      ^`, `strings are in double quotes`},
		{`level == "x"`, `^`, `"level" where a path or a value should be; a field is .level, a string "level"`},
		{`.a == error`, `      ^`, `"error" where a path or a value should be; a field is .error, a string "error"`},
		{`.a == 1)`, `       ^`, `a ) without its (`},
		{`(.a == 1`, `^`, `a ( without its )`},
		{`(.a == 1 .b`, `         ^`, `'.' where && or || or the end should be`},
		{`.a == 1 .b`, `        ^`, `'.' where && or || or the end should be`},
		{`.user-id == 1`, `     ^`, `a key with - in it is in quotes: ."user-..."`},
		{`.@timestamp`, ` ^`, `want a key; one with other characters than letters, digits and _ is in quotes: ."odd key"`},
		{`..a`, ` ^`, `want a key; one with other characters than letters, digits and _ is in quotes: ."odd key"`},
		{`.a.`, `   ^`, `want a key; one with other characters than letters, digits and _ is in quotes: ."odd key"`},
		{`.5 < .a`, `^`, `a number has a digit before its point: 0.5 < .a; an element is .[5]`},
		{`.a[x]`, `   ^`, `want a number or a "key" and ]`},
		{`.a[]`, `   ^`, `[] is each element, which takes --jq 'select(any(.a[]; . == 1))'; [0] is the first`},
		{`.a[1`, `   ^`, `want a number or a "key" and ]`},
		{`.a["x"`, `      ^`, `want ] behind the key`},
		{`.a == 01`, `       ^`, `'1' after a leading zero`},
		{`.a == 1x`, `       ^`, `'x' after the value`},
		{`.a == "x`, `        ^`, `unexpected end in a string`},
		{`.a =~ "\d"`, `        ^`, `'d' in an escape of a string; a backslash is written \\`},
		{`.a =~ "("`, `      ^`, "missing closing ) in the regular expression: \"(\""},
		{`.a =~ .b`, `      ^`, `want a string in double quotes`},
		{`"a" =~ "b"`, `^`, `=~ wants a path such as .a before it`},
		{`1 in [1]`, `^`, `in wants a path such as .a before it`},
		{`.a in 1`, `      ^`, `in wants a list such as [1, 2]`},
		{`.a in [1 2]`, `         ^`, `want , or ] in the list`},
		{`.a in [.b]`, `       ^`, `a list holds values only`},
		{`.a in [1,]`, `         ^`, `']' where a path or a value should be`},
		{`7`, `^`, `a value alone is no condition; compare it with a path`},
		{`"a" && .b`, `^`, `a value alone is no condition; compare it with a path`},
		{`@now`, `^`, `a value alone is no condition; compare it with a path`},
		{`@now < 5`, `^`, `a time compares with a path`},
		{`@now < @-3h`, `^`, `a time compares with a path`},
		{`.ts < @lately`, `      ^`, `"lately" is not a time; want RFC 3339 (2026-01-02T15:04:05Z), a date, a time of day (15:04), unix seconds, ms, µs or ns, a duration back from now (-3h, 3h ago), now, today or yesterday`},
		{`.a ~ "x"`, `   ^`, `~ does not compare, =~ "re" matches a regular expression`},
		{`select(.a == 1)`, `^`, `no select here: write what stands in its ( )`},
		{`has("a")`, `^`, `no has here: exists(.a) asks whether a field is there`},
		{`test(.a; "x")`, `^`, `no test here: .a =~ "re" matches a regular expression`},
		{`.a | test("x")`, `   ^`, `a filter has no pipes; || is or; a function takes its field: contains(.a, "x")`},
		{`length(.a)`, `^`, `no function length; there are exists, startswith, endswith, contains`},
		{`exists("a")`, `       ^`, `exists wants a path such as .a first`},
		{`exists(.a, "b")`, `         ^`, `want ) behind the arguments of exists`},
		{`startswith(.a)`, `             ^`, `startswith wants a path and a string: startswith(.a, "x")`},
		{`contains(.a, 1)`, `             ^`, `want a string in double quotes`},
		{`.é == "ü" & 1`, `          ^`, `& alone is nothing, && is and`},
		{"\t.a = 1", `    ^`, `= does not compare, == does`},
		{`#`, `^`, `'#' where a path or a value should be`},
	} {
		_, err := Compile(c.expr)
		e, ok := errors.AsType[*Error](err)
		require.True(t, ok, "%q: %v", c.expr, err)
		require.Equal(t, c.reason, e.Reason, c.expr)
		lines := strings.Split(e.String(), "\n")
		require.Equal(t, "    "+strings.ReplaceAll(c.expr, "\t", " "), lines[1])
		require.Equal(t, "    "+c.caret, lines[2], c.expr)
		require.Equal(t, e.Error(), lines[0])
	}
}

func TestErrorOfManyLines(t *testing.T) {
	_, err := Compile(".a == 1 &&\n  .b = 2 &&\n.c")
	e, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	require.Equal(t, "filter: = does not compare, == does, column 6\n      .b = 2 &&\n         ^", e.String())
}

// The stack is bounded by the expression's nesting, which is.
func TestCompileNesting(t *testing.T) {
	for _, expr := range []string{strings.Repeat("(", 1<<20), strings.Repeat("!", 1<<20), ".a" + strings.Repeat("[0]", 1<<10)} {
		_, err := Compile(expr)
		require.Error(t, err)
	}
	f := compile(t, strings.Repeat("(", maxNesting)+".a == 1"+strings.Repeat(")", maxNesting))
	require.True(t, mustMatch(t, f, `{"a":1}`))
}

func TestNeeds(t *testing.T) {
	for expr, want := range map[string][]string{
		`true`: nil, `.a == null`: nil, `.a != "x"`: nil, `!(.a == "x")`: nil, `.a < "x"`: nil, `.a == .b`: nil, `"x" == "y"`: nil, `.a[0] == 1`: nil, `.`: nil,
		`.a == "error"`: {`"error"`}, `"error" == .a`: {`"error"`}, `.a == true`: {`true`}, `.a == ""`: {`""`},
		`.a in ["x","yy"]`: {`"x"`, `"yy"`}, `.a in [null]`: nil, `.a in ["x",null]`: nil,
		`startswith(.a, "x")`: {`"x`}, `endswith(.a, "x")`: {`x"`}, `contains(.a, "xy")`: {`xy`},
		`.a == "x" && .b == "longer"`: {`"longer"`}, `.a == 1 && .b == "b"`: {`"b"`}, `.a == "x" || .b == "y"`: {`"x"`, `"y"`},
		`(.a == "x" || .b == "y") && .c == "z"`: {`"z"`},

		`.a`: {`"a":`}, `exists(.a)`: {`"a":`}, `.a == 1`: {`"a":`}, `.b.a > 1`: {`"a":`}, `.b[0].a >= "x"`: {`"a":`}, `1 < .a`: {`"a":`}, `.a =~ "x"`: {`"a":`}, `.a > @now`: {`"a":`},
		`.a == "q\"uote"`: {`"a":`}, `.a == "tab\t"`: {`"a":`}, `contains(.a, "x")`: {`"a":`},
		`.a in ["x",1]`: {`"a":`}, `.a in ["1","2","3","4","5"]`: {`"a":`}, `.a in []`: {`"a":`},
		`.a > 1 && .b == "b"`: {`"b"`}, `.a == "x" || .b == 1`: {`"x"`, `"b":`}, `.a > 1 || .b < 1`: nil, `."q\"" > 1`: nil,
	} {
		require.Equal(t, want, textsOf(compile(t, expr).needs), expr)
	}
}

// textsOf is what is looked for; behind a key there is a colon.
func textsOf(needs []need) (texts []string) {
	for _, n := range needs {
		if n.leaf != nil {
			n.text += ":"
		}
		texts = append(texts, n.text)
	}
	return texts
}
