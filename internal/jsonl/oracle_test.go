package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// wrongAt is what scan must say, by other means: the place where encoding/json
// stops, the first byte that is not UTF-8, or the bracket that opens one level
// too many, whichever comes first; -1 for a good text.
func wrongAt(d []byte) int {
	at := -1
	for _, p := range []int{jsonErrorAt(d), utf8ErrorAt(d), depthErrorAt(d)} {
		if p >= 0 && (at < 0 || p < at) {
			at = p
		}
	}
	return at
}

func jsonErrorAt(d []byte) int {
	var v json.RawMessage
	e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(d, &v))
	switch {
	case !ok:
		return -1
	case strings.Contains(e.Error(), "unexpected end"):
		return len(d)
	case strings.Contains(e.Error(), "character ' '") && !bytes.HasSuffix(d[:e.Offset], []byte(" ")):
		return len(d) // it adds a space of its own to see whether a number ends
	}
	return int(e.Offset) - 1
}

func utf8ErrorAt(d []byte) int {
	for i := 0; i < len(d); {
		r, n := utf8.DecodeRune(d[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func depthErrorAt(d []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(d); i++ {
		switch c := d[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return i
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return -1
}

// checkAgainstOracle compares scan and CheckStrict with wrongAt.
func checkAgainstOracle(t require.TestingT, d []byte) {
	want := wrongAt(d)
	pos, reason := scan(d, true)
	require.Equal(t, want < 0, reason == "", "%q: byte %d %s, want %d", d, pos, reason, want)
	if want >= 0 {
		require.Equal(t, want, pos, "%q: %s", d, reason)
	}

	err := CheckStrict(d, -1)
	good := want < 0 && !bytes.Contains(d, []byte("\n"))
	require.Equal(t, good, err == nil, "%q: %v", d, err)
	require.Equal(t, bytes.Contains(d, []byte("\n")), errors.Is(err, ErrNewline), "%q: %v", d, err)
	if e, ok := errors.AsType[*SyntaxError](err); ok {
		require.False(t, e.Position < 0 || e.Position > len(d), "%q: %v", d, err)
		require.NotEmpty(t, e.Reason)
		require.Equal(t, -1, strings.IndexFunc(e.Reason, func(r rune) bool { return r < ' ' }))
	}
}

func seeds(f *testing.F) {
	for _, rec := range accepted {
		f.Add([]byte(rec))
	}
	for _, c := range refused {
		f.Add([]byte(c.rec))
	}
	for _, c := range multiline {
		f.Add([]byte(c.text))
	}
}

func FuzzCheckStrict(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, d []byte) { checkAgainstOracle(t, d) })
}

// jsonText draws a JSON text, spelled in unusual ways.
func jsonText(depth int) *rapid.Generator[string] {
	space := rapid.StringMatching(`[ \t\r\n]{0,2}`)
	str := rapid.StringMatching(`"([a-z]|é|€|𝄞|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,12}"`)
	leaf := rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "false", "[]", "{}", "[ ]"}),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,4})?`), str)
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		sp := func() string { return space.Draw(t, "space") }
		values := rapid.SliceOfN(jsonText(depth-1), 0, 4).Draw(t, "values")
		object := rapid.Bool().Draw(t, "object")
		for i, v := range values {
			if values[i] = sp() + v + sp(); object {
				values[i] = sp() + str.Draw(t, "key") + sp() + ":" + values[i]
			}
		}
		if body := strings.Join(values, ","); object {
			return "{" + body + "}"
		}
		return "[" + strings.Join(values, ",") + "]"
	})
}

func TestCheckStrictProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := []byte(jsonText(3).Draw(t, "text"))
		checkAgainstOracle(t, d)
		require.NoError(t, checkText(d))
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			d = edit(t, d)
			checkAgainstOracle(t, d)
		}
	})
}

// edit changes d at one place.
func edit(t *rapid.T, d []byte) []byte {
	at := rapid.IntRange(0, len(d)).Draw(t, "at")
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"", ",", ":", "[", "]", "{", "}", `"`, `\`, "\n", "\x00", "\x1f", " ",
			"\xff", "\xc3", "é", "0", "-", ".", "e", `\u12`, "true", BOM, nested(400)}),
		rapid.StringN(0, 2, 4)).Draw(t, "piece")
	cut := min(rapid.IntRange(0, 3).Draw(t, "cut"), len(d)-at)
	return bytes.Join([][]byte{d[:at], []byte(piece), d[at+cut:]}, nil)
}
