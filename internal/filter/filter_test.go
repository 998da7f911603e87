package filter

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func compile(t testing.TB, expr string) *Filter {
	t.Helper()
	f, err := CompileAt(expr, noon)
	require.NoError(t, err, expr)
	return f
}

// mustMatch says whether line is wanted, in all ways of asking.
func mustMatch(t testing.TB, f *Filter, line string) bool {
	t.Helper()
	got, err := f.Match([]byte(line))
	require.NoError(t, err, "%s of %s", f, line)
	checked, err := f.MatchChecked([]byte(line))
	require.NoError(t, err, "%s of %s", f, line)
	require.Equal(t, got, checked, "%s of %s", f, line)
	if got {
		require.True(t, f.May([]byte(line)), "%s of %s", f, line)
	}
	return got
}

func TestMatch(t *testing.T) {
	const rec = `{"a":1,"s":"text","e":"x\u0061\"\n\/","n":null,"f":false,"t":true,"d":-2.50,"big":9007199254740993,"huge":1E400,` +
		`"o":{"b":[10,[20,21],{"c":"deep"}],"odd key":3,"b.c":4},"k\u0065y":5,"é":"ü","tags":["x","\u0079"],"":6,"dup":1,"dup":2,` +
		`"ts":"2026-11-30T10:00:00Z","ms":1796036400000,"in":7,"z":[]}`
	for expr, want := range map[string]bool{
		`true`: true, ` true `: true, `false`: false, `null`: false, `.`: true, `!false`: true,

		`.a == 1`: true, `.a==1.0`: true, `.a == 10e-1`: true, `.a == "1"`: false, `.a != 1`: false, `1 == .a`: true,
		`.a < 2`: true, `2 > .a`: true, `.a <= 1`: true, `.a >= 1`: true, `.a > 1`: false, `1 < .a`: false, `1 >= .a`: true,
		`.d == -2.5`: true, `.d < -2.49`: true, `.d > -2.51`: true,

		`.big == 9007199254740993`: true, `.big == 9007199254740992`: false, `.big > 9007199254740992`: true,
		`.big == 9007199254740993.0000`: true, `.big < 9007199254740993.00000000000000000000001`: true,
		`.huge == 1E400`: true, `.huge == 10e399`: true, `.huge > 1e399`: true, `.huge < 1.0000000000000000000000001e400`: true,
		`.huge < 1e99999999999999999999`: true, `.huge > -1e99999999999999999999`: true, `.huge > 1e-99999999999999999999`: true,
		`.huge == 1` + strings.Repeat("0", 400): true,

		`.s == "text"`: true, `.s == "t\u0065xt"`: true, `.s == "tex"`: false, `.e == "xa\"\n/"`: true, `.s < "texu"`: true, `.s > "tex"`: true,
		`.key == 5`: true, `."key" == 5`: true, `."k\u0065y" == 5`: true, `.["key"] == 5`: true, `.é == "ü"`: true, `."" == 6`: true,

		`.n == null`: true, `.n != null`: false, `.missing == null`: true, `.missing != null`: false, `.missing != 1`: true,
		`exists(.n)`: true, `exists(.missing)`: false, `exists(.a.b)`: false, `!exists(.missing)`: true, `exists(.)`: true,
		`exists(.n) && .n == null`: true, `exists(.missing) && .missing == null`: false,
		`.n`: false, `.f`: false, `.t`: true, `.missing`: false, `.a`: true, `.z`: true, `!.f`: true, `!!.a`: true,
		`.f == false`: true, `.t == true`: true, `.t != false`: true,

		`.n < false`: true, `.f < true`: true, `.t < 0`: true, `.a < ""`: true, `.s < []`: true, `.z < {}`: true, `.missing < 5`: true, `.missing > 5`: false,
		`.a.b == null`: true, `.s.x.y != 1`: true, `.a[0] == null`: true,

		`.o.b[0] == 10`: true, `.o.b[1][1] == 21`: true, `.o.b[2].c == "deep"`: true, `.o.b[-1].c == "deep"`: true, `.o.b[-2][-2] == 20`: true,
		`.o.b[3] == null`: true, `.o.b[-4] == null`: true, `.o["odd key"] == 3`: true, `.o."odd key" == 3`: true, `.o.b.[0] == 10`: true,
		`.o.b[0] == 10 && .o.b[1][0] == 20 && .o.b == [10,[20,21],{"c":"deep"}]`: true, `."o"."b.c" == 4`: true, `.o?.b?[0]? == 10`: true,
		`.dup == 2`: true, `.dup == 1`: false, `.in == 7`: true,

		`.a in [1, 2]`: true, `.a in [2]`: false, `.a in []`: false, `.a in ["1", null, 1.00]`: true, `.missing in [null]`: true, `.s in ["a","text"]`: true,
		`.tags in [["x","y"]]`: true, `.a in [{"a":1}, [1]]`: false,

		`.s =~ "^t.xt$"`: true, `.s =~ "T"`: false, `.s =~ "(?i)T"`: true, `.e =~ "\"\n/$"`: true, `.a =~ "1"`: false, `.missing =~ ""`: false, `.e =~ "^\\w+\""`: true,
		`startswith(.s, "te")`: true, `startswith(.s, "ex")`: false, `endswith(.s, "xt")`: true, `endswith(.s, "t ")`: false, `startswith(.a, "1")`: false,
		`contains(.s, "ex")`: true, `contains(.e, "a\"")`: true, `contains(.tags, "y")`: true, `contains(.tags, "z")`: false, `contains(.o, "b")`: false, `contains(.s, "")`: true,
		`exists ( .a )`: true,

		`.a == 1 && .s == "text"`: true, `.a == 1 and .s == ""`: false, `.a == 2 || .s == "text"`: true, `.a == 2 or .a == 3`: false,
		`.a == 2 && .a == 3 || .a == 1`: true, `.a == 1 || .a == 2 && .a == 3`: true, `(.a == 1 || .a == 2) && .a == 3`: false,
		`!(.a == 1) || !.t`: false, `!.f && .t`: true, `((.a == 1))`: true,

		`.a == .a`: true, `.a == .s`: false, `.d < .a`: true, `.o.b[1] == [2e1, 21.0]`: true, `.o == {"b.c":4,"odd key":3,"b":[10,[20,21],{"c":"d\u0065ep"}]}`: true,
		`.o > {"b":1}`: true, `.tags < ["y"]`: true, `.tags > ["x"]`: true, `1 == 1`: true, `"a" > 1`: true,

		`.ts == @2026-11-30T10:00:00Z`: true, `.ts >= @-3h`: true, `.ts >= @-1h`: false, `.ts < @now`: true, `@-1h > .ts`: true, `.ts == @"2026-11-30 11:00:00+01:00"`: true,
		`.ts > @2026-11-30&&.a==1`: true, `.ms < @2026-12-01`: true, `.s < @now`: false, `.s >= @now`: false, `.s == @now`: false, `.s != @now`: true, `.missing < @now`: false,
	} {
		require.Equal(t, want, mustMatch(t, compile(t, expr), rec), expr)
	}
}

// The record may be any value, not only an object.
func TestMatchOtherValues(t *testing.T) {
	for _, c := range []struct {
		expr, line string
		want       bool
	}{
		{`. == 7`, `7`, true}, {`. == 7`, " 7.0 \r", true}, {`. > 7`, `"a"`, true}, {`.`, `null`, false}, {`.x == null`, `17`, true},
		{`.[0] == 1`, `[1,2]`, true}, {`.[1] == 1`, `[ ]`, false}, {`.[0].a == 1`, ` [ {"b":[], "a" : 1 } ] `, true},
		{`.a == 1`, jsonl.BOM + `{"a":1}`, true}, {`.a == 1`, jsonl.BOM + "\t{ }", false}, {`true`, `0`, true}, {`. == {}`, `{}`, true},
		{`.a.b == 1`, `{"a":{"b":1},"a":{"c":2}}`, false}, {`.a.b == null`, `{"a":{"b":1},"a":3}`, true}, {`.a.b == 1`, `{"a":3,"\u0061":{"b":2,"b":1}}`, true},
		{`.a[0] == 1`, `{"a":[1],"a":[]}`, false}, {`. == {"a":2}`, `{"a":1,"a":2}`, true}, {`.s == "\ufffd"`, `{"s":"\ud800"}`, true},
		{`.a == "x" && .a == "x" && .b == 1`, `{"a":"x","b":1}`, true},
	} {
		require.Equal(t, c.want, mustMatch(t, compile(t, c.expr), c.line), "%s of %s", c.expr, c.line)
	}
}

// More paths than there is room for without memory of one's own.
func TestMatchManyPaths(t *testing.T) {
	var conditions, members []string
	for i := range 3 * inlineSlots {
		conditions = append(conditions, fmt.Sprintf(".f%d == %d", i, i))
		members = append(members, fmt.Sprintf(`"f%d":%d`, i, i))
	}
	f := compile(t, strings.Join(conditions, " && "))
	require.True(t, mustMatch(t, f, "{"+strings.Join(members, ",")+"}"))
	require.False(t, mustMatch(t, f, "{"+strings.Join(members[1:], ",")+"}"))
}

func TestMatchRefuses(t *testing.T) {
	f := compile(t, `.a == 1`)
	for _, line := range []string{
		``, ` `, "\r", `{`, `{"a":1`, `{"a":1}}`, `{"a":1} {"a":1}`, `{"a":01}`, `{"a":1,}`, `{"b":nul,"a":1}`, `text`, `{a:1}`, "{\"a\":1,\"b\":\"\xff\"}",
		`{"a":1,"b":"\x"}`, "{\"a\":1,\"b\":\"\x00\"}", strings.Repeat("[", jsonl.MaxDepth+1) + strings.Repeat("]", jsonl.MaxDepth+1),
	} {
		_, err := f.Match([]byte(line))
		_, ok := errors.AsType[*jsonl.SyntaxError](err)
		require.True(t, ok, "%q: %v", line, err)
	}
}

// A line that was checked before is read only as far as it matters, but never
// beyond its end, and not with less than bounded memory.
func TestMatchCheckedBroken(t *testing.T) {
	f := compile(t, `.a == 1 || .b[1].c > 2 || .b[-1] == [] || .b == {}`)
	whole := `{"x":"y","b":[1,{"c":3}],"z":[{}],"a":2}`
	for i := range len(whole) {
		ok, err := f.MatchChecked([]byte(whole[:i]))
		require.Error(t, err, whole[:i])
		require.False(t, ok)
	}
	for _, line := range []string{``, `x`, `{"b":1,}`, `{,}`, `{"a":1}}`, `{"b"}`, `{"b":}`, `{"b":[1 2]}`, `{"b":[1,}`, `{"b":1 "a":1}`, `{"b" 1}`, `{"a":01}`, `{"a":nul}`, `{"b":[` + strings.Repeat("[", 1<<20)} {
		_, err := f.MatchChecked([]byte(line))
		require.Error(t, err, "%.40s", line)
	}
	deep := `{"b":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`
	_, err := f.MatchChecked([]byte(deep))
	require.ErrorIs(t, err, jsonl.ErrDepth)
}

func TestMatchAllocatesNothing(t *testing.T) {
	line := []byte(`{"ts":"2026-11-30T10:00:00Z","level":"error","msg":"a \"b\"","user":{"id":17},"amount":12.50,"n":1e3,"list":["a"]}`)
	for _, expr := range []string{
		`.level == "error" && .user.id > 10`, `.amount > 12.49`, `.msg == "a \"b\""`, `.level in ["info", "error"]`, `.level =~ "^err"`, `contains(.msg, "b")`,
		`exists(.user.name) || .ts > @-3h`, `.n == 1000`, `contains(.list, "a") && .list[-1] == "a"`, `.level < .msg || .level > .msg`,
	} {
		f := compile(t, expr)
		require.Zero(t, testing.AllocsPerRun(20, func() {
			ok, err := f.Match(line)
			if !ok || err != nil {
				t.Error(expr, ok, err)
			}
		}), expr)
	}
}
