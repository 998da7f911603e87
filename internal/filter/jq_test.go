package filter

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
)

// jqProgram writes the condition in jq's language. What stops jq with an
// error is null there, as it is missing here.
func (e *expr) jqProgram() string {
	a := e.left.jqProgram()
	text := string(mustMarshal(string(e.text)))
	guarded := func(kind, test string) string {
		return fmt.Sprintf("(%s | type == %q and %s)", a, kind, test)
	}
	switch e.op {
	case opTrue, opFalse:
		return fmt.Sprint(e.op == opTrue)
	case opTruthy:
		return "(" + a + " | if . then true else false end)"
	case opAnd:
		return "(" + e.a.jqProgram() + " and " + e.b.jqProgram() + ")"
	case opOr:
		return "(" + e.a.jqProgram() + " or " + e.b.jqProgram() + ")"
	case opNot:
		return "(" + e.a.jqProgram() + " | not)"
	case opExists:
		if len(e.left.path) == 0 {
			return "true"
		}
		last := e.left.path[len(e.left.path)-1]
		parent := operand{isPath: true, path: e.left.path[:len(e.left.path)-1]}
		if last.element {
			return fmt.Sprintf("(%s | type == \"array\" and ((%d) as $i | length as $n | if $i < 0 then $i + $n >= 0 else $i < $n end))", parent.jqProgram(), last.index)
		}
		return fmt.Sprintf("(%s | type == \"object\" and has(%s))", parent.jqProgram(), mustMarshal(last.key))
	case opMatch:
		return guarded("string", fmt.Sprintf("test(%s)", mustMarshal(e.pattern.String())))
	case opPrefix:
		return guarded("string", "startswith("+text+")")
	case opSuffix:
		return guarded("string", "endswith("+text+")")
	case opContains:
		return "(" + guarded("string", "contains("+text+")") + " or " + guarded("array", "any(.[]; . == "+text+")") + ")"
	case opIn:
		list := []string{}
		for i := range e.list {
			list = append(list, e.list[i].jqProgram())
		}
		return fmt.Sprintf("(%s as $x | any([%s][]; . == $x))", a, strings.Join(list, ","))
	}
	ops := map[op]string{opEqual: "==", opNotEqual: "!=", opLess: "<", opLessEqual: "<=", opGreater: ">", opGreaterEqual: ">="}
	return "(" + a + " " + ops[e.op] + " " + e.right.jqProgram() + ")"
}

func mustMarshal(v any) []byte {
	b, err := jsonl.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (o *operand) jqProgram() string {
	if !o.isPath {
		return string(o.raw)
	}
	var b strings.Builder
	for _, s := range o.path {
		if s.element {
			fmt.Fprintf(&b, "[%d]", s.index)
		} else {
			fmt.Fprintf(&b, "[%s]", mustMarshal(s.key))
		}
	}
	return "(try ." + b.String() + " catch null)"
}

// jqSelects asks jq which of the lines each of the filters is true of.
func jqSelects(t *testing.T, filters []*Filter, lines [][]byte) [][]bool {
	t.Helper()
	var programs []string
	for _, f := range filters {
		programs = append(programs, f.root.jqProgram())
	}
	program := filepath.Join(t.TempDir(), "program.jq")
	require.NoError(t, os.WriteFile(program, []byte("["+strings.Join(programs, ",\n")+"]"), 0o600))
	cmd := exec.Command("jq", "-c", "-f", program)
	cmd.Stdin = bytes.NewReader(append(bytes.Join(lines, []byte("\n")), '\n'))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%.2000s", out)
	var selected [][]bool
	for line := range bytes.Lines(out) {
		var one []bool
		require.NoError(t, jsonl.Unmarshal(line, &one))
		selected = append(selected, one)
	}
	require.Len(t, selected, len(lines))
	return selected
}

func needJQ(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("no jq")
	}
}

func compareWithJQ(t *testing.T, exprs []string, lines [][]byte) (selected int) {
	t.Helper()
	if most := 40; len(exprs) > most { // jq bounds a program
		selected, exprs = compareWithJQ(t, exprs[:most], lines), exprs[most:]
		return selected + compareWithJQ(t, exprs, lines)
	}
	var filters []*Filter
	for _, expr := range exprs {
		filters = append(filters, compile(t, expr))
	}
	for i, want := range jqSelects(t, filters, lines) {
		for j, f := range filters {
			got := mustMatch(t, f, string(lines[i]))
			require.Equal(t, want[j], got, "%s of %s; jq: %s", f, lines[i], f.root.jqProgram())
			if got {
				selected++
			}
		}
	}
	return selected
}

// The table of the package comment, and every pair of some values.
func TestJQOrder(t *testing.T) {
	needJQ(t)
	values := []string{`null`, `false`, `true`, `0`, `-1`, `1.5`, `1e3`, `""`, `"a"`, `"b"`, `"\u0061b"`, `"é"`, `"😀"`, `"\uffee"`, `[]`, `[1]`, `[1,"a"]`, `[null,2]`, `{}`, `{"a":1}`, `{"b":0}`, `{"a":0,"b":1}`, `{"b":1,"a":0}`, `{"a":1,"a":0,"b":1}`}
	lines := [][]byte{[]byte(`{}`), []byte(`17`), []byte(`"x"`), []byte(`[]`), []byte(`null`)}
	for _, v := range values {
		lines = append(lines, []byte(`{"x":`+v+`,"z":true}`))
	}
	var exprs []string
	for _, v := range values {
		for _, op := range []string{"==", "!=", "<", "<=", ">", ">="} {
			exprs = append(exprs, ".x "+op+" "+v)
		}
		exprs = append(exprs, ".x in ["+v+", 99]")
	}
	exprs = append(exprs, `.x`, `!.x`, `exists(.x)`, `.x.y == null`, `.x[0] == 1`, `.x[-1] == "a"`, `.x.a < .z`, `contains(.x, "a")`, `.x =~ "^a"`, `startswith(.x, "a")`, `endswith(.x, "b")`)
	require.Positive(t, compareWithJQ(t, exprs, lines))
}

// TestJQRandom: random filters of random records, but for what jq rounds or does
// not know.
func TestJQRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	needJQ(t)
	differs := func(text string) bool {
		return longNumber.MatchString(text) || strings.Contains(text, `\ud`) || strings.Contains(text, "@")
	}
	var exprs []string
	for i := 0; len(exprs) < 160; i++ {
		if expr := expressions(2).Example(i); !differs(expr) {
			exprs = append(exprs, expr)
		}
	}
	var lines [][]byte
	for i := 0; len(lines) < 80; i++ {
		if line := documents(3).Example(i); !differs(line) {
			lines = append(lines, []byte(line))
		}
	}
	require.Greater(t, compareWithJQ(t, exprs, lines), 1000)
}

// longNumber is one that jq rounds, and this package does not.
var longNumber = regexp.MustCompile(`[0-9.]{16}|[eE][-+]?[0-9]{3}`)

// TestJQSamples: of every line of the sample data that lies beside the project,
// where it does, jq and this package think alike, by filters made of the fields
// and values that are there.
func TestJQSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	needJQ(t)
	var files []string
	err := filepath.WalkDir("../../../shared/data", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Skipf("no sample data: %v", err)
	}
	selected, compared := 0, 0
	for _, path := range everyOf(files, 120) {
		if lines := sampleLines(t, path); len(lines) > 0 {
			selected += compareWithJQ(t, sampleFilters(lines), lines)
			compared++
		}
	}
	t.Logf("%d files, %d lines selected", compared, selected)
	require.Greater(t, compared, 50)
	require.Greater(t, selected, 1000)
}

// sampleLines returns the lines of a file that both can read.
func sampleLines(t *testing.T, path string) (lines [][]byte) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		shallow := bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) < 200 || !bytes.Contains(line, []byte("[[[[[[[[[["))
		if len(line) < 64<<10 && shallow && jsonl.CheckStrict(line, -1) == nil && !bytes.Contains(bytes.ToLower(line), []byte(`\ud`)) {
			lines = append(lines, line)
		}
		if len(lines) == 40 {
			break
		}
	}
	return lines
}

// sampleFilters makes filters of some members of some lines.
func sampleFilters(lines [][]byte) (exprs []string) {
	exprs = []string{`true`, `.`, `. == {}`, `.level == "error"`}
	for i := 0; i < len(lines); i += max(1, len(lines)/4) {
		for j, m := range membersOf(lines[i]) {
			if lines[i][0] != '{' || j == 12 || len(m.value) > 2000 || longNumber.Match(m.value) {
				continue
			}
			path := "." + string(mustMarshal(m.key))
			value := string(m.value)
			exprs = append(exprs, path, "exists("+path+")", path+" == "+value, path+" < "+value, path+" >= "+value, path+" != "+value+" && "+path+".id == null",
				path+" in [1, "+value+"]", "contains("+path+`, "e")`, path+`[0] == `+value+" || "+path+` =~ "^[A-M]"`)
		}
	}
	return everyOf(exprs, 40)
}

// everyOf returns n of many, evenly spread.
func everyOf(many []string, n int) (some []string) {
	for i := range min(n, len(many)) {
		some = append(some, many[i*len(many)/min(n, len(many))])
	}
	return some
}
