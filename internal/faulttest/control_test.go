package faulttest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// example is an account of two sources that a log of eight records fits: five
// of a, of which three were acknowledged, and three of b.
func example() (*account, []string) {
	a, b := newSource("a"), newSource("b")
	a.sent, b.sent = 5, 4
	a.acked = map[int]uint64{0: 1, 1: 2, 2: 4}
	b.acked = map[int]uint64{0: 3}
	got := []string{
		`{"prior":0}`, a.record(0), a.record(1), b.record(0), a.record(2), b.record(1), a.record(3), b.record(2),
	}
	return &account{prior: []string{`{"prior":0}`}, sources: []*source{a, b}}, got
}

// TestOracle is the negative control of everything here: the oracle accepts
// what is right, and nothing that differs from it by one fault.
func TestOracle(t *testing.T) {
	h, right := example()
	require.NoError(t, h.judge(right))
	require.NoError(t, h.judge(right[:5]), "what was not acknowledged may be missing")
	swap := func(i, j int) []string {
		got := slices.Clone(right)
		got[i], got[j] = got[j], got[i]
		return got
	}
	a := h.sources[0]
	for name, got := range map[string][]string{
		"acknowledged, lost":            right[:4],
		"all lost":                      nil,
		"gone from the middle":          slices.Delete(slices.Clone(right), 2, 3),
		"unacknowledged, a gap":         slices.Delete(slices.Clone(right), 5, 6),
		"twice":                         append(slices.Clone(right), a.record(3)),
		"twice in the middle":           slices.Insert(slices.Clone(right), 2, a.record(0)),
		"swapped":                       swap(1, 2),
		"of two sources, under others":  swap(2, 3),
		"never sent":                    append(slices.Clone(right), a.record(4), a.record(5)),
		"of nobody":                     append(slices.Clone(right), `{"s":"c","n":0,"pad":""}`),
		"cut":                           append(slices.Clone(right[:7]), right[7][:5]),
		"changed in place":              append([]string{`{"prior":1}`}, right[1:]...),
		"a blank record between others": slices.Insert(slices.Clone(right), 5, ""),
		"dropped, without leave":        append([]string{dropped}, right[1:]...),
	} {
		t.Run(name, func(t *testing.T) { require.Error(t, h.judge(got)) })
	}
}

// TestOracleOfDrops: retention may take from the front, and leave enough.
func TestOracleOfDrops(t *testing.T) {
	s := newSource("a")
	s.sent, s.acked = 3, map[int]uint64{0: 2, 1: 3}
	h := &account{prior: []string{dropped, `1`}, sources: []*source{s}, keep: 2}
	require.NoError(t, h.judge([]string{dropped, `1`, s.record(0), s.record(1)}))
	require.NoError(t, h.judge([]string{dropped, dropped, dropped, s.record(1), s.record(2)}))
	for name, got := range map[string][]string{
		"too much":       {dropped, dropped, dropped, s.record(1)},
		"came back":      {`0`, `1`, s.record(0), s.record(1)},
		"in the middle":  {dropped, `1`, dropped, s.record(1), s.record(2)},
		"and moved":      {dropped, dropped, s.record(1), s.record(2)},
		"and lost":       {dropped, `1`, s.record(0)},
		"and doubled":    {dropped, dropped, s.record(0), s.record(0), s.record(1)},
		"all, then more": {dropped, dropped, dropped, dropped, dropped, dropped},
	} {
		t.Run(name, func(t *testing.T) { require.Error(t, h.judge(got)) })
	}
}

// TestOracleOfFiles: what is wrong with the files, and not with the records,
// is noticed too.
func TestOracleOfFiles(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"index entry changed": func(t *testing.T, path string) { patch(t, pairOf(path).Index, 9, 1) },
		"records changed":     func(t *testing.T, path string) { patch(t, pairOf(path).Records, 3, 'X') },
		"promise gone wrong": func(t *testing.T, path string) {
			patch(t, filepath.Join(path, "partition.json"), 0, 'X')
		},
		"a file more": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(filepath.Join(path, "other"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, path := stored(t, 5)
			spoil(t, path)
			require.Error(t, h.check(path))
		})
	}
	h, path := stored(t, 5)
	require.NoError(t, h.check(path))
	require.NoError(t, h.check(path), "and again")
}

// stored makes a partition of n records of one source, all acknowledged.
func stored(t *testing.T, n int) (*account, string) {
	path := filepath.Join(t.TempDir(), "p")
	s := newSource("a")
	p, err := partition.Open(path, nil)
	require.NoError(t, err)
	for ; s.sent < n; s.sent++ {
		offset, err := p.Append([]byte(s.record(s.sent)))
		require.NoError(t, err)
		s.acked[s.sent] = offset
	}
	require.NoError(t, p.Close())
	return &account{sources: []*source{s}}, path
}

// patch overwrites one byte of a file.
func patch(t *testing.T, name string, position int64, b byte) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{b}, position)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
