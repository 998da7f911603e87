package program

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func compile(t testing.TB, text string) *Program {
	t.Helper()
	p, err := Compile(text)
	require.NoError(t, err)
	return p
}

// runs returns what a program prints of a record, a line each.
func runs(t testing.TB, r *Runner, record string) (results []string, err error) {
	t.Helper()
	err = r.Run(t.Context(), Record{Data: []byte(record), Offset: 7, Partition: 2, ID: "orders-2@7"}, func(result []byte) bool {
		results = append(results, string(result))
		return true
	})
	return results, err
}

func TestRun(t *testing.T) {
	for _, c := range []struct{ record, program, want string }{
		// What is not changed is printed as it is stored.
		{`{"n":1.10}`, `.n`, `1.10`},
		{`{"n":12345678901234567890}`, `.n`, `12345678901234567890`},
		{`{"n":1e400,"m":-0.0,"k":1E+05}`, `[.n,.m,.k]`, `[1e400,-0.0,1E+05]`},
		{`{"b":0.1000,"a":[1.0,{"z":2.50,"y":1}]}`, `.a[1]`, `{"z":2.50,"y":1}`},
		{`{"b":0.1000,"a":[1.0,{"z":2.50,"y":1}]}`, `{x:.a,y:.b}`, `{"x":[1.0,{"z":2.50,"y":1}],"y":0.1000}`},
		{`[1.0, 2.00,3]`, `map(.)`, `[1.0,2.00,3]`},
		{`[1.0, 2.00,3]`, `.[1:]`, `[2.00,3]`},
		{` { "b" : 1 , "a" : [ ] } `, `.`, `{"b":1,"a":[]}`},
		{`{"b":1,"a":2,"b":3}`, `., {x:.}`, `{"b":1,"a":2,"b":3}|{"x":{"b":1,"a":2,"b":3}}`},
		{`{"a":"\u0041\/\ud83d\ude00","\u0062":1}`, `.a, {b,a}, .`, `"\u0041\/\ud83d\ude00"|{"b":1,"a":"\u0041\/\ud83d\ude00"}|{"a":"\u0041\/\ud83d\ude00","\u0062":1}`},
		{`{"a":"\ud800"}`, `.a`, `"\ud800"`},
		{`{"a":1.0}`, `select(.a == 1)`, `{"a":1.0}`},
		{`{"a":"héllo"}`, `.a[1:3], .a + "!"`, `"él"|"héllo!"`},
		{`{"a":1.50}`, `.a|tostring, tojson`, `"1.50"|"1.50"`},
		{`{"a":[{"b":1.0},{"b":2.0}]}`, `.a |= map(select(.b > 1))`, `{"a":[{"b":2.0}]}`},
		// Arithmetic is exact for integers.
		{`{"a":9007199254740993}`, `.a + 1, .a * 1000, -.a`, `9007199254740994|9007199254740993000|-9007199254740993`},
		{`{"a":0.1}`, `.a * 3`, `0.30000000000000004`},
		// The order of what the program made.
		{`{"ts":1,"level":"x","a":2}`, `{time:.ts,level}`, `{"time":1,"level":"x"}`},
		{`{"z":1,"y":2,"x":3}`, `del(.y)`, `{"z":1,"x":3}`},
		{`{"z":1,"y":2}`, `.c = 3 | .a = 4`, `{"z":1,"y":2,"c":3,"a":4}`},
		{`{"z":1,"y":2}`, `with_entries(.key |= ascii_upcase)`, `{"Y":2,"Z":1}`},
		{`{"z":1,"y":2}`, `to_entries`, `[{"key":"y","value":2},{"key":"z","value":1}]`},
		{`{"a":1}`, `{z:{y:1,x:2},"b":{"d":3,"c":4}}`, `{"z":{"y":1,"x":2},"b":{"d":3,"c":4}}`},
		{`{"a":"k"}`, `{(.a):1,"b":2}`, `{"b":2,"k":1}`},
		{`{"b":1}`, `. as $x | {$x, b: 2}`, `{"x":{"b":1},"b":2}`},
		{`[{"id":2,"g":"b"},{"id":1,"g":"b"}]`, `group_by(.g)[] | {g:.[0].g, ids:map(.id)}`, `{"g":"b","ids":[2,1]}`},
		// None, one, several.
		{`{"a":1}`, `empty`, ``},
		{`[1,[],{}]`, `.[]`, `1|[]|{}`},
		{`17`, `.`, `17`},
		{"\xef\xbb\xbf{\"a\":1}\r", `.`, `{"a":1}`},
		{`null`, `., false, nan, infinite, "a\u0000\u007f\"\\\n"`, `null|false|null|1.7976931348623157e+308|"a\u0000\u007f\"\\\n"`},
		{`[3,1]`, `first(.[]), limit(1;.[]), (.[] as $x | $x)`, `3|3|3|1`},
		// What it is told.
		{`{"a":1}`, `[$offset,$partition,$id]`, `[7,2,"orders-2@7"]`},
		{`{"a":1}`, `1 as $offset | $offset`, `1`},
	} {
		r := compile(t, c.program).Runner()
		for range 2 {
			results, err := runs(t, r, c.record)
			require.NoError(t, err, c.program)
			require.Equal(t, c.want, strings.Join(results, "|"), "%s of %s", c.program, c.record)
		}
	}
}

func TestRunRaw(t *testing.T) {
	r := compile(t, `.a, .b, [.a]`).Runner()
	r.Raw = true
	results, err := runs(t, r, `{"a":"x\n\"y\"","b":1.0}`)
	require.NoError(t, err)
	require.Equal(t, []string{"x\n\"y\"", "1.0", `["x\n\"y\""]`}, results)
}

func TestRunUnknown(t *testing.T) {
	err := compile(t, `[$offset,$partition,$id]`).Runner().Run(t.Context(), Record{Data: []byte(`1`), Offset: UnknownOffset, Partition: -1}, func(result []byte) bool {
		require.Equal(t, `[null,null,null]`, string(result))
		return true
	})
	require.NoError(t, err)
}

func TestRunFails(t *testing.T) {
	for _, c := range []struct{ program, results, failure string }{
		{`.a, .b[]`, `1`, "cannot iterate over: null"},
		{`error("boom")`, ``, "error: boom"},
		{`error({a:1})`, ``, `error: {"a":1}`},
		{`reduce range(2000) as $i (0; [.])`, ``, "the result is nested deeper than 1000"},
		{`error("é" * 2000)`, ``, "error: " + strings.Repeat("é", 508) + "…"},
		{`.a.b`, ``, "expected an object but got: number (1)"},
	} {
		results, err := runs(t, compile(t, c.program).Runner(), `{"a":1,"b":null}`)
		failed, ok := errors.AsType[*Failure](err)
		require.True(t, ok, "%s: %v", c.program, err)
		require.Equal(t, c.failure, failed.Reason)
		require.Equal(t, c.results, strings.Join(results, "|"))
	}
	_, err := runs(t, compile(t, `.`).Runner(), `{"a":}`)
	require.ErrorContains(t, err, "byte 5")
}

func TestRunDeep(t *testing.T) {
	deep := strings.Repeat("[", 999) + "1.0" + strings.Repeat("]", 999)
	results, err := runs(t, compile(t, `[.], .`).Runner(), deep)
	require.NoError(t, err)
	require.Equal(t, []string{"[" + deep + "]", deep}, results)
	_, err = runs(t, compile(t, `[[.]]`).Runner(), deep)
	require.ErrorContains(t, err, "nested deeper")
}

func TestRunHalts(t *testing.T) {
	for _, c := range []struct {
		program string
		want    Halt
	}{
		{`1, halt, 2`, Halt{}},
		{`1, ("no" | halt_error), 2`, Halt{5, "no"}},
		{`1, ({a:1} | halt_error(3)), 2`, Halt{3, `{"a":1}`}},
	} {
		results, err := runs(t, compile(t, c.program).Runner(), `1`)
		halt, ok := errors.AsType[*Halt](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, c.want, *halt)
		require.Equal(t, []string{"1"}, results)
	}
}

func TestRunStops(t *testing.T) {
	r := compile(t, `repeat(.)`).Runner()
	n := 0
	require.NoError(t, r.Run(t.Context(), Record{Data: []byte(`1`)}, func([]byte) bool {
		n++
		return n < 10
	}))
	require.Equal(t, 10, n)

	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := r.Run(ctx, Record{Data: []byte(`1`)}, func([]byte) bool {
		cancel(cause)
		return true
	})
	require.Equal(t, cause, err)
	require.Equal(t, cause, compile(t, `range(1e18) | empty`).Runner().Run(ctx, Record{Data: []byte(`1`)}, func([]byte) bool { return true }))
}

func TestNotes(t *testing.T) {
	var said []string
	r := compile(t, `.a | debug | debug("n is \(.)") | stderr`).Runner()
	r.Note = func(kind, text string) { said = append(said, kind+" "+text) }
	results, err := runs(t, r, `{"a":1.0}`)
	require.NoError(t, err)
	require.Equal(t, []string{"1.0"}, results)
	require.Equal(t, []string{"debug 1.0", `debug "n is 1.0"`, "stderr 1.0"}, said)
}

// TestPatterns: regular expressions that come from records do not pile up, and
// are right behind the place where they are forgotten.
func TestPatterns(t *testing.T) {
	r := compile(t, `. as $x | "abc" | test($x)`).Runner()
	for range 3 {
		code := r.code
		r.read = patternBytes
		results, err := runs(t, r, `"b"`)
		require.NoError(t, err)
		require.Equal(t, []string{"true"}, results)
		require.NotSame(t, code, r.code)
	}
}
