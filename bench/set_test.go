package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

func sumFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return sum(data)
}

func TestOriginalIsTheOriginals(t *testing.T) {
	set := Original()
	require.Equal(t, OriginalCount, set.Len())
	require.Equal(t, "lorem ipsum", string(set.Record(0)))
	require.Equal(t, `mpsfn!jqtvn`, string(set.Record(1)))
	require.Equal(t, OriginalRecordsSum, sum(set.Lines(0, set.Len())))
}

func TestJSONRecords(t *testing.T) {
	set := JSON(10_000)
	escaped, wide := 0, 0
	for i := range set.Len() {
		r := set.Record(i)
		require.True(t, json.Valid(r), "record %d: %s", i, r)
		require.True(t, utf8.Valid(r))
		require.GreaterOrEqual(t, len(r), MeanRecord-maxSpread)
		require.LessOrEqual(t, len(r), MeanRecord+maxSpread)
		for _, c := range r {
			if c == '\\' {
				escaped++
				break
			}
		}
		if utf8.RuneCount(r) < len(r) {
			wide++
		}
	}
	require.EqualValues(t, MeanRecord*set.Len(), set.Payload())
	require.InDelta(t, set.Len()/64, escaped, 60)
	require.InDelta(t, set.Len()/16, wide, 150)
}

// The figures of two machines compare only while the records are the same.
func TestJSONIsPinned(t *testing.T) {
	set := JSON(1000)
	require.Equal(t, "c4c44628479076e439ebda1f677b8ab57c8e85a0eefe4664a761e398df8bfaf8", sum(set.Lines(0, set.Len())))
	require.Equal(t, set.Lines(0, 10), JSON(10).Lines(0, 10))
}

func TestSetParts(t *testing.T) {
	set := newSet([]byte("a\nbc\nd\n"), []int64{2, 5, 7})
	require.Equal(t, "bc\nd\n", string(set.Lines(1, 9)))
	require.Equal(t, [][]byte{[]byte("a"), []byte("bc")}, set.Batch(0, 2))
	require.Equal(t, [][]byte{[]byte("d")}, set.Batch(2, 4))
	require.EqualValues(t, 7, set.Size())
	require.EqualValues(t, 4, set.Payload())
}
