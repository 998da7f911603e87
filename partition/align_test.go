package partition

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/index"
)

// alignment is what an aligner says of line ends and entries.
type alignment struct {
	drifts []drift
	behind int
	ahead  uint64
}

// align runs an aligner. Both lists begin with 0, as an index does.
func align(t require.TestingT, ends []int64, entries []uint64) (got alignment) {
	var idx []byte
	for _, e := range entries {
		idx = index.AppendEntry(idx, int64(e))
	}
	a, err := newAligner(bytes.NewReader(idx), uint64(len(entries)-1), ends[len(ends)-1])
	require.NoError(t, err)
	start := int64(0)
	for n, end := range ends {
		d, behind, err := a.line(uint64(n), start, end)
		require.NoError(t, err)
		start = end
		if behind {
			got.behind++
		}
		if d != nil {
			got.drifts = append(got.drifts, *d)
			got.behind += int(d.behind)
		}
	}
	if d := a.finish(); d != nil {
		got.drifts = append(got.drifts, *d)
		got.behind += int(d.behind)
	}
	if a.inStep() && a.at.more() {
		got.ahead = a.at.last - a.at.number + 1
	}
	return got
}

// sums turns lengths into what an index of them has.
func sums(lengths []int64) []int64 {
	out := []int64{0}
	for _, n := range lengths {
		out = append(out, out[len(out)-1]+n)
	}
	return out
}

func asEntries(ends []int64) []uint64 {
	out := make([]uint64, len(ends))
	for i, end := range ends {
		out[i] = uint64(end)
	}
	return out
}

// TestAlignOneEdit makes one edit to a log whose lines have lengths by which
// they can be told apart, and wants one drift that says what it was.
func TestAlignOneEdit(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 14))
	for range 50 {
		lengths := make([]int64, 100+src.IntN(5000))
		for i := range lengths {
			lengths[i] = 2 + src.Int64N(100_000)
		}
		entries := asEntries(sums(lengths))
		at, some := src.IntN(len(lengths)-60), 1+src.IntN(50)
		line, rest := lengths[at], lengths[at+1:]
		var more, removed int64
		for _, n := range lengths[at : at+some] {
			removed += n
		}
		inserted := make([]int64, some)
		for i := range inserted {
			inserted[i] = 1 + src.Int64N(100_000)
			more += inserted[i]
		}
		for name, c := range map[string]struct {
			lengths      []int64
			lines, bytes int64
		}{
			"inserted": {slices.Concat(lengths[:at], inserted, lengths[at:]), int64(some), more},
			"deleted":  {slices.Concat(lengths[:at], lengths[at+some:]), -int64(some), -removed},
			"split":    {slices.Concat(lengths[:at], []int64{1, line - 1}, rest), 1, 0},
			"joined":   {slices.Concat(lengths[:at], []int64{removed + lengths[at+some]}, lengths[at+some+1:]), -int64(some), 0},
			"longer":   {slices.Concat(lengths[:at], []int64{line + 1 + more}, rest), 0, 1 + more},
			"shorter":  {slices.Concat(lengths[:at], []int64{1}, rest), 0, 1 - line},
			"replaced": {slices.Concat(lengths[:at], inserted, rest), int64(some) - 1, more - line},
		} {
			got := align(t, sums(c.lengths), entries)
			require.Len(t, got.drifts, 1, name)
			d := got.drifts[0]
			require.True(t, d.fits, name)
			require.Equal(t, []int64{c.lines, c.bytes}, []int64{d.lines, d.bytes}, name)
			require.Equal(t, uint64(at+1), d.line, name)
			require.Zero(t, got.behind, name)
			require.Zero(t, got.ahead, name)
		}
	}
}

// TestAlignTwoEdits: edits that lie further apart than what proves one are told
// one by one.
func TestAlignTwoEdits(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 59))
	lengths := make([]int64, 400)
	for i := range lengths {
		lengths[i] = 1 + src.Int64N(100_000)
	}
	edited := slices.Concat(lengths[:100], []int64{77}, lengths[100:300], lengths[301:])
	got := align(t, sums(edited), asEntries(sums(lengths)))
	require.Len(t, got.drifts, 2)
	require.Equal(t, []int64{1, 77}, []int64{got.drifts[0].lines, got.drifts[0].bytes})
	require.Equal(t, []int64{-1, -lengths[300]}, []int64{got.drifts[1].lines, got.drifts[1].bytes})
	require.Equal(t, uint64(302), got.drifts[1].line)
}

// TestAlignWrongEntries breaks entries, which the lines behind them prove to
// have been only these.
func TestAlignWrongEntries(t *testing.T) {
	for _, length := range []int64{8, 1} {
		ends := sums(slices.Repeat([]int64{length}, 1000))
		for name, value := range map[string]func(i int) uint64{
			"zero":    func(int) uint64 { return 0 },
			"garbage": func(i int) uint64 { return 0xdead_beef_0000_0000 + uint64(i*i) },
			"near":    func(i int) uint64 { return uint64(ends[i]) + uint64(length+5) + uint64(i%3) },
		} {
			for _, some := range []int{1, 2, 600} {
				entries := asEntries(ends)
				for i := range some {
					entries[200+i] = value(200 + i)
				}
				got := align(t, ends, entries)
				require.Len(t, got.drifts, 1, name)
				d := got.drifts[0]
				require.Equal(t, drift{
					line: 200, start: length * 199, end: length * 200, entry: 200, value: entries[200], zeros: name == "zero",
					fits: true, toLine: uint64(200 + some), toEntry: uint64(200 + some), toStart: length * int64(199+some), toEnd: length * int64(200+some),
				}, d, name)
			}
		}
	}
}

// TestAlignForeign: an index of another file is one drift that nothing
// explains, or as good as one.
func TestAlignForeign(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the work of one goroutine")
	}
	src := rand.New(rand.NewPCG(2, 65))
	random := func(n int) []int64 {
		lengths := make([]int64, n)
		for i := range lengths {
			lengths[i] = 1 + src.Int64N(300)
		}
		return sums(lengths)
	}
	for range 20 {
		ends := random(20_000)
		for _, entries := range [][]uint64{asEntries(random(20_000)), asEntries(random(10)), asEntries(random(50_000))} {
			got := align(t, ends, entries)
			require.Len(t, got.drifts, 1)
			require.False(t, got.drifts[0].fits)
		}
	}
}

// TestAlignProperties lets anything happen to small logs.
func TestAlignProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]int64{1, 2, 3, 8}).Draw(t, "longest line")
		ends := sums(rapid.SliceOfN(rapid.Int64Range(1, length), 0, 80).Draw(t, "lines"))
		entries := rapid.SliceOfN(rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 100)), 1, 80).Draw(t, "foreign")
		if rapid.Bool().Draw(t, "own") {
			entries = damaged(t, asEntries(ends))
		}
		got := align(t, ends, entries)

		same := slices.Equal(asEntries(ends), entries)
		require.Equal(t, same, len(got.drifts) == 0 && got.behind == 0 && got.ahead == 0)
		line, shift, lines := uint64(0), int64(0), int64(0)
		for _, d := range got.drifts {
			requireInStep(t, ends, entries, line, d.line, lines, shift)
			require.NotEqual(t, uint64(ends[d.line]-shift), d.value)
			if !d.fits {
				return
			}
			shift, lines = shift+d.bytes, lines+d.lines
			require.Equal(t, lines, int64(d.toLine-d.toEntry))
			line = d.toLine
		}
		requireInStep(t, ends, entries, line, uint64(len(ends)-got.behind), lines, shift)
	})
}

// damaged makes a few edits to entries.
func damaged(t *rapid.T, entries []uint64) []uint64 {
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(entries)-1).Draw(t, "at")
		some := min(rapid.IntRange(1, 20).Draw(t, "some"), len(entries)-at)
		switch rapid.IntRange(0, 3).Draw(t, "edit") {
		case 0:
			entries[at] = rapid.Uint64Range(0, 200).Draw(t, "value")
		case 1:
			if some < len(entries) {
				entries = slices.Delete(entries, at, at+some)
			}
		case 2:
			entries = slices.Insert(entries, at, entries[at:at+some]...)
		case 3:
			for i := range entries[at:] {
				entries[at+i] += 3
			}
		}
	}
	return entries
}

// requireInStep: line ends from, up to to, are at their entries.
func requireInStep(t require.TestingT, ends []int64, entries []uint64, from, to uint64, lines, shift int64) {
	for n := from; n < to; n++ {
		require.Equal(t, uint64(ends[n]-shift), entries[int64(n)-lines], "line end %d", n)
	}
}
