package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/index"
	"example.com/jlq/reader"
)

func TestSizesQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, 1<<40)), 1, 50).Draw(t, "sizes")
		s := new(sizes)
		for _, n := range all {
			s.add(n)
		}
		slices.Sort(all)
		require.Equal(t, all[len(all)-1], s.max)
		for _, q := range []float64{0, 0.5, 0.99, 1} {
			want := all[min(len(all)-1, int(q*float64(len(all))))]
			got := s.quantile(q)
			require.LessOrEqual(t, got, want)
			require.GreaterOrEqual(t, float64(got), float64(want)*(1-1.0/64))
			if want < exactSizes {
				require.Equal(t, want, got)
			}
		}
	})
}

func TestEntrySizes(t *testing.T) {
	var entries []byte
	for _, position := range []int64{0, 1, 11, 300} {
		entries = index.AppendEntry(entries, position)
	}
	s := new(sizes)
	e := &entrySizes{sizes: s}
	for _, b := range entries { // in pieces
		_, err := e.Write([]byte{b})
		require.NoError(t, err)
	}
	require.EqualValues(t, 3, s.count)
	require.EqualValues(t, 288, s.max)
	require.EqualValues(t, 9, s.quantile(0.5))
	_, err := e.Write(index.AppendEntry(nil, 300))
	require.ErrorContains(t, err, "do not increase")
}

// The index tells what the lines tell.
func TestMeasure(t *testing.T) {
	records := []byte("a\n\nccc\ndddd\nfragment")
	path := filepath.Join(t.TempDir(), "x.jsonl")
	require.NoError(t, os.WriteFile(path, records, 0o600))
	seg := reader.SegmentInfo{Records: path, Index: path + ".index", Bytes: int64(len(records))}
	var entries []byte
	for n, position := range []int64{0, 2, 3, 7, 12} {
		entries = index.AppendEntry(entries, position)
		require.NoError(t, os.WriteFile(seg.Index, entries, 0o600))
		seg.Count = uint64(n)
		m := newMeasurer(4)
		end := int64(0)
		if n > 0 {
			var err error
			end, err = m.index(t.Context(), seg, seg.Count)
			require.NoError(t, err)
			require.Equal(t, position, end)
		}
		require.NoError(t, m.lines(t.Context(), seg, end))
		require.EqualValues(t, 4, m.sizes.count)
		require.EqualValues(t, 4, m.sizes.max)
		require.EqualValues(t, 3, m.sizes.quantile(0.5))
	}
}
