package mutants

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const sampleText = `file: a/b.go
why: because
kills: ./a -run ^TestOne$
kills: ./b -run ^TestTwo$/^sub$

--- old
	if err != nil {
		return err
+++ new
	if false {
		return err
--- old
	x := 1
+++ new
`

func TestParse(t *testing.T) {
	m, err := Parse("name", sampleText)
	require.NoError(t, err)
	require.Equal(t, Mutant{
		Name: "name", File: "a/b.go", Why: "because",
		Kills: []Test{{"./a", "^TestOne$"}, {"./b", "^TestTwo$/^sub$"}},
		Edits: []Edit{
			{Old: "\tif err != nil {\n\t\treturn err\n", New: "\tif false {\n\t\treturn err\n"},
			{Old: "\tx := 1\n", New: ""},
		},
	}, m)
	require.Equal(t, "./a -run ^TestOne$", m.Kills[0].String())
}

func TestParseErrors(t *testing.T) {
	const head = "file: f\nwhy: w\nkills: ./a -run T\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `no line "--- old"`},
		{"no edits", head, `no line "--- old"`},
		{"no new", head + "\n--- old\nx\n", `no line "+++ new"`},
		{"no old", head + "\n--- old\n+++ new\ny\n", "no old text"},
		{"the same", head + "\n--- old\nx\n+++ new\nx\n", "the new text is the old one"},
		{"no file", "why: w\nkills: ./a -run T\n\n--- old\nx\n+++ new\n", "file, why or kills is missing"},
		{"no test", "file: f\nwhy: w\n\n--- old\nx\n+++ new\n", "file, why or kills is missing"},
		{"no pattern", "file: f\nwhy: w\nkills: ./a\n\n--- old\nx\n+++ new\n", "want ./package -run"},
		{"a slip", "fiel: f\n" + head + "\n--- old\nx\n+++ new\n", `unknown line "fiel: f"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("name", c.text)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "mutant name")
		})
	}
}

func TestApply(t *testing.T) {
	for _, c := range []struct{ name, old, new, src, want string }{
		{"first line", "a\n", "b\n", "a\nc\n", "b\nc\n"},
		{"taken out", "a\n", "", "x\na\ny\n", "x\ny\n"},
		{"last line", "a\n", "b\n", "x\na\n", "x\nb\n"},
		{"part of a line", "a\n", "b\n", "xa\n", ""},
		{"indented", "a\n", "b\n", "\ta\n", ""},
		{"twice", "a\n", "b\n", "a\na\n", ""},
		{"gone", "a\n", "b\n", "c\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Mutant{Name: "m", File: "f.go", Edits: []Edit{{c.old, c.new}}}
			got, err := m.Apply([]byte(c.src))
			if c.want == "" {
				require.ErrorIs(t, err, ErrGone)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestLoad(t *testing.T) {
	dir := fstest.MapFS{
		"b.patch": {Data: []byte(sampleText)}, "a.patch": {Data: []byte(sampleText)}, "c.go": {Data: []byte("package c")},
	}
	list, err := load(dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "a", list[0].Name)
	dir["d.patch"] = &fstest.MapFile{Data: []byte("nothing")}
	_, err = load(dir)
	require.ErrorContains(t, err, "mutant d")
}

func TestSample(t *testing.T) {
	var list []Mutant
	for c := 'a'; c <= 'z'; c++ {
		list = append(list, Mutant{Name: string(c)})
	}
	one := Sample(list, 5, 7)
	require.Len(t, one, 5)
	require.Equal(t, one, Sample(list, 5, 7))
	require.NotEqual(t, one, Sample(list, 5, 8))
	require.IsIncreasing(t, []string{one[0].Name, one[1].Name, one[2].Name, one[3].Name, one[4].Name})
	require.Equal(t, list, Sample(list, 26, 7))
	require.Equal(t, list, Sample(list, -1, 7))
	// In time each has its turn.
	seen := map[string]bool{}
	for seed := range uint64(100) {
		for _, m := range Sample(list, 5, seed) {
			seen[m.Name] = true
		}
	}
	require.Len(t, seen, 26)
}
