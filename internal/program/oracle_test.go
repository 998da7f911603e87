package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/jsonl"
)

// plainRun is what gojq makes of a record without anything of this package.
func plainRun(t require.TestingT, text, record string) (results []string, failure string) {
	query, err := gojq.Parse(text)
	require.NoError(t, err, text)
	for iter := query.Run(decodePlain(t, record)); ; {
		v, ok := iter.Next()
		if !ok {
			return results, ""
		}
		if err, ok := v.(error); ok {
			return results, err.Error()
		}
		out, err := gojq.Marshal(v)
		require.NoError(t, err)
		results = append(results, canonical(t, string(out)))
	}
}

func decodePlain(t require.TestingT, record string) (v any) {
	d := json.NewDecoder(strings.NewReader(record))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), record)
	return v
}

// canonical is a value without its order and its escapes, but with the spelling
// of its numbers.
func canonical(t require.TestingT, text string) string {
	out, err := gojq.Marshal(decodePlain(t, text))
	require.NoError(t, err)
	return string(out)
}

// run is what a runner makes of a record.
func run(t require.TestingT, r *Runner, record string) (results []string, failure string) {
	err := r.Run(context.Background(), Record{Data: []byte(record)}, func(result []byte) bool {
		results = append(results, string(result))
		return true
	})
	if err != nil {
		failure = err.Error()
	}
	return results, failure
}

// programs makes programs that look at the members of randomRecord.
type programs struct{ t *rapid.T }

func (p programs) pick(some ...string) string { return rapid.SampledFrom(some).Draw(p.t, "part") }

func (p programs) path() string {
	return p.pick(".a", ".b", ".c", ".a.b", ".b.a", ".c[0]", ".c[1:]", ".c[-1]", ".d", ".a.b.c", `."a"`, `.["b"]`, ".c[]?", ".b[]?", ".")
}

func (p programs) literal() string {
	return p.pick("1", "1.50", "null", "true", `"x"`, `"\u0041"`, "[]", "{}", "12345678901234567890", `"\(.a) and \(.d)"`)
}

// text is a program of at most that depth.
func (p programs) text(depth int) string {
	if depth == 0 {
		return p.pick(p.path(), p.path(), p.literal())
	}
	a, b := "("+p.text(depth-1)+")", "("+p.text(depth-1)+")"
	return p.pick(
		a, "("+a+" | "+b+")", a+", "+b, "["+a+"]", "{a: "+a+", z: "+b+"}", "{b, d: "+a+"}", "{(.d|tostring): "+a+"}", "{\"c\"}",
		"select("+a+") | "+b, "select("+a+")", "if "+a+" then "+b+" else . end", "if "+a+" then "+b+" end",
		"("+a+" as $x | "+b+" | [$x, .])", "(select("+a+") as $x | $x.b)", a+" == "+b, a+" < "+b, "("+a+") + ("+b+")", a+" // "+b, "try ("+a+") catch .",
		".a = ("+a+")", ".b |= ("+a+")", ".c += [1]", "del(.a)", "del(.c[0])", "to_entries", "with_entries(.value |= tostring)", "map_values("+a+")?",
		"map("+a+")?", "[.[]?]", "[..]", "keys?", "length?", "add?", "sort?", "reverse?", "(.c | sort, unique, add, min, max)?", "group_by("+a+")?",
		"tojson", "tostring", "("+a+" | type)", "[limit(2; "+a+", "+b+")]", "first("+a+", 1)", "reduce (.c[]?) as $x (null; . + $x)?", "[foreach (.c[]?) as $x (0; $x; .)]",
		"path(..)", "[paths]", "getpath([\"a\",\"b\"])?", "setpath([\"a\"]; "+a+")?", "def f: "+a+"; f, (.b | f)?", "-("+a+")?", "not", "[.c[]? | {a: ., b}?]", "walk(.)", "tostream", "(.a | ltrimstr(\"x\"))", "@json", "@text \"\\(.a)\"", "any("+a+"; .)?", "empty", "error?", "limit(1; ..)", "input_line_number?",
	)
}

// randomRecord is one with the members that programs look at, spelt oddly.
func randomRecord(t *rapid.T) string {
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		scalars := rapid.SampledFrom([]string{"null", "true", "false", "0", "-1", "1.10", "1e2", "12345678901234567890", "0.1000", `""`, `"x"`, `"\u0041\n\/"`, `"\ud83d\ude00é"`, `"xyz"`, `"\u007f"`})
		if depth == 0 {
			return scalars
		}
		return rapid.Custom(func(t *rapid.T) string {
			space := rapid.SampledFrom([]string{"", "", "", " ", "\t"}).Draw(t, "space")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return scalars.Draw(t, "scalar")
			case 1:
				items := rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "items")
				return "[" + space + strings.Join(items, ","+space) + "]"
			}
			var members []string
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				key := rapid.SampledFrom([]string{"a", "b", "c", "d", `\u0061`, "z\\n", "e"}).Draw(t, "key")
				members = append(members, `"`+key+`"`+space+":"+value(depth-1).Draw(t, "value"))
			}
			return "{" + strings.Join(members, space+",") + space + "}"
		})
	}
	return value(4).Draw(t, "record")
}

// TestLikeGojq: random programs make of random records what gojq makes of them,
// with as little decoded as they need or everything, and change no value that
// they were given.
func TestLikeGojq(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := programs{t}.text(rapid.IntRange(0, 3).Draw(t, "depth"))
		if strings.Contains(text, "input_line_number") {
			t.Skip()
		}
		record := randomRecord(t)
		p, err := Compile(text)
		require.NoError(t, err)
		results, failure := run(t, p.Runner(), record)

		whole := *p
		whole.needs, whole.path = &needs{all: true}, nil
		same, sameFailure := run(t, whole.Runner(), record)
		require.Equal(t, same, results, "%s of %s", text, record)
		require.Equal(t, sameFailure, failure, "%s of %s", text, record)

		want, wantFailure := plainRun(t, text, record)
		for i := range results {
			results[i] = canonical(t, results[i])
		}
		require.Equal(t, want, results, "%s of %s", text, record)
		require.Equal(t, wantFailure, failure, "%s of %s", text, record)

		d := document{needs: &needs{all: true}}
		v := d.decode([]byte(record))
		iter := p.code.Run(v)
		for _, more := iter.Next(); more; {
			_, more = iter.Next()
		}
		require.Equal(t, decodePlain(t, record), v, "%s changed %s", text, record)
	})
}

// TestLikeJQ: jq agrees, where the two are meant to: gojq goes through objects in
// the order of their names, jq in that of the record.
func TestLikeJQ(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("no jq")
	}
	texts := []string{".", ".a", ".a.b", ".c[1:]", ".c[]", "[.c[]?]", "{a, z: .b}", "select(.a) | .b", ".a // .b", "if .a then 1 else 2 end", "to_entries", "del(.a)", ".a = 1", ".c += [1]",
		".a + .b", ".a == .b", ".a < .b", "[..]", "[paths]", "keys", "length", "map_values(1)", "with_entries(.value = 1)", "tojson | fromjson", "type", ".c | add", ".c | sort", ".c | unique",
		".c | group_by(.)", "[limit(2; .c[])]", "first(.c[])", "reduce .c[] as $x (0; . + 1)", "[.[] | numbers]", "[.[] | strings]", "any(.[]; .)", "[tostream]", ".a as $x | [$x, .b]",
		"[.c[] as [$x] | $x]", "try error(\"x\") catch .", "[.c[]? | select(type == \"number\")]", "def f: .a; [f, (.b | f?)]", "ascii_downcase", ".a | test(\"x\")", "[splits(\"x\")]", "not", "[.a, .b] | min, max", "getpath([\"a\",\"b\"])", "walk(.)"}
	var all []string
	for _, text := range texts {
		all = append(all, "(try [("+text+")] catch \"failed\")")
	}
	gen := rapid.Custom(randomRecord)
	var records []string
	for i := range 300 {
		if record := canonical(t, gen.Example(i)); !strings.Contains(record, "12345678901234567890") && !strings.Contains(record, "\\u007f") {
			records = append(records, record)
		}
	}
	file := filepath.Join(t.TempDir(), "program.jq")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(all, ",\n")), 0o600))
	cmd := exec.Command("jq", "-c", "-f", file)
	cmd.Stdin = strings.NewReader(strings.Join(records, "\n"))
	out, err := cmd.Output()
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	require.Len(t, lines, len(records)*len(texts))
	for i, record := range records {
		for j, text := range texts {
			got := `"failed"`
			if results, failure := run(t, compile(t, text).Runner(), record); failure == "" {
				got = "[" + strings.Join(results, ",") + "]"
			}
			require.Equal(t, rounded(t, string(lines[i*len(texts)+j])), rounded(t, got), "%s of %s", text, record)
		}
	}
}

// rounded is a value with its numbers as jq reads them.
func rounded(t *testing.T, text string) string {
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	return fmt.Sprint(v)
}

// TestSamples: of the lines of the sample data that lies beside the project,
// where it does, programs make what gojq makes of them.
func TestSamples(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/*/*")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no sample data")
	}
	var runners []*Runner
	for _, text := range []string{".", "{a: .}", "[.[]?]", "[..]", "to_entries?", "del(.[0]?, .ts?, .time?)", "{msg, level}?"} {
		runners = append(runners, compile(t, text).Runner())
	}
	compared := 0
	for i := 0; i < len(files); i += max(1, len(files)/60) {
		data, err := os.ReadFile(files[i])
		if err != nil || len(data) > 4<<20 {
			continue
		}
		lines := bytes.Split(data, []byte("\n"))
		for _, line := range lines[:min(len(lines), 12)] {
			if len(line) > 32<<10 || jsonl.CheckStrict(line, -1) != nil {
				continue
			}
			for _, r := range runners {
				results, failure := run(t, r, string(line))
				for i := range results {
					results[i] = canonical(t, results[i])
				}
				want, wantFailure := plainRun(t, r.program.text, string(line))
				require.Equal(t, want, results, "%s of %s", r.program, line)
				require.Equal(t, wantFailure, failure)
				compared++
			}
		}
	}
	t.Logf("%d compared", compared)
}
