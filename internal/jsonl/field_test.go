package jsonl

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestField(t *testing.T) {
	rec := ` {"a":1, "b" : {"c":[1,{"d":2}],"e.f":"g"} ,"":"empty","s":"x\"}{","n":null,` +
		`"k\u00e9y":"é","pair\ud834\udd1e":3,"back\\slash":4,"lone\ud800":5,"t\tab":6,"sl\/ash":7,` +
		`"dup":1,"dup":{"x":1},"d\u0075p":{"y":2},"long ` + strings.Repeat(`\u0061`, 40) + `":8,"z":-1.5e3 } `
	for _, c := range []struct{ path, want string }{
		{"a", "1"},
		{"b", `{"c":[1,{"d":2}],"e.f":"g"}`},
		{"b|c", `[1,{"d":2}]`},
		{"b|e.f", `"g"`},
		{"", `"empty"`},
		{"s", `"x\"}{"`},
		{"n", "null"},
		{"kéy", `"é"`},
		{"pair𝄞", "3"},
		{`back\slash`, "4"},
		{"lone\ufffd", "5"},
		{"t\tab", "6"},
		{"sl/ash", "7"},
		{"dup", `{"y":2}`},
		{"dup|y", "2"},
		{"long " + strings.Repeat("a", 40), "8"},
		{"z", "-1.5e3"},
	} {
		raw, ok := Field([]byte(rec), strings.Split(c.path, "|")...)
		require.True(t, ok, c.path)
		require.Equal(t, c.want, string(raw), c.path)
		require.Equal(t, len(raw), cap(raw))
	}
	for _, path := range []string{
		"A", "c", "a|b", "s|x", "n|x", "b|c|d", "dup|x", "k\\u00e9y", `back\\slash`, `sl\/ash`, "lone", "zz",
	} {
		raw, ok := Field([]byte(rec), strings.Split(path, "|")...)
		require.False(t, ok, path)
		require.Nil(t, raw)
	}
}

func TestFieldWhole(t *testing.T) {
	for rec, want := range map[string]string{" 1 ": "1", "[1]\r": "[1]", BOM + "{}": "{}", `"x"`: `"x"`} {
		raw, ok := Field([]byte(rec))
		require.True(t, ok)
		require.Equal(t, want, string(raw))
		require.Equal(t, len(raw), cap(raw))
	}
	_, ok := Field([]byte(" "))
	require.False(t, ok)
}

// What a torn line would have held is not guessed.
func TestFieldBroken(t *testing.T) {
	whole := `{"a":{"a":"a\\\"a"},"b":[1,{"a":2}],"a":3}`
	raw, ok := Field([]byte(BOM+whole), "a")
	require.True(t, ok)
	require.Equal(t, "3", string(raw))
	for i := range len(whole) {
		_, ok := Field([]byte(whole[:i]), "a")
		require.False(t, ok, whole[:i])
	}
	for _, rec := range []string{
		"", " ", "null", "1", `"a"`, `["a",1]`, "{", `{"`, `{"a`, `{"a"`, `{"a":}`, `{"a":,}`, `{"a"1}`, `{"a":1`,
		`{a:1}`, `{"a":1,}`, `{"a":1}}`, `{"a":1} x`, `{"a":1]`, `{"a\":1}`, `{"a":1 2}`, `{"a":`, BOM,
	} {
		_, ok := Field([]byte(rec), "a")
		require.False(t, ok, rec)
	}
}

func TestFieldAllocatesNothing(t *testing.T) {
	rec := []byte(`{"x":{"y":"z"},"\u0061\n":1,"ts":"2024-03-01T12:00:00\u002b01:00"}`)
	long := []byte(`{"ts":"` + strings.Repeat(`\u0032`, 1000) + `"}`)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if _, ok := Time(long, ""); ok {
			t.Fail()
		}
		_, ok := Field(rec, "x", "y")
		_, ok2 := Field(rec, "a\n")
		_, ok3 := Time(rec, "")
		if !ok || !ok2 || !ok3 {
			t.Fail()
		}
	}))
}

// checkField compares Field with what encoding/json finds.
func checkField(t require.TestingT, d []byte, name string) {
	raw, ok := Field(d, name)
	if ok {
		require.Equal(t, len(raw), cap(raw))
	}
	var want map[string]json.RawMessage
	if checkText(d) != nil || json.Unmarshal(d, &want) != nil {
		return
	}
	value, there := want[name]
	require.Equal(t, there, ok, "%q in %q", name, d)
	require.Equal(t, string(value), string(raw), "%q in %q", name, d)
	for key, value := range want {
		raw, ok := Field(d, key)
		require.True(t, ok, "%q in %q", key, d)
		require.Equal(t, string(value), string(raw), "%q in %q", key, d)
	}
}

func TestFieldProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkField(t, []byte(`{"first":1,"in":`+jsonText(3).Draw(t, "text")+`,"\u0061":2}`), "a")
		checkField(t, []byte(jsonText(3).Draw(t, "text")), "a")
	})
}

func FuzzField(f *testing.F) {
	for _, rec := range append(accepted[:len(accepted):len(accepted)], `{"a\u0000":{"b":[1]},"a":"`, `{"\ud834\u`) {
		f.Add([]byte(rec), "a")
	}
	f.Fuzz(func(t *testing.T, d []byte, name string) {
		checkField(t, d, name)
		Field(d)
		Field(d, name, name)
	})
}
