package grep

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func compile(t testing.TB, opts Options, patterns ...string) *Matcher {
	t.Helper()
	m, err := Compile(patterns, &opts)
	require.NoError(t, err)
	return m
}

// found is what Find says, as texts.
func found(m *Matcher, line string) (out []string) {
	m.Find([]byte(line), func(start, end int) bool {
		out = append(out, line[start:end])
		return true
	})
	return out
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		opts     Options
		patterns string
		line     string
		want     bool
	}{
		{Options{}, `a.c`, "xabcx", true},
		{Options{}, `^a.c$`, "abc", true},
		{Options{}, `^a.c$`, "abcd", false},
		{Options{}, `a$`, "a\r", false},
		{Options{}, `a\r?$`, "a\r", true},
		{Options{}, ``, "", true},
		{Options{}, ``, "x", true},
		{Options{}, `^$`, "", true},
		{Options{}, `^$`, "x", false},
		{Options{}, `x*`, "y", true},
		{Options{}, "a\nb", "b", true},
		{Options{}, `[^\x00-\x{10FFFF}]`, "abc", false},
		{Options{Fixed: true}, `a.c`, "abc", false},
		{Options{Fixed: true}, `a.c`, "xa.c", true},
		{Options{Fixed: true, IgnoreCase: true}, `a.C`, "xA.c", true},
		{Options{IgnoreCase: true}, `error`, "ERROR", true},
		{Options{IgnoreCase: true}, `kiss`, "\u212Ai\u017Fs", true},
		{Options{IgnoreCase: true}, `tasks`, "xTA\u017Fks", true},
		{Options{IgnoreCase: true}, `ß`, "ẞ", true},
		{Options{IgnoreCase: true}, `ÄRGER`, "ärger", true},
		{Options{SmartCase: true}, `error`, "ERROR", true},
		{Options{SmartCase: true}, `Error`, "ERROR", false},
		{Options{SmartCase: true}, `error\S\pL`, "ERROR-x", true},
		{Options{SmartCase: true}, `\p{Lu}x`, "ÄX", true},
		{Options{Word: true}, `err`, "error", false},
		{Options{Word: true}, `err`, "an err!", true},
		{Options{Word: true}, `err`, "err", true},
		{Options{Word: true}, `caf`, "café", false},
		{Options{Word: true}, `-x`, "a -x b", true},
		{Options{Word: true}, `-x`, "a-x b", false},
		{Options{Word: true}, `a|ab`, "ab", true},
		{Options{Line: true}, `a|ab`, "ab", true},
		{Options{Line: true}, `a`, "ab", false},
		{Options{Line: true, Word: true}, `a`, "a", true},
		{Options{}, `\bfoo\b`, "a foo b", true},
		{Options{}, `\bfoo\b`, "afoo b", false},
		{Options{}, `\Bfoo`, "afoo b", true},
		{Options{}, `o\b.\bb`, "foo b", true},
		{Options{}, `\b^a`, "a", true},
		{Options{}, `a\b$`, "a", true},
		{Options{}, `(?m)^a$`, "a", true},
		{Options{}, `a.b`, "a\xffb", true},
		{Options{}, `a[^x]b`, "a\xffb", true},
		{Options{}, `b$`, "a\xff\xfeb", true},
		{Options{}, `^..$`, "é", false},
		{Options{}, `^.$`, "é", true},
		{Options{}, `^...$`, "\xe2\x82z", true},
		{Options{}, "a\uFFFDb", "a\xffb", true},
		{Options{}, `日本`, "x日本", true},
	} {
		m := compile(t, c.opts, c.patterns)
		require.Equal(t, c.want, m.Matches([]byte(c.line)), "%+v", c)
		require.Equal(t, c.want, m.Selects([]byte(c.line)), "%+v", c)
		block := []byte("\n" + c.line + "\n\n")
		n := 0
		for start, end := range m.Runs(block) {
			if start == 1 && end == len(c.line)+2 {
				n++
			}
		}
		require.Equal(t, c.want, n > 0, "in a block: %+v", c)
		require.Equal(t, c.want, len(regexpRuns(m, []byte(c.line))) > 0, "regexp: %+v", c)
	}
}

func TestNoPatterns(t *testing.T) {
	m, err := Compile(nil, nil)
	require.NoError(t, err)
	require.False(t, m.Matches(nil))
	require.Zero(t, m.Count([]byte("a\nb\n")))
	require.Empty(t, found(m, "a"))
	m, err = Compile(nil, &Options{Invert: true})
	require.NoError(t, err)
	require.Equal(t, 2, m.Count([]byte("a\nb")))
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		opts    Options
		pattern string
		line    string
		want    []string
	}{
		{Options{}, `a.`, "xabxac", []string{"ab", "ac"}},
		{Options{}, `a|ab`, "ab", []string{"a"}},
		{Options{}, `x*`, "axxbx", []string{"xx", "x"}},
		{Options{}, `^a`, "aaa", []string{"a"}},
		{Options{Word: true}, `a`, "a a  a.ab a", []string{"a", "a", "a", "a"}},
		{Options{Word: true}, `a|ab`, "ab a", []string{"ab", "a"}},
		{Options{Word: true}, `-a-`, "-a--a-", []string{"-a-", "-a-"}},
		{Options{Word: true}, `x*`, "x y xx", []string{"x", "xx"}},
		{Options{Word: true}, `^a`, "a a", []string{"a"}},
		{Options{Line: true}, `a|ab`, "ab", []string{"ab"}},
	} {
		require.Equal(t, c.want, found(compile(t, c.opts, c.pattern), c.line), "%+v", c)
	}
	n := 0
	compile(t, Options{}, "a").Find([]byte("aaa"), func(int, int) bool { n++; return false })
	compile(t, Options{Word: true}, "a").Find([]byte("a a"), func(int, int) bool { n++; return false })
	require.Equal(t, 2, n)
}

func TestErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		`a(b`:     "missing closing )\n  a(b\n  ^",
		`é*[z-a]`: "invalid character class range: z-a\n  é*[z-a]\n     ^",
		`a\nb`:    "\\n is in no record: each is one line\n  a\\nb\n   ^",
		`a**`:     "invalid nested repetition operator: **\n  a**\n   ^",
	} {
		_, err := Compile([]string{"fine", pattern}, nil)
		var e *Error
		require.ErrorAs(t, err, &e, pattern)
		require.Equal(t, want, e.String(), pattern)
		require.NotEmpty(t, e.Error())
	}
	for _, fixed := range []bool{false, true} {
		_, err := Compile([]string{"\xff"}, &Options{Fixed: fixed})
		require.EqualError(t, err, `pattern "\xff": not UTF-8, in which records are looked at`)
	}
	_, err := Compile([]string{`a(b`}, &Options{Fixed: true})
	require.NoError(t, err)
}

// regexpRuns are the lines of a block that match, asked one by one.
func regexpRuns(m *Matcher, block []byte) (out []string) {
	for _, line := range linesOf(block) {
		if m.re.Match(bytes.TrimSuffix(line, newline)) != m.invert {
			out = append(out, string(line))
		}
	}
	return out
}

func linesOf(block []byte) [][]byte {
	if len(block) == 0 {
		return [][]byte{nil}
	}
	return bytes.SplitAfter(bytes.TrimSuffix(block, newline), newline)
}

// lines are those of runs.
func lines(m *Matcher, block []byte) (out []string) {
	for start, end := range m.Runs(block) {
		for line := range strings.Lines(string(block[start:end])) {
			out = append(out, strings.TrimSuffix(line, "\n"))
		}
	}
	return out
}

func requireAgree(t testing.TB, m *Matcher, block []byte) {
	t.Helper()
	var want []string
	for line := range bytes.Lines(block) {
		line = bytes.TrimSuffix(line, newline)
		match := m.re.Match(line)
		require.Equal(t, match, m.Matches(line), "%q %q", m.re, line)
		if match != m.invert {
			want = append(want, string(line))
		}
	}
	require.Equal(t, want, lines(m, block), "%q", m.re)
	require.Equal(t, len(want), m.Count(block), "%q", m.re)
	if m.table != nil {
		walks := m.newSearch()
		var walked []string
		for at := 0; at < len(block); {
			start, end := walks.walk(block, at)
			if start < end {
				walked = append(walked, string(withoutNewline(block[start:end])))
			}
			at = end
		}
		if !m.invert {
			require.Equal(t, want, walked, "walked: %q", m.re)
		}
	}
}

// randomPattern is one of few characters, so that it matches now and then.
func randomPattern(src *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "k", "S", "é", ".", "[ab]", "[^a]", `\b`, `\B`, "^", "$", `\w`, `\d`, "ab", `"`, `\pL`, "error", "(?i:Kas)", "ſ"}
	if depth == 0 {
		return atoms[src.IntN(len(atoms))]
	}
	a, b := randomPattern(src, depth-1), randomPattern(src, src.IntN(depth))
	switch src.IntN(6) {
	case 0:
		return "(?:" + a + "|" + b + ")"
	case 1:
		return "(" + a + ")" + []string{"*", "+", "?", "{2}", "*?"}[src.IntN(5)]
	}
	return a + b
}

func randomBlock(src *rand.Rand) (block []byte) {
	pieces := []string{"a", "b", "k", "K", "s", "S", "\u212A", "\u017F", "é", "É", "\xff", "\xe2\x82", "\n", "\n", " ", `"`, "1", "error", "ERROR", "_", "\r"}
	for range src.IntN(120) {
		block = append(block, pieces[src.IntN(len(pieces))]...)
	}
	return block
}

// TestAgree: however lines are found, they are those that package regexp
// matches.
func TestAgree(t *testing.T) {
	src := rand.New(rand.NewPCG(7, 11))
	for i := range 800 {
		var patterns []string
		for range 1 + src.IntN(3) {
			patterns = append(patterns, randomPattern(src, src.IntN(4)))
		}
		opts := Options{Fixed: src.IntN(4) == 0, IgnoreCase: src.IntN(3) == 0, SmartCase: src.IntN(5) == 0, Word: src.IntN(5) == 0, Line: src.IntN(8) == 0, Invert: src.IntN(3) == 0}
		m, err := Compile(patterns, &opts)
		require.NoError(t, err, "%d: %q", i, patterns)
		for range 3 {
			requireAgree(t, m, randomBlock(src))
		}
	}
}

// TestCommonText: a text in most lines is not hunted for, a rarest byte that is
// everywhere is given up, and the lines are the same.
func TestCommonText(t *testing.T) {
	var block []byte
	for i := range 5000 {
		block = fmt.Appendf(block, `{"qqq":"q%dq","level":"%s","quiz":1}`+"\n", i%7, []string{"info", "error"}[i%2])
	}
	for _, pattern := range []string{`q3q`, `"level":"e.*quiz`, `level.*[3]`, `(?i)Q3Q`, `(?i)quiz|q3Q`} {
		requireAgree(t, compile(t, Options{}, pattern), block)
	}
}

// TestManyStates: an expression that needs more states than there is room for is
// still answered.
func TestManyStates(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	var block []byte
	for range 100 {
		for range 200 {
			block = append(block, "ab"[src.IntN(2)])
		}
		block = append(block, '\n')
	}
	for _, pattern := range []string{`a[ab]{30}a[ab]{30}x`, `(a|b)*a[ab]{60}b$`, `x|a.{199}$`} {
		requireAgree(t, compile(t, Options{}, pattern), block)
	}
	// One line that takes more than all of it.
	m := compile(t, Options{}, `a[ab]{18}x`)
	requireAgree(t, m, append(bytes.ReplaceAll(block, newline, nil), '\n'))
}

// TestManyPatterns: a long list of words is one automaton.
func TestManyPatterns(t *testing.T) {
	var words []string
	for i := range 2000 {
		words = append(words, fmt.Sprintf("word%dx", i*7))
	}
	m := compile(t, Options{Fixed: true}, words...)
	require.NotNil(t, m.table)
	require.True(t, m.Matches([]byte("a word77x")))
	require.False(t, m.Matches([]byte("a word78x")))
	require.Nil(t, compile(t, Options{}, strings.Repeat(`\pL{500}`, 60)).table, "too large for a table")
}

func FuzzAgree(f *testing.F) {
	f.Add(`a.*b|\bc$`, []byte("ab\nxc\n\xff\n"), uint8(0))
	f.Add(`(?i)kelvin`, []byte("\u212Aelvin\n"), uint8(3))
	f.Fuzz(func(t *testing.T, pattern string, block []byte, bits uint8) {
		if len(pattern) > 60 || len(block) > 4<<10 {
			return
		}
		m, err := Compile([]string{pattern}, &Options{Fixed: bits&1 > 0, IgnoreCase: bits&2 > 0, Word: bits&4 > 0, Line: bits&8 > 0, Invert: bits&16 > 0})
		if err == nil {
			requireAgree(t, m, block)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	block := sampleBlock()
	for _, pattern := range []string{`"level":"error"`, `needle`, `(?i)connection`, `cache.*miss`, `[0-9]{5}x[0-9]`, `user|pool|cache|miss|retry`, `\bpool\b`, `.`, `q`} {
		m := compile(b, Options{}, pattern)
		b.Run(pattern, func(b *testing.B) {
			b.SetBytes(int64(len(block)))
			b.ReportAllocs()
			for b.Loop() {
				m.Count(block)
			}
		})
	}
}

func BenchmarkRegexp(b *testing.B) {
	block := sampleBlock()
	re := regexp.MustCompile(`[0-9]{5}x[0-9]`)
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		for line := range bytes.Lines(block) {
			re.Match(line)
		}
	}
}

// sampleBlock is some 256 KiB of log lines, as a service writes them.
func sampleBlock() (block []byte) {
	src := rand.New(rand.NewPCG(1, 2))
	words := []string{"request", "completed", "after", "retry", "of", "upstream", "connection", "pool", "cache", "miss"}
	for len(block) < 256<<10 {
		block = fmt.Appendf(block, `{"ts":"2026-01-01T00:%02d:00.%06dZ","level":"%s","msg":"`, src.IntN(60), src.IntN(1e6), []string{"debug", "info", "info", "error"}[src.IntN(4)])
		for range 15 {
			block = append(append(block, words[src.IntN(len(words))]...), ' ')
		}
		block = fmt.Appendf(block, `","user":{"id":%d,"name":"alice"},"amount":%d.%02d}`+"\n", src.IntN(1e6), src.IntN(1000), src.IntN(100))
	}
	return block
}
