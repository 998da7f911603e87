package format

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shortColors makes colours readable: <k>…</>.
var shortColors = strings.NewReplacer(Colors[keyText], "<k>", Colors[stringText], "<s>",
	Colors[numberText], "<n>", Colors[wordText], "<w>", Colors[colorOff], "</>")

func TestAppendColored(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": "b"}`:              `{<k>"a"</>: <s>"b"</>}`,
		`[1,-2.5e3,true,null]`:    `[<n>1</>,<n>-2.5e3</>,<w>true</>,<w>null</>]`,
		`{"\"}":{"x" :[]}}`:       `{<k>"\"}"</>:{<k>"x"</> :[]}}`,
		"{\n  \"a\": \"\u202e\"}": "{\n  <k>\"a\"</>: <s>\"\\u202e\"</>}",
		`"alone"`:                 `<s>"alone"</>`,
		"":                        "",
	} {
		require.Equal(t, want, shortColors.Replace(string(AppendColored(nil, []byte(in), Colors))))
		plain := string(AppendColored(nil, []byte(in), Palette{}))
		require.Equal(t, strings.ReplaceAll(in, "\u202e", `\u202e`), plain)
	}
}

func FuzzAppendColored(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\u001b",true]}`))
	f.Add([]byte("\"\x1b[2J\r"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, r := range string(AppendColored(nil, in, Palette{})) {
			require.True(t, r == '\n' || !hidden(r), "%U gets through", r)
		}
	})
}
