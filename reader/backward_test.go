package reader

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// skipping reads a log in one direction and leaves out what Options.Skip is
// told of.
func skipping(t *testing.T, d disk, name string, opts Options, back bool) (got []kept, skipped []Damage) {
	t.Helper()
	opts.Skip = func(d Damage) error {
		skipped = append(skipped, d)
		return nil
	}
	log := d.open(t, name, opts)
	if back {
		return collect(t, log.Backward(UnknownOffset)), skipped
	}
	return collect(t, log.Records(0)), skipped
}

// TestBackwardTooLarge leaves out records that are larger than they may be: the
// others come with their offsets, each once, and the ones left out are named.
func TestBackwardTooLarge(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int
		large int
	}{
		{"smaller than a block", 100, 101},
		{"larger than a block", blockBytes + 100, 5 * blockBytes},
	} {
		records := numbered(0, 40_000) // several blocks
		large := []uint64{39_999, 20_000, 19_999, 300, 0}
		for _, i := range large {
			records[i] = strings.Repeat("x", c.large)
		}
		for _, name := range []string{"", "app.jsonl"} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				d := osDisk(t)
				d.pair(t, 0, text(records...))
				d.write(t, "app.jsonl", text(records...))
				got, skipped := skipping(t, d, name, Options{MaxRecordBytes: c.limit}, true)
				require.Len(t, skipped, len(large))
				end := int64(len(text(records...)))
				offset := uint64(len(records))
				for offset > 0 {
					offset--
					start := end - int64(len(records[offset])) - 1
					if len(skipped) > 0 && skipped[0].Offset == offset {
						require.ErrorIs(t, skipped[0].Err, jsonl.ErrTooLarge)
						require.ErrorContains(t, skipped[0].Err, "offset")
						skipped[0].Err = nil
						require.Equal(t, Damage{Offset: offset, Records: 1, Position: start, End: end}, skipped[0])
						skipped = skipped[1:]
					} else {
						require.NotEmpty(t, got)
						require.Equal(t, kept{offset, start, records[offset]}, got[0])
						got = got[1:]
					}
					end = start
				}
				require.Empty(t, got)
			})
		}
	}
}

// TestSkipLineEnd: where a line is too long to be held, its end is not
// known.
func TestSkipLineEnd(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("a", strings.Repeat("x", 5*blockBytes), "b"))
	got, skipped := skipping(t, d, "app.jsonl", Options{MaxRecordBytes: blockBytes + 100}, false)
	require.Equal(t, []kept{{0, 0, "a"}, {2, 5*blockBytes + 3, "b"}}, got)
	require.Len(t, skipped, 1)
	skipped[0].Err = nil
	require.Equal(t, Damage{Offset: 1, Records: 1, Position: 2}, skipped[0])
}

// TestBackwardTooLargeUnknown: the same where the offsets are not known.
func TestBackwardTooLargeUnknown(t *testing.T) {
	d := osDisk(t)
	large := strings.Repeat("x", countAhead)
	d.write(t, "app.jsonl", text("a", large, "b"))
	got, skipped := skipping(t, d, "app.jsonl", Options{MaxRecordBytes: blockBytes}, true)
	require.Equal(t, []kept{{UnknownOffset, countAhead + 3, "b"}, {UnknownOffset, 0, "a"}}, got)
	require.Len(t, skipped, 1)
	skipped[0].Err = nil
	require.Equal(t, Damage{Offset: UnknownOffset, Records: 1, Position: 2, End: countAhead + 3}, skipped[0])
}

// TestSkipShortIndex leaves out, in either direction, the records that the
// index of a sealed segment should describe and does not.
func TestSkipShortIndex(t *testing.T) {
	for _, back := range []bool{false, true} {
		d := osDisk(t)
		d.pair(t, 0, text("0", "1", "2", "3", "4"))
		d.pair(t, 5, text("5", "6"))
		d.cut(t, indexName, 4*index.EntrySize)
		got, skipped := skipping(t, d, "", Options{}, back)
		require.Len(t, got, 5)
		require.Len(t, skipped, 1)
		require.Equal(t, uint64(3), skipped[0].Offset)
		require.Equal(t, uint64(2), skipped[0].Records)
		e := requireCorrupt(t, skipped[0].Err, segment.ErrIndexMismatch, 3)
		require.EqualValues(t, 3*index.EntrySize, e.Position)
	}
}
