package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// numbered are records whose bytes are overwritten with the next one, as those of
// a log are.
func numbered(n int) stream {
	return func(yield func(topic.Record, error) bool) {
		buf := make([]byte, 1)
		for i := range n {
			buf[0] = byte(i)
			if !yield(topic.Record{Record: reader.Record{Offset: uint64(i), Data: buf}}, nil) {
				return
			}
		}
	}
}

// gapMark is what a gap looks like in the tests.
const gapMark = -1

// walked is what walk makes of n records.
func walked(t require.TestingT, a around, n int, chosen map[int]bool, limit int64) (out []int) {
	gap := func() { out = append(out, gapMark) }
	wants := func(rec topic.Record) (bool, error) { return chosen[int(rec.Offset)], nil }
	for rec, err := range a.walk(numbered(n), wants, limit, gap) {
		require.NoError(t, err)
		require.Equal(t, byte(rec.Offset), rec.Data[0], "the bytes are those of the record")
		out = append(out, int(rec.Offset))
	}
	return out
}

// expected says the same in the simplest way: whatever is near enough to one of
// the first limit that are chosen, but nothing from the next one on.
func expected(a around, n int, chosen map[int]bool, limit int64) (out []int) {
	last, count := -1, int64(0)
	for i := range n {
		if chosen[i] {
			if count == limit {
				n = i
				break
			}
			count, last = count+1, i
		}
	}
	for i := range n {
		near := false
		for j := max(0, i-int(a.after)); j <= min(n-1, i+int(a.before), last); j++ {
			near = near || chosen[j]
		}
		if !near {
			continue
		}
		if len(out) > 0 && out[len(out)-1] != i-1 {
			out = append(out, gapMark)
		}
		out = append(out, i)
	}
	return out
}

func TestWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "n")
		a := around{rapid.Uint64Max(4).Draw(t, "before"), rapid.Uint64Max(4).Draw(t, "after")}
		limit := rapid.Int64Range(-1, 4).Draw(t, "limit")
		chosen := map[int]bool{}
		for range rapid.IntRange(0, 6).Draw(t, "chosen") {
			chosen[rapid.IntRange(0, 30).Draw(t, "one")] = true
		}
		require.Equal(t, expected(a, n, chosen, limit), walked(t, a, n, chosen, limit))
	})
	require.Equal(t, []int{4, 5, 6, gapMark, 9, 10, 11}, walked(t, around{1, 1}, 20, map[int]bool{5: true, 10: true}, -1))
	require.Equal(t, []int{5, 6}, walked(t, around{0, 1}, 20, map[int]bool{5: true, 10: true}, 1))
}

func TestEvery(t *testing.T) {
	var out []int
	for rec, err := range stepFlag(4).every(numbered(10)) {
		require.NoError(t, err)
		out = append(out, int(rec.Offset))
	}
	require.Equal(t, []int{0, 4, 8}, out)
}
