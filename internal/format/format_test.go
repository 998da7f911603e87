package format

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/filter"
)

// layOut is what a new layout makes of lines.
func layOut(t *testing.T, opts Options, lines ...string) string {
	t.Helper()
	l, err := New(opts)
	require.NoError(t, err)
	var out []byte
	for i, line := range lines {
		if out, err = l.Append(out, &Record{Offset: uint64(i), Data: []byte(line)}); err != nil {
			out = append(out, "! "+err.Error()+"\n"...)
		}
	}
	return string(out)
}

// TestTableOnTerminal: what stands between the columns of tsv is a tab there, too.
func TestTableOnTerminal(t *testing.T) {
	line := "{\"a\":\"x\\ty\\u001b[m\",\"b\\u0007\":1}"
	require.Equal(t, "offset\ta\tb\\u0007\n0\tx\\ty\\u001b[m\t1\n", layOut(t, Options{Format: "tsv", Visible: true, Prefix: OffsetPrefix}, line))
}

// TestTableTellsOnce: a member that is there twice is named once.
func TestTableTellsOnce(t *testing.T) {
	var told string
	layOut(t, Options{Format: "csv", Extra: func(text string) { told = text }}, `{"a":1}`, `{"b":1,"c":2,"b":3}`)
	require.Contains(t, told, "b, c of record 1 are in no column")
}

func TestCells(t *testing.T) {
	for in, want := range map[string][2]string{
		`"a"`:                  {"a", "a"},
		`""`:                   {`""`, ""},
		`null`:                 {`""`, ""},
		`1.50`:                 {"1.50", "1.50"},
		`-1E+400`:              {"-1E+400", "-1E+400"},
		`true`:                 {"true", "true"},
		`"a,b"`:                {`"a,b"`, "a,b"},
		`"a\tb"`:               {"a\tb", `a\tb`},
		`"a\nb\r"`:             {"\"a\nb\r\"", `a\nb\r`},
		`"\"q\""`:              {`"""q"""`, `"q"`},
		`" x"`:                 {`" x"`, " x"},
		`"\\"`:                 {`\`, `\\`},
		`"\u00e9\ud83d\ude00"`: {"é😀", "é😀"},
		`[1, "a b"]`:           {`"[1,""a b""]"`, `[1,"a b"]`},
		`{ }`:                  {"{}", "{}"},
		`{"a":"\\"}`:           {`"{""a"":""\\""}"`, `{"a":"\\\\"}`},
		`"=1+1"`:               {"=1+1", "=1+1"},
	} {
		for i, name := range []string{"csv", "tsv"} {
			require.Equal(t, "x\n"+want[i]+"\n", layOut(t, Options{Format: name}, `{"x":`+in+`}`), "%s of %s", name, in)
		}
	}
}

// TestColumns: the members of later records find their columns in any order.
func TestColumns(t *testing.T) {
	var told []string
	opts := Options{Format: "csv", Extra: func(text string) { told = append(told, text) }}
	got := layOut(t, opts, `{"a":1,"b":2,"a":3}`, `{"b":4,"a":5}`, `{"\u0062":6}`, `{"c":1,"d":2}`, `{"e":1}`, `17`, `{"a":`)
	require.Equal(t, "a,b\n3,2\n5,4\n,6\n,\n,\n"+
		"! is no object, which has a name for each column\n! invalid record at byte 5: unexpected end where a value should be\n", got)
	require.Len(t, told, 1)
	require.Contains(t, told[0], "c, d of record 3 are in no column")

	// The first record that is an object makes the heading.
	got = layOut(t, Options{Format: "tsv"}, `{}`, `{"a":1}`, `{}`)
	require.Equal(t, "! is an object without members, of which there are no columns\na\n1\n\n", got)
}

func TestParseFields(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "a,b.c": "a b.c", ".a,.b[0]": "a b[0]", `."a,b",c`: "a,b c", " a , b ": "a b", ".": ".", "user-id": "user-id", `."\u0061"`: "a",
	} {
		columns, err := parseFields(in)
		require.NoError(t, err, in)
		var names []string
		for _, c := range columns {
			names = append(names, c.name)
		}
		require.Equal(t, want, strings.Join(names, " "), in)
	}
	for in, at := range map[string]int{",": 0, "a,": 2, "a,,b": 2, "a,.b[x]": 5, ". .": 1} {
		_, err := parseFields(in)
		var spot *SpotError
		require.ErrorAs(t, err, &spot, in)
		require.Equal(t, at, spot.Position, "%s: %v", in, err)
		require.Equal(t, in, spot.Expr)
	}
	_, err := parseFields("a\xff")
	require.Error(t, err)
}

// TestLogRoles: fields have the place that their name and value are fit for.
func TestLogRoles(t *testing.T) {
	for in, want := range map[string]string{
		`{"ts":"soon","time":1,"msg":"m"}`:                                         "1970-01-01 00:00:01.000Z m ts=soon",
		`{"t":{"$date":"2026-01-02T03:04:05.6+01:00"},"s":"W","msg":"m"}`:          "2026-01-02 02:04:05.600Z WARN  m",
		`{"__REALTIME_TIMESTAMP":"1534860261221373","PRIORITY":"3","MESSAGE":"m"}`: "2018-08-21 14:04:21.221Z ERROR m",
		`{"log":{"level":"debug","logger":"l"},"message":"m"}`:                     "DEBUG l: m",
		`{"level":60,"msg":"m"}`:                                                   "FATAL m",
		`{"level":7,"msg":"m"}`:                                                    "m level=7",
		`{"level":"informational","msg":"m"}`:                                      "INFO  m",
		`{"severity":"DEFAULT","msg":"","a":{}}`:                                   "INFO  a={}",
		`{"msg":"m","message":"n"}`:                                                "m message=n",
		`{"message":"n","msg":"m"}`:                                                "m message=n",
		`{"msg":7,"text":"m"}`:                                                     "m msg=7",
		`{"msg":"m","a":{"b":{"c":"x y"},"d":[{ }]},"e":"a=b"}`:                    `m a.b.c="x y" a.d=[{}] e="a=b"`,
		`{"msg":"m","source":{"file":"a.go","line":3}}`:                            "m source.file=a.go source.line=3",
		`{"msg":"m","source":"a.go:3"}`:                                            "m @a.go:3",
		`{"a": 1}`:                                                                 `{"a":1}`,
		`"msg"`:                                                                    `"msg"`,
	} {
		require.Equal(t, want+"\n", layOut(t, Options{Format: "log"}, in), in)
	}
	require.Equal(t, "1970-01-01 00:00:02.000Z m ts=1 at.x=2\n", layOut(t, Options{Format: "log", TimeField: "at.y"}, `{"ts":1,"msg":"m","at":{"x":2,"y":2}}`))
	long := `{"msg":"m","a":"` + strings.Repeat("x", 3000) + `"}`
	require.Len(t, layOut(t, Options{Format: "log"}, long), 3005)
	require.Len(t, layOut(t, Options{Format: "log", Visible: true}, long), 2008)
}

func TestTemplateErrors(t *testing.T) {
	for in, at := range map[string]int{
		"%": 0, "a%": 1, "%q": 0, "%{": 0, "%{}": 2, "%{a": 0, `%{"}`: 0, "%{.a[}": 5, `%v\`: 2, `%v\q`: 2, `%v\x4`: 2, `%v\xg0`: 2, "%é": 0,
	} {
		_, err := New(Options{Format: in})
		var spot *SpotError
		require.ErrorAs(t, err, &spot, in)
		require.Equal(t, at, spot.Position, "%s: %v", in, err)
	}
}

func TestZone(t *testing.T) {
	opts := Options{Format: `%t`, Zone: time.FixedZone("", 3600)}
	require.Equal(t, "1970-01-01T01:00:01.5+01:00", layOut(t, opts, `{"ts":1.5}`))
	require.Equal(t, "", layOut(t, opts, `{"ts":"soon"}`))
}

// TestSteadyState: a record costs no allocation, whatever the format.
func TestSteadyState(t *testing.T) {
	line := []byte(`{"ts":"2026-01-02T03:04:05.678Z","level":"info","msg":"a \"b\" c","user":{"id":12345678901234567890,"tags":["x", "y\n"]},"n":1.50}`)
	for _, opts := range []Options{
		{}, {Visible: true}, {Visible: true, Palette: Colors}, {Format: "json"}, {Format: "pretty", Visible: true, Palette: Colors},
		{Format: "csv"}, {Format: "tsv", Fields: "ts,user.id,user.tags"}, {Format: "csv", Visible: true, Prefix: IDPrefix},
		{Fields: "ts,user.id"}, {Format: "pretty", Fields: "user"}, {Format: `%o %i %t %{user.id} %{msg} %{user.tags} %v\n`},
		{Format: "log"}, {Format: "log", Visible: true, Palette: Colors}, {Human: true, Visible: true, Prefix: OffsetPrefix},
	} {
		l, err := New(opts)
		require.NoError(t, err)
		var buf []byte
		rec := Record{Topic: "orders", Offset: 1, Data: line}
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if buf, err = l.Append(buf[:0], &rec); err != nil {
				t.Error(err)
			}
		}), "%+v", opts)
	}
}

// TestBrokenWhereTrusted: records that were checked when they were stored and are
// damaged now are laid out somehow, or refused, but end nothing.
func TestBrokenWhereTrusted(t *testing.T) {
	whole := `{"ts":1,"level":"info","msg":"a\tb","user":{"id":[1,{"x":"y"}]}}`
	for _, opts := range []Options{{}, {Format: "json"}, {Format: "csv"}, {Format: "csv", Fields: "user.id,msg"}, {Fields: "msg,user"}, {Format: "log"}, {Human: true, Visible: true, Palette: Colors}, {Format: `%{user.id} %{.} %t`}} {
		l, err := New(opts)
		require.NoError(t, err)
		for cut := range whole {
			for _, data := range []string{whole[:cut], whole[cut:], whole[:cut] + "\x00" + whole[cut:], whole[:cut] + `"` + whole[cut:]} {
				_, _ = l.Append(nil, &Record{Data: []byte(data), Checked: true})
			}
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add(`%o %{a.b[0]} \x41%%`, `{"a":{"b":[1]}}`, "a,.b")
	f.Add("csv", `{"a":"x,\n"}`, "")
	f.Add("log", `{"level":30,"msg":"\n","t":{"$date":1}}`, "")
	f.Fuzz(func(t *testing.T, text, line, fields string) {
		l, err := New(Options{Format: text, Fields: fields, Visible: len(line)%2 == 0})
		if spot, ok := err.(*filter.Error); ok {
			require.LessOrEqual(t, spot.Position, len(spot.Expr))
			_ = spot.String()
		}
		if err != nil {
			return
		}
		for _, checked := range []bool{false, true} {
			out, err := l.Append([]byte("x"), &Record{Data: []byte(line), Checked: checked})
			require.Equal(t, byte('x'), out[0])
			if err != nil {
				require.Len(t, out, 1)
			}
		}
	})
}
