package jsonl

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCompact(t *testing.T) {
	for _, c := range multiline {
		line, err := Compact([]byte("> "), []byte(c.text))
		require.NoError(t, err, "%q", c.text)
		require.Equal(t, "> "+c.line, string(line))
	}
}

// Tokens come through as they were written.
func TestCompactAndIndentKeepSpelling(t *testing.T) {
	for _, c := range []struct{ src, compact, indented string }{
		{`{}`, `{}`, `{}`},
		{` [ ] `, `[]`, `[]`},
		{`null`, `null`, `null`},
		{`{"b":1,"a":2,"b":3}`, `{"b":1,"a":2,"b":3}`, "{\n  \"b\": 1,\n  \"a\": 2,\n  \"b\": 3\n}"},
		{`[1.0, 1E+2 ,-0, 12345678901234567890123]`, `[1.0,1E+2,-0,12345678901234567890123]`,
			"[\n  1.0,\n  1E+2,\n  -0,\n  12345678901234567890123\n]"},
		{"[\"\\u00e9\\/<&>\u2028\", \"\\ud800\"]", "[\"\\u00e9\\/<&>\u2028\",\"\\ud800\"]",
			"[\n  \"\\u00e9\\/<&>\u2028\",\n  \"\\ud800\"\n]"},
		{`{"a b, [":[ "  ", { } ,[\n]]}`, `{"a b, [":["  ",{},[]]}`,
			"{\n  \"a b, [\": [\n    \"  \",\n    {},\n    []\n  ]\n}"},
		{`{"a\"b" : "\\" , "c":"]"}`, `{"a\"b":"\\","c":"]"}`, "{\n  \"a\\\"b\": \"\\\\\",\n  \"c\": \"]\"\n}"},
	} {
		src := []byte(strings.ReplaceAll(c.src, `[\n]`, "[\n]"))
		got, err := Compact(nil, src)
		require.NoError(t, err)
		require.Equal(t, c.compact, string(got))
		got, err = Indent([]byte("> "), src, "  ")
		require.NoError(t, err)
		require.Equal(t, "> "+c.indented, string(got))
	}
}

func TestFormatRefuses(t *testing.T) {
	for _, c := range refused {
		if c.err == ErrNewline || c.rec == "" {
			continue // white space here
		}
		dst := []byte("kept")
		for _, format := range []func() ([]byte, error){
			func() ([]byte, error) { return Compact(dst, []byte(c.rec)) },
			func() ([]byte, error) { return Indent(dst, []byte(c.rec), "\t") },
		} {
			got, err := format()
			require.Error(t, err, "%.60q", c.rec)
			require.Equal(t, "kept", string(got))
			if c.err != ErrNUL {
				require.Equal(t, CheckStrict([]byte(c.rec), 0), err)
			}
		}
	}
	for _, text := range []string{"", "\n", " \r\n\t"} {
		_, err := Compact(nil, []byte(text))
		require.ErrorIs(t, err, ErrEmpty)
	}
	_, err := Compact(nil, []byte("\"a\nb\""))
	require.EqualError(t, err, "invalid record at byte 2: raw control byte 0x0a in a string")
}

// A small record can ask for gigabytes of indentation.
func TestIndentIsBounded(t *testing.T) {
	deep := []byte(strings.Repeat("[", 900) + strings.Repeat("1,", 500) + "1" + strings.Repeat("]", 900))
	dst := []byte("kept")
	got, err := appendIndented(dst, deep, "    ", 1<<20)
	require.ErrorIs(t, err, ErrTooLarge)
	require.Equal(t, "kept", string(got))

	got, err = Indent(nil, deep, "    ")
	require.NoError(t, err)
	_, err = appendIndented(dst, deep, "    ", len(got))
	require.NoError(t, err)
	_, err = appendIndented(dst, deep, "    ", len(got)-1)
	require.ErrorIs(t, err, ErrTooLarge)
}

// checkFormat checks what must hold for the forms of any text d.
func checkFormat(t require.TestingT, d []byte) {
	compact, err := Compact(nil, d)
	indented, err2 := Indent(nil, d, "  ")
	if checkText(d) != nil {
		require.Error(t, err)
		require.Error(t, err2)
		return
	}
	require.NoError(t, err)
	require.NoError(t, CheckStrict(compact, -1), "%q", d)

	var want bytes.Buffer
	require.NoError(t, json.Compact(&want, d))
	require.Equal(t, want.String(), string(compact))
	want.Reset()
	require.NoError(t, json.Indent(&want, compact, "", "  "))
	require.Equal(t, want.String(), string(indented))

	again, err := Compact(nil, indented)
	require.NoError(t, err)
	require.Equal(t, string(compact), string(again))
	again, err = Indent(nil, indented, "  ")
	require.NoError(t, err)
	require.Equal(t, string(indented), string(again))
}

func TestFormatProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkFormat(t, []byte(jsonText(3).Draw(t, "text")))
	})
}

func FuzzFormat(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, d []byte) { checkFormat(t, d) })
}
