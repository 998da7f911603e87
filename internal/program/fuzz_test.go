package program

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/jsonl"
)

// FuzzRecord: whatever a record is, what a program passes on is its bytes without
// white space, and what it puts together again is the same value.
func FuzzRecord(f *testing.F) {
	for _, record := range []string{`{"a":1.10,"b":[1e400,{"\u0061":"\ud800\n"}],"a":{}}`, ` [ 1 , "x" , null ] `, `"\u007f\/"`, `-0.0`, "\xef\xbb\xbf{}\r"} {
		f.Add([]byte(record))
	}
	passed := compile(f, `[.]`)
	made := compile(f, `def again: if type == "object" then with_entries(.value |= again) elif type == "array" then map(again) else . end; again`)
	f.Fuzz(func(t *testing.T, record []byte) {
		if len(record) > 1<<10 {
			return
		}
		line := jsonl.SkipBOM(record)
		results, err := runs(t, passed.Runner(), string(record))
		if jsonl.CheckStrict(line, -1) != nil {
			require.Error(t, err)
			return
		}
		want, err2 := jsonl.Compact(nil, line)
		require.NoError(t, err2)
		if err == nil { // else it is one too deep
			require.Equal(t, []string{"[" + string(want) + "]"}, results)
			results, err = runs(t, made.Runner(), string(record))
			require.NoError(t, err)
			require.Equal(t, canonical(t, string(line)), canonical(t, results[0]))
		}
	})
}

// FuzzCompile: whatever a program is, it compiles or is refused with a place in
// it.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{".a", "é | foo(1)", `"\(.a|bar)" # x`, "{a,b}", "@foo", "import \"a\" as a; .", ". as $x | $y", "\t\n)", `"\x"`, "input"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Compile(text); err != nil {
			wrong, ok := errors.AsType[*Error](err)
			require.True(t, ok, "%v", err)
			require.GreaterOrEqual(t, wrong.Position, 0)
			require.LessOrEqual(t, wrong.Position, len(text))
			require.NotEmpty(t, wrong.String())
		}
	})
}
