package index

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// entries returns an index of exactly these entries.
func entries(positions ...int64) []byte {
	var b []byte
	for _, p := range positions {
		b = AppendEntry(b, p)
	}
	return b
}

// reader makes b readable at positions.
func reader(b []byte) io.ReaderAt { return bytes.NewReader(b) }

// failing is a ReaderAt that only fails.
type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// generous is a ReaderAt that returns io.EOF together with the last bytes.
type generous []byte

func (g generous) ReadAt(p []byte, off int64) (int, error) {
	n, err := bytes.NewReader(g).ReadAt(p, off)
	if off+int64(n) == int64(len(g)) {
		err = io.EOF
	}
	return n, err
}

var huge = bytes.Repeat([]byte{0xff}, EntrySize)

func TestPath(t *testing.T) {
	for records, want := range map[string]string{
		"app.jsonl":                      "app.jsonl.index",
		"app":                            "app.index",
		"app.log":                        "app.log.index",
		"x.records":                      "x.index",
		"x.y.records":                    "x.y.index",
		".records":                       ".records.index",
		"records":                        "records.index",
		"x.records.jsonl":                "x.records.jsonl.index",
		".jsonl":                         ".jsonl.index",
		"00000000000000000000.jsonl":     "00000000000000000000.index",
		"00000000000000184467.jsonl":     "00000000000000184467.index",
		"0000000000000000000.jsonl":      "0000000000000000000.jsonl.index",
		"000000000000000000000.jsonl":    "000000000000000000000.jsonl.index",
		"0000000000000000000a.jsonl":     "0000000000000000000a.jsonl.index",
		"a0000000000000000000.jsonl":     "a0000000000000000000.jsonl.index",
		"00000000000000000000.json":      "00000000000000000000.json.index",
		"00000000000000000000.torn-8192": "00000000000000000000.torn-8192.index",
		"00000000000000000000.records":   "00000000000000000000.index",
	} {
		require.Equal(t, want, Path(records), records)
		dir := filepath.Join("a.records", "b.jsonl")
		require.Equal(t, filepath.Join(dir, want), Path(filepath.Join(dir, records)), records)
	}
}

func TestCount(t *testing.T) {
	for size, want := range map[int64]uint64{
		-1: 0, 0: 0, 1: 0, 7: 0, 8: 0, 15: 0, 16: 1, 17: 1, 23: 1, 24: 2,
		80_008: 10_000, math.MaxInt64: 1<<60 - 2,
	} {
		require.Equal(t, want, Count(size), size)
	}
}

func TestAppendEntry(t *testing.T) {
	for position, want := range map[int64]string{
		0:             "0000000000000000",
		1:             "0000000000000001",
		255:           "00000000000000ff",
		256:           "0000000000000100",
		0x01020304:    "0000000001020304",
		1 << 40:       "0000010000000000",
		math.MaxInt64: "7fffffffffffffff",
	} {
		require.Equal(t, want, hex.EncodeToString(AppendEntry(nil, position)))
		require.Equal(t, "ab"+want, hex.EncodeToString(AppendEntry([]byte{0xab}, position)))
		got, err := Entry(reader(AppendEntry(nil, position)), 0)
		require.NoError(t, err)
		require.Equal(t, position, got)
	}
}

func TestEntry(t *testing.T) {
	idx := append(entries(0, 8, 16), 1, 2, 3)
	for i, want := range []int64{0, 8, 16} {
		got, err := Entry(reader(idx), uint64(i))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := Entry(reader(idx), 3) // the partial entry
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	for _, i := range []uint64{4, 1 << 40, maxEntries - 1, maxEntries, math.MaxUint64} {
		_, err := Entry(reader(idx), i)
		require.ErrorIs(t, err, io.EOF, i)
	}
}

func TestEntryErrors(t *testing.T) {
	_, err := Entry(reader(huge), 0)
	require.EqualError(t, err, "index entry 0 is 18446744073709551615, beyond any position")
	require.False(t, isEnd(err))

	_, err = Entry(failing{iotest.ErrTimeout}, 7)
	require.ErrorIs(t, err, iotest.ErrTimeout)
	require.ErrorContains(t, err, "read index entry 7")

	_, err = Entry(failing{nil}, 0) // a reader that breaks the contract
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)

	got, err := Entry(generous(entries(0, 8)), 1)
	require.NoError(t, err)
	require.EqualValues(t, 8, got)
}

func TestSpan(t *testing.T) {
	for _, test := range []struct {
		name       string
		idx        []byte
		i          uint64
		start, end int64
		err        string
	}{
		{"first", entries(0, 8, 9), 0, 0, 8, ""},
		{"only a newline", entries(0, 8, 9), 1, 8, 9, ""},
		{"behind the last", entries(0, 8, 9), 2, 0, 0, "read index entry 2: unexpected EOF"},
		{"far behind", entries(0, 8, 9), 9, 0, 0, "read index entry 9: EOF"},
		{"beyond any file", entries(0, 8, 9), math.MaxUint64, 0, 0, "read index entry 18446744073709551615: EOF"},
		{"partial", entries(0, 8, 9)[:23], 1, 0, 0, "read index entry 1: unexpected EOF"},
		{"empty index", nil, 0, 0, 0, "read index entry 0: EOF"},
		{"no width", entries(0, 8, 8), 1, 0, 0, "index entry 2 (8) is not above entry 1 (8)"},
		{"backwards", entries(0, 8, 3), 1, 0, 0, "index entry 2 (3) is not above entry 1 (8)"},
		{"huge start", append(huge, entries(9)...), 0, 0, 0, "index entry 0 is 18446744073709551615, beyond any position"},
		{"huge end", append(entries(0), huge...), 0, 0, 0, "index entry 1 is 18446744073709551615, beyond any position"},
	} {
		t.Run(test.name, func(t *testing.T) {
			start, end, err := Span(reader(test.idx), test.i)
			require.Equal(t, test.start, start)
			require.Equal(t, test.end, end)
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.err)
			}
		})
	}
}

func TestReadEntries(t *testing.T) {
	idx := append(entries(0, 8, 16, 24), 0, 0)
	for _, test := range []struct {
		name  string
		first uint64
		space int
		want  []int64
	}{
		{"all", 0, 4, []int64{0, 8, 16, 24}},
		{"more than there are", 0, 9, []int64{0, 8, 16, 24}},
		{"some", 1, 2, []int64{8, 16}},
		{"none wanted", 1, 0, nil},
		{"the last", 3, 3, []int64{24}},
		{"the partial entry", 4, 3, nil},
		{"behind the end", 400, 3, nil},
		{"beyond any file", math.MaxUint64, 3, nil},
		{"at the edge", maxEntries - 1, 3, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, scratch := range [][]byte{nil, make([]byte, 8), make([]byte, 200)} {
				dst := make([]int64, test.space)
				n, err := ReadEntries(reader(idx), test.first, dst, scratch)
				require.NoError(t, err)
				require.Equal(t, test.want, append([]int64(nil), dst[:n]...))
			}
		})
	}
}

func TestReadEntriesErrors(t *testing.T) {
	dst := make([]int64, 4)
	n, err := ReadEntries(reader(append(entries(0, 8), huge...)), 0, dst, nil)
	require.Equal(t, 2, n)
	require.EqualError(t, err, "index entry 2 is 18446744073709551615, beyond any position")

	n, err = ReadEntries(failing{iotest.ErrTimeout}, 5, dst, nil)
	require.Equal(t, 0, n)
	require.ErrorIs(t, err, iotest.ErrTimeout)
	require.ErrorContains(t, err, "entry 5")

	n, err = ReadEntries(generous(entries(0, 8)), 0, dst[:2], nil)
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

func TestSearch(t *testing.T) {
	for _, test := range []struct {
		idx      []byte
		n        uint64
		position int64
		i        uint64
		found    bool
	}{
		{entries(0, 8, 9, 20), 3, -1, 0, false},
		{entries(0, 8, 9, 20), 3, 0, 0, true},
		{entries(0, 8, 9, 20), 3, 1, 1, false},
		{entries(0, 8, 9, 20), 3, 8, 1, true},
		{entries(0, 8, 9, 20), 3, 9, 2, true},
		{entries(0, 8, 9, 20), 3, 10, 3, false},
		{entries(0, 8, 9, 20), 3, 20, 3, true},
		{entries(0, 8, 9, 20), 3, 21, 4, false},
		{entries(0, 8, 9, 20), 2, 20, 3, false}, // entry 3 is not in n
		{entries(0), 0, 0, 0, true},
		{entries(0), 0, 1, 1, false},
	} {
		i, found, err := Search(reader(test.idx), test.n, test.position)
		require.NoError(t, err)
		require.Equal(t, test.i, i, "%+v", test)
		require.Equal(t, test.found, found, "%+v", test)
	}
	_, _, err := Search(reader(entries(0)), math.MaxUint64, 5)
	require.ErrorIs(t, err, io.EOF)
	_, _, err = Search(reader(nil), 0, 5)
	require.ErrorIs(t, err, io.EOF)
	_, _, err = Search(failing{iotest.ErrTimeout}, 5, 5)
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

// A reader looks entries up on its hot path.
func TestLookupsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool drop what it holds")
	}
	r := reader(entries(0, 8, 16, 24))
	dst, scratch := make([]int64, 4), make([]byte, 32)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, _, err1 := Span(r, 1)
		_, err2 := Entry(r, 2)
		_, err3 := ReadEntries(r, 0, dst, scratch)
		_, _, err4 := Search(r, 3, 17)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
	}))
}
