package index

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/vfs"
)

// anyRecords draws a records file, most often of lines that are not long.
func anyRecords(t *rapid.T, label string) string {
	line := rapid.OneOf(
		rapid.StringMatching(`[ -~\r]{0,12}`),
		rapid.StringN(0, 40, 200),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat("y", rapid.IntRange(0, 2*pieceSize).Draw(t, "length"))
		}),
	)
	lines := rapid.SliceOfN(line, 0, 60).Draw(t, label)
	s := strings.Join(lines, "\n")
	if rapid.Bool().Draw(t, "whole") && s != "" {
		s += "\n"
	}
	return s
}

// Every span of a built index is a line, and nothing of the records is left out.
func TestSpansAreLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := anyRecords(t, "records")
		var out bytes.Buffer
		b := NewBuilder(&out, 0, true)
		for rest := []byte(records); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			b.Write(rest[:n])
			rest = rest[n:]
		}
		require.NoError(t, b.Flush())
		idx := reader(out.Bytes())
		lines := strings.SplitAfter(records, "\n")
		lines = lines[:len(lines)-1]
		require.EqualValues(t, len(lines), Count(int64(out.Len())))
		for i, line := range lines {
			start, end, err := Span(idx, uint64(i))
			require.NoError(t, err)
			require.Equal(t, line, records[start:end])
			k, found, err := Search(idx, uint64(len(lines)), start)
			require.NoError(t, err)
			require.True(t, found)
			require.EqualValues(t, i, k)
			if k, found, err = Search(idx, uint64(len(lines)), start+1); end > start+1 {
				require.NoError(t, err)
				require.False(t, found)
				require.EqualValues(t, i+1, k)
			}
		}
	})
}

// However a file grew, and whenever it was indexed, its index is the one that
// is built at once.
func TestExtendInAnySplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := anyRecords(t, "records")
		m := vfs.NewMem()
		for from := 0; from < len(records) || from == 0; {
			to := from + rapid.IntRange(0, len(records)-from).Draw(t, "grow")
			require.NoError(t, vfs.ReplaceFile(m, "/x.jsonl", []byte(records[:to]), 0o600))
			r, err := buildMem(m)
			require.NoError(t, err)
			require.Equal(t, from == 0 && r.Rebuilt, r.Rebuilt, r.Reason)
			require.True(t, bytes.Equal(reference(records[:to]), readMem(t, m)))
			if from = to; to == 0 || to == len(records) {
				break
			}
		}
	})
}

func readMem(t *rapid.T, m vfs.FS) []byte {
	b, err := vfs.ReadFile(m, "/x.jsonl.index", 1<<30)
	require.NoError(t, err)
	return b
}
