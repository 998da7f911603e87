package format

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestAppendVisible(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"plain":            {`{"a":"b ~"}`, `{"a":"b ~"}`},
		"letters":          {`{"é":"漢字 😀"}`, `{"é":"漢字 😀"}`},
		"escape sequence":  {"a\x1b[31mred", `a\u001b[31mred`},
		"title":            {"\x1b]0;owned\x07", `\u001b]0;owned\u0007`},
		"carriage return":  {"safe\rfake", `safe\u000dfake`},
		"tab and delete":   {"\t\x7f", `\u0009\u007f`},
		"NUL":              {"\x00", `\u0000`},
		"C1 as UTF-8":      {"\u009b31m", `\u009b31m`},
		"C1 as a byte":     {"\x9b31m", `\x9b31m`},
		"override":         {"\u202egnp.exe", `\u202egnp.exe`},
		"isolates":         {"\u2066x\u2069", `\u2066x\u2069`},
		"arabic mark":      {"\u061c\u200e\u200f", `\u061c\u200e\u200f`},
		"separators":       {"\u2028\u2029", `\u2028\u2029`},
		"byte order mark":  {"\ufeff{}", `\ufeff{}`},
		"not UTF-8":        {"a\xffb\xc3", `a\xffb\xc3`},
		"surrogate":        {"\xed\xa0\x80", `\xed\xa0\x80`},
		"overlong":         {"\xc0\xaf", `\xc0\xaf`},
		"replacement rune": {"\ufffd", "\ufffd"},
		"no-break space":   {"\u00a0", "\u00a0"},
		"joined emoji":     {"👩\u200d🚀", "👩\u200d🚀"},
		"empty":            {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, string(AppendVisible(nil, []byte(test.in))))
		})
	}
}

func FuzzAppendVisible(f *testing.F) {
	f.Add([]byte("a\x1b[2J\u202e\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := AppendVisible([]byte("x"), in)
		require.True(t, utf8.Valid(out))
		for _, r := range string(out) {
			require.False(t, hidden(r), "%q lets %U through", in, r)
		}
		require.Equal(t, string(out[1:]), string(AppendVisible(nil, out[1:])), "what is visible stays")
	})
}
