package filter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/jsonl"
)

// absent is the value of a field that is missing.
type absent struct{}

// oracleDecode decodes a line with encoding/json. It knows no order of members
// and keeps the last of those with the same key.
func oracleDecode(line []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

func oracleWalk(v any, path []step) any {
	for _, s := range path {
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[s.key]
			if s.element || !ok {
				return absent{}
			}
			v = next
		case []any:
			i := s.index
			if i < 0 {
				i += len(c)
			}
			if !s.element || i < 0 || i >= len(c) {
				return absent{}
			}
			v = c[i]
		default:
			return absent{}
		}
	}
	return v
}

func oracleRank(v any) int {
	switch v := v.(type) {
	case nil, absent:
		return 0
	case bool:
		if v {
			return 2
		}
		return 1
	case json.Number:
		return 3
	case string:
		return 4
	case []any:
		return 5
	}
	return 6
}

func oracleCompare(a, b any) int {
	if c := cmp.Compare(oracleRank(a), oracleRank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case json.Number:
		x, _ := new(big.Rat).SetString(string(a))
		y, _ := new(big.Rat).SetString(string(b.(json.Number)))
		return x.Cmp(y)
	case string:
		return strings.Compare(a, b.(string))
	case []any:
		return slices.CompareFunc(a, b.([]any), oracleCompare)
	case map[string]any:
		return oracleCompareObjects(a, b.(map[string]any))
	}
	return 0
}

func oracleCompareObjects(a, b map[string]any) int {
	keys := func(m map[string]any) (out []any) {
		for k := range m {
			out = append(out, k)
		}
		slices.SortFunc(out, oracleCompare)
		return out
	}
	all := keys(a)
	if c := oracleCompare(all, keys(b)); c != 0 {
		return c
	}
	for _, k := range all {
		if c := oracleCompare(a[k.(string)], b[k.(string)]); c != 0 {
			return c
		}
	}
	return 0
}

func (o *operand) oracle(t require.TestingT, v any) any {
	if o.isPath {
		return oracleWalk(v, o.path)
	}
	lit, err := oracleDecode(o.raw)
	require.NoError(t, err)
	return lit
}

// oracle decides as Match does, by other means.
func (e *expr) oracle(t require.TestingT, v any) bool {
	switch e.op {
	case opTrue, opFalse:
		return e.op == opTrue
	case opAnd:
		return e.a.oracle(t, v) && e.b.oracle(t, v)
	case opOr:
		return e.a.oracle(t, v) || e.b.oracle(t, v)
	case opNot:
		return !e.a.oracle(t, v)
	}
	left := e.left.oracle(t, v)
	text, isText := left.(string)
	switch e.op {
	case opTruthy:
		return oracleRank(left) > 1
	case opExists:
		return left != absent{}
	case opMatch:
		return isText && e.pattern.MatchString(text)
	case opPrefix:
		return isText && strings.HasPrefix(text, string(e.text))
	case opSuffix:
		return isText && strings.HasSuffix(text, string(e.text))
	case opContains:
		list, _ := left.([]any)
		return isText && strings.Contains(text, string(e.text)) || slices.ContainsFunc(list, func(v any) bool { return v == string(e.text) })
	case opIn:
		return slices.ContainsFunc(e.list, func(o operand) bool { return oracleCompare(left, o.oracle(t, v)) == 0 })
	}
	if e.right.isTime {
		return e.oracleTime(t, left)
	}
	return e.op.holds(oracleCompare(left, e.right.oracle(t, v)))
}

func (e *expr) oracleTime(t require.TestingT, left any) bool {
	raw, err := json.Marshal(map[string]any{"t": left})
	require.NoError(t, err)
	at, ok := jsonl.Time(raw, "t")
	if left == (absent{}) || !ok {
		return e.op == opNotEqual
	}
	return e.op.holds(at.Compare(e.right.time))
}

// agree compares all ways of matching with the oracle.
func agree(t require.TestingT, f *Filter, line []byte) {
	got, err := f.Match(line)
	v, wrong := oracleDecode(jsonl.SkipBOM(line))
	if err != nil {
		strict := wrong != nil || !utf8.Valid(line) || bytes.IndexByte(line, '\n') >= 0 || errors.Is(err, jsonl.ErrDepth)
		require.True(t, strict, "%q refused: %v", line, err)
		_, _ = f.MatchChecked(line) // it may go either way, but not beyond the line
		return
	}
	require.NoError(t, wrong, "%q", line)
	want := f.root.oracle(t, v)
	require.Equal(t, want, got, "%s of %q", f, line)
	checked, err := f.MatchChecked(line)
	require.NoError(t, err, "%s of %q", f, line)
	require.Equal(t, want, checked, "%s of %q", f, line)
}

var (
	someNumbers = []string{"0", "-0", "0.0", "1", "1.0", "10e-1", "-1", "1.5", "9007199254740992", "9007199254740993", "9007199254740993.0", "1e30", "1E+30", "1000000000000000000000000000000",
		"0.1", "0.10", "1e-1", "0.01e1", "-2.5", "-25e-1", "99999999999999999999", "9999999999999999999", "999999999999999999.9", "0.0000000000000000001", "1e0", "0e5", "1764496800"}
	someStrings = []string{`""`, `"a"`, `"\u0061"`, `"ab"`, `"b\\"`, `"\""`, `"é"`, `"\u00e9"`, `"\ud83d\ude00"`, `"😀"`, `"\/"`, `"/"`, `"\n"`, `"2026-11-30T10:00:00Z"`, `"\ud800"`}
	someKeys    = []string{`"a"`, `"b"`, `"\u0061"`, `"odd key"`, `"é"`, `"c"`, `""`}
)

// documents are values in which the paths of expressions often lead somewhere.
func documents(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := 4
		if depth > 0 {
			kinds = 8
		}
		space := func() string { return rapid.SampledFrom([]string{"", "", "", " ", "\t", "\r "}).Draw(t, "space") }
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")
		case 1, 2:
			return rapid.SampledFrom(someNumbers).Draw(t, "number")
		case 3, 4:
			return rapid.SampledFrom(someStrings).Draw(t, "string")
		case 5:
			items := rapid.SliceOfN(documents(depth-1), 0, 3).Draw(t, "items")
			return "[" + space() + strings.Join(items, space()+","+space()) + space() + "]"
		}
		var items []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			items = append(items, rapid.SampledFrom(someKeys).Draw(t, "key")+space()+":"+space()+documents(depth-1).Draw(t, "value"))
		}
		return "{" + space() + strings.Join(items, space()+","+space()) + space() + "}"
	})
}

func paths() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{".a", ".b", `."odd key"`, `.["é"]`, ".[0]", ".[1]", ".[-1]", `.""`}), 0, 3),
		func(steps []string) string {
			if len(steps) == 0 {
				return "."
			}
			return strings.Join(steps, "")
		})
}

func expressions(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		path := paths().Draw(t, "path")
		text := rapid.SampledFrom(someStrings).Draw(t, "text")
		literal := documents(1).Draw(t, "literal")
		kinds := 9
		if depth > 0 {
			kinds = 14
		}
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return path
		case 1:
			return "exists(" + path + ")"
		case 2:
			return rapid.SampledFrom([]string{"startswith", "endswith", "contains"}).Draw(t, "function") + "(" + path + "," + text + ")"
		case 3:
			return path + " in [" + strings.Join(rapid.SliceOfN(documents(0), 0, 4).Draw(t, "list"), ", ") + "]"
		case 4:
			return path + ` =~ ` + rapid.SampledFrom([]string{`"a"`, `"^.$"`, `""`, `"\\\\"`, `"[^a]"`}).Draw(t, "pattern")
		case 5, 6, 7, 8, 9:
			op := rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">="}).Draw(t, "op")
			other := rapid.SampledFrom([]string{literal, text, paths().Draw(t, "other"), "@2026-11-30T10:00:00Z", "@1764496800"}).Draw(t, "right")
			if rapid.Bool().Draw(t, "turned") {
				return other + op + path
			}
			return path + " " + op + " " + other
		case 10:
			return "!" + "(" + expressions(depth-1).Draw(t, "not") + ")"
		}
		op := rapid.SampledFrom([]string{" && ", "||", " and ", " or "}).Draw(t, "joint")
		return "(" + expressions(depth-1).Draw(t, "left") + ")" + op + expressions(depth-1).Draw(t, "right")
	})
}

func TestAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expr := expressions(2).Draw(t, "expr")
		f, err := CompileAt(expr, noon)
		require.NoError(t, err, expr)
		for range 4 {
			agree(t, f, []byte(documents(3).Draw(t, "document")))
		}
	})
}

// Numbers compare as their values do, whatever their spelling.
func TestNumbersProperty(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][-+]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") && !strings.ContainsAny(a, "eE") {
			b = a + rapid.SampledFrom([]string{"", "0", "00000000000000000000", "1"}).Draw(t, "more")
		}
		if jsonl.CheckStrict([]byte(b), -1) != nil {
			t.Skip("a leading zero")
		}
		x, ok := new(big.Rat).SetString(a)
		y, ok2 := new(big.Rat).SetString(b)
		require.True(t, ok && ok2)
		require.Equal(t, x.Cmp(y), compareNumbers([]byte(a), []byte(b)), "%s %s", a, b)
		require.Equal(t, y.Cmp(x), compareNumbers([]byte(b), []byte(a)), "%s %s", a, b)
	})
}

func FuzzCompile(f *testing.F) {
	for _, expr := range []string{`.level == "error" && .user.id > 100`, `!(.a."odd key"[0] in [1, "b"]) || .x =~ "^re2$"`, `exists(.a) and .ts >= @-3h or contains(.t, "x")`,
		`. == {"a":[1E400]}`, `.a.["b"]?[-1]`, `@"2026-11-30 10:00" < .a`, `.a == 'x'`, `((`} {
		f.Add(expr)
	}
	lines := []string{`{"level":"error","a":{"odd key":[1]}}`, `[]`, `1`, `{"a":`}
	f.Fuzz(func(t *testing.T, text string) {
		compiled, err := CompileAt(text, time.Unix(1764496800, 0))
		if err != nil {
			e, ok := errors.AsType[*Error](err)
			require.True(t, ok)
			require.True(t, 0 <= e.Position && e.Position <= len(text))
			require.NotEmpty(t, e.String())
			return
		}
		for _, line := range lines {
			got, err := compiled.Match([]byte(line))
			require.False(t, got && err != nil)
		}
	})
}

// small reports whether every exponent is small enough for the oracle, which
// writes numbers out.
func small(text string) bool {
	for i := range len(text) {
		if text[i]|0x20 == 'e' && len(strings.TrimLeft(text[i+1:], "+-0123456789")) < len(text)-i-4 {
			return false
		}
	}
	return true
}

func FuzzMatch(f *testing.F) {
	f.Add(`.a.b[0] == 1.50 || .a."b c" < "x"`, []byte(`{"a":{"b":[1.5],"b c":"\u0078"},"a":3}`))
	f.Add(`.a in [1, "b"] && !exists(.c[-1])`, []byte(`{"\u0061":"b","c":[]}`))
	f.Add(`. > [1] && .ts != @2026-11-30`, []byte(jsonl.BOM+` [1,{"ts":0}] `))
	f.Add(`contains(.t, "x") || .t =~ "y$"`, []byte(`{"t":["\u0078"]`))
	f.Fuzz(func(t *testing.T, text string, line []byte) {
		compiled, err := CompileAt(text, noon)
		if err == nil && small(text) && small(string(line)) {
			agree(t, compiled, line)
		}
	})
}

// Select chooses the lines that Match is true of, whether it passes over some
// without reading them or not.
func TestSelectAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := CompileAt(expressions(2).Draw(t, "expr"), noon)
		require.NoError(t, err)
		var block, want []byte
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			line := strings.ReplaceAll(documents(3).Draw(t, "document"), "\r", " ")
			block = append(append(block, line...), '\n')
			if ok, err := f.Match([]byte(line)); err == nil && ok {
				want = append(append(want, line...), '\n')
			}
		}
		for _, checked := range []bool{true, false} {
			got, _, bad := f.Select(nil, nil, block, checked)
			require.Empty(t, bad)
			require.Equal(t, string(want), string(got), "%s, checked: %v", f, checked)
		}
	})
}
