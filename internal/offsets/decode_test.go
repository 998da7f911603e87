package offsets

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden is what version 1 wrote, and every later one reads.
func golden(t testing.TB) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", "v1", "offsets.json"))
	require.NoError(t, err)
	return data
}

func TestGolden(t *testing.T) {
	want := File{Format: 1, Groups: map[string]map[string]Entry{
		"billing": {"orders-0": {Next: 89055, Check: "9f86d081884c7d65", Gen: 7, Held: true}},
	}}
	f, err := decode(golden(t))
	require.NoError(t, err)
	require.Equal(t, want, f)
	data, err := encode(&f)
	require.NoError(t, err)
	require.Equal(t, string(golden(t)), string(data))
}

func entryOf(fields string) string { return `{"format":1,"groups":{"g":{"0":{` + fields + `}}}}` }

func TestDecodeKeepsNumbers(t *testing.T) {
	f, err := decode([]byte(entryOf(`"next":9223372036854775807,"gen":18446744073709551615,"note":{"by":["hand"]}`)))
	require.NoError(t, err)
	require.Equal(t, Entry{Next: math.MaxInt64, Gen: math.MaxUint64}, f.Groups["g"]["0"])
	f, err = decode([]byte(entryOf(`"next":9007199254740993`)))
	require.NoError(t, err)
	require.Equal(t, uint64(9007199254740993), f.Groups["g"]["0"].Next)
}

func TestDecodeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":               ``,
		"white space":           " \n",
		"cut":                   `{"format":1,"groups":{"g":{"0":{"next":1`,
		"NUL":                   "\x00\x00\x00\x00",
		"NUL behind":            `{"format":1,"groups":{}}` + "\x00",
		"two values":            `{"format":1,"groups":{}}{}`,
		"an array":              `[]`,
		"null":                  `null`,
		"no format":             `{"groups":{}}`,
		"format 0":              `{"format":0,"groups":{}}`,
		"format as text":        `{"format":"1","groups":{}}`,
		"no groups":             `{"format":1}`,
		"groups of null":        `{"format":1,"groups":null}`,
		"a group of null":       `{"format":1,"groups":{"g":null}}`,
		"groups twice":          `{"format":1,"groups":{"g":{}},"groups":{}}`,
		"a group twice":         `{"format":1,"groups":{"g":{"0":{"next":5}},"g":{}}}`,
		"a partition twice":     `{"format":1,"groups":{"g":{"0":{"next":5},"0":{"next":1}}}}`,
		"next twice":            entryOf(`"next":5,"next":1`),
		"no next":               entryOf(`"gen":1`),
		"next in capitals":      entryOf(`"Next":1`),
		"next below zero":       entryOf(`"next":-1`),
		"next of zero below":    entryOf(`"next":-0`),
		"next with a fraction":  entryOf(`"next":1.5`),
		"next with an exponent": entryOf(`"next":1e3`),
		"next as text":          entryOf(`"next":"1"`),
		"next beyond offsets":   entryOf(`"next":9223372036854775808`),
		"gen beyond 64 bits":    entryOf(`"next":1,"gen":18446744073709551616`),
		"a short check":         entryOf(`"next":1,"check":"9f86"`),
		"a check in capitals":   entryOf(`"next":1,"check":"9F86D081884C7D65"`),
		"held as a number":      entryOf(`"next":1,"held":1`),
		"attempts below zero":   entryOf(`"next":1,"attempts":-1`),
		"a group as a path":     `{"format":1,"groups":{"../x":{}}}`,
		"a group of capitals":   `{"format":1,"groups":{"G":{}}}`,
		"a key of two zeros":    `{"format":1,"groups":{"g":{"00":{"next":1}}}}`,
		"a key without number":  `{"format":1,"groups":{"g":{"orders":{"next":1}}}}`,
		"a key as a path":       `{"format":1,"groups":{"g":{"../x-0":{"next":1}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode([]byte(text))
			require.Error(t, err)
			require.NotErrorIs(t, err, ErrNewerFormat)
		})
	}
	_, err := decode([]byte(`{"format":2,"groups":["of another kind"]}`))
	require.ErrorIs(t, err, ErrNewerFormat)
}

// FuzzDecode: what is taken is written in one way, and read as the same.
func FuzzDecode(f *testing.F) {
	f.Add(golden(f))
	f.Add([]byte(entryOf(`"next":18446744073709551615`)))
	f.Add([]byte(`{"format":1,"groups":{"g":{"0":{"next":5},"0":{"next":1}}}}`))
	f.Add([]byte(`{"format":1,"x":[{}],"groups":{"a.b_c-d":{"a-1-2":{"next":1,"attempts":3}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := decode(data)
		if err != nil {
			return
		}
		text, err := encode(&first)
		require.NoError(t, err)
		again, err := decode(text)
		require.NoError(t, err)
		require.Equal(t, first, again)
		for group, entries := range first.Groups {
			require.NoError(t, CheckName(group))
			for key, e := range entries {
				require.LessOrEqual(t, e.Next, uint64(MaxNext), "%s %s", group, key)
			}
		}
	})
}

func TestCommit(t *testing.T) {
	e := Entry{Next: 5, Check: "9f86d081884c7d65", Gen: 3, Held: true, Attempts: 2}
	before := e
	require.ErrorIs(t, e.Commit(2, 9, ""), ErrFenced)
	require.ErrorIs(t, e.Commit(4, 9, ""), ErrFenced)
	require.ErrorIs(t, e.Commit(3, 4, ""), ErrBackwards)
	require.NoError(t, e.Commit(3, 5, ""), "again")
	require.Equal(t, before, e)
	check := Check([]byte(`{"n":8}`))
	require.NoError(t, e.Commit(3, 9, check))
	require.Equal(t, Entry{Next: 9, Check: check, Gen: 3, Held: true}, e)
}

func TestCheck(t *testing.T) {
	require.Equal(t, "9f86d081884c7d65", Check([]byte("test")))
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "0": true, "a.b_c-d": true, "billing-2": true, string(make63('x')): true,
		"": false, ".": false, "..": false, ".a": false, "-a": false, "_a": false, "A": false, "a/b": false, `a\b`: false,
		"a b": false, "ä": false, "a\x00": false, "a\n": false, string(make63('x')) + "y": false,
	} {
		require.Equal(t, ok, CheckName(name) == nil, "%q", name)
	}
	for name, want := range map[string]int{"0": 0, "7": 7, "10": 10, "2147483647": math.MaxInt32, "": -1, "00": -1, "01": -1, "+1": -1, "-1": -1, "a": -1, "2147483648": -1} {
		n, ok := ParsePartition(name)
		require.Equal(t, want >= 0, ok, "%q", name)
		require.Equal(t, max(want, 0), n)
	}
	topic, n, err := ParseKey("a-1-12")
	require.NoError(t, err)
	require.Equal(t, "a-1", topic)
	require.Equal(t, 12, n)
}

func make63(c byte) []byte {
	b := make([]byte, 63)
	for i := range b {
		b[i] = c
	}
	return b
}
