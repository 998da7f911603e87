package filter

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hard are lines in which a key is not where, or not what, it looks like.
var hard = []string{
	`{"a":7}`, `{"a":1}`, `{"a" : 7}`, `{"a"` + "\t:\r7 }", `{"a":7e0}`, `{"a":-7}`, `{"a":70000000000000000000}`,
	`{"x":{"a":7}}`, `{"x":{"a":7},"a":1}`, `{"x":{"a":1},"a":7}`, `{"a":7,"a":1}`, `{"a":1,"a":7}`,
	`{"a":[7]}`, `{"a":{"a":7}}`, `{"a":"7"}`, `{"a":true}`, `{"a":null}`, `["a",7]`, `"a"`, `{}`, `7`, `{"b":"a"}`, `{"b":"a","a":7}`,
	`{"\u0061":7}`, `{"b":"\"a\":7"}`, `{"b":"\"","a":7}`, `{"b":"\\","a":1}`,
	`{"b":"x",",":7}`, `{",":",",":":7}`, `{":":":",":":7}`, `{":":7}`, `{"":"",",":1}`, `{",":7,",":1}`,
	`{"é":7}`, `{"\u00e9":7}`, bom + `{"a":7}`, ` {"a":7} `, `{"aa":7,"a":"a"}`, `{"a":"2026-11-30T10:00:00Z"}`,
}

const bom = "\ufeff"

var aboutKeys = []string{
	`.a > 5`, `.a == 7`, `.x.a >= 7`, `.a in [7, "7"]`, `.a`, `exists(.a)`, `.a =~ "^7"`, `.a == "\n" || .a > 5`, `."," > 5`, `.":" > 5`, `."é" == 7`,
	`.a > 5 && .b > 0`, `.a > @2026-11-30T09:00:00Z`, `.a.a > 5`, `contains(.b, "a") || ."," == 7`, `.a > {}`, `.a == [7]`,
}

// A line that is passed over because of its keys is not wanted, whatever lines
// are beside it.
func TestSelectByKey(t *testing.T) {
	for _, expr := range aboutKeys {
		f := compile(t, expr)
		require.NotNil(t, f.needs, expr)
		for _, filler := range []string{"", strings.Repeat(`{"a":null}`+"\n", 50), strings.Repeat(`{"a":9,"b":9,"x":9,",":9}`+"\n", 2000)} {
			block := filler + strings.Join(hard, "\n") + "\n"
			var want []byte
			for line := range strings.Lines(block) {
				if mustMatch(t, f, strings.TrimSuffix(line, "\n")) {
					want = append(want, line...)
				}
			}
			for _, checked := range []bool{true, false} {
				got, matched, bad := f.Select(nil, nil, []byte(block), checked)
				require.Equal(t, string(want), string(got), "%s, checked: %v", expr, checked)
				require.Equal(t, bytes.Count(want, []byte("\n")), matched)
				require.Empty(t, bad)
			}
		}
	}
}

// What is broken behind a key is not passed over, and no line takes its value
// from the next one.
func TestSelectByKeyBroken(t *testing.T) {
	f := compile(t, `.a > 5`)
	block := "{\"a\":1}\n{\"a\":nul}\n{\"a\":\n{\"a\":7}\n{\"a\":01}\n{\"a\"\n:7}\n{\"a\":\"1\n{\"a\":8}"
	for _, checked := range []bool{true, false} {
		got, matched, bad := f.Select(nil, nil, []byte(block), checked)
		require.Equal(t, "{\"a\":7}\n{\"a\":8}\n", string(got))
		require.Equal(t, 2, matched)
		require.NotEmpty(t, bad)
		require.Equal(t, 1, bad[0].Line)
	}
}

func TestAnchored(t *testing.T) {
	for _, text := range []string{`"a"`, `"amount"`, `"zz"`, `"\u"`, `"é"`} {
		a := anchor(text)
		for _, data := range []string{"", text, text + text, "x" + text, text[:len(text)-1], text[1:], strings.Repeat(text[:len(text)-1], 3) + text, text[1:] + text} {
			for at := range len(data) + 1 {
				want := len(data)
				if i := strings.Index(data[at:], text); i >= 0 {
					want = at + i
				}
				require.Equal(t, want, a.index([]byte(data), at), "%s in %s from %d", text, data, at)
			}
		}
	}
}
