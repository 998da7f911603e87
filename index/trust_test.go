package index

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// counting counts the bytes that are read.
type counting struct {
	io.ReaderAt
	n int
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += n
	return n, err
}

func trusted(t *testing.T, idx []byte, records string) (bool, string) {
	t.Helper()
	ok, why, err := Trusted(reader(idx), Count(int64(len(idx))), strings.NewReader(records), int64(len(records)))
	require.NoError(t, err)
	require.Equal(t, ok, why == "")
	return ok, why
}

func TestTrusted(t *testing.T) {
	for name, records := range shapes {
		idx := reference(records)
		ok, why := trusted(t, idx, records)
		require.True(t, ok, "%s: %s", name, why)
		ok, why = trusted(t, idx, records+"{}\n{}\n{")
		require.True(t, ok, "%s, grown: %s", name, why)
		ok, why = trusted(t, append(idx, 1, 2, 3), records)
		require.True(t, ok, "%s, partial entry: %s", name, why)
	}
	ok, why := trusted(t, nil, "{}\n")
	require.True(t, ok, why)
	ok, why = trusted(t, nil, "")
	require.True(t, ok, why)
}

// spoil returns idx with entry i set to v.
func spoil(idx []byte, i int, v uint64) []byte {
	c := append([]byte(nil), idx...)
	binary.BigEndian.PutUint64(c[i*EntrySize:], v)
	return c
}

// Up to trustAll records no entry can be wrong by anything.
func TestTrustedSeesAllOfASmallIndex(t *testing.T) {
	records := numbered(trustAll)
	idx := reference(records)
	for i := 0; i <= trustAll; i += 1 + i%37 {
		at := binary.BigEndian.Uint64(idx[i*EntrySize:])
		for _, v := range []uint64{at + 1, at - 1, 0, math.MaxUint64, math.MaxInt64, uint64(len(records)) + 1} {
			if v == at {
				continue
			}
			ok, _ := trusted(t, spoil(idx, i, v), records)
			require.False(t, ok, "entry %d is %d, not %d", i, v, at)
		}
	}
}

func TestTrustedSeesTheEndOfALargeIndex(t *testing.T) {
	n := 100_000
	records := numbered(n)
	idx := reference(records)
	for _, i := range []int{n, n - 1, n - 500, n - trustLast} {
		at := binary.BigEndian.Uint64(idx[i*EntrySize:])
		for _, v := range []uint64{at + 1, at - 1, 0, math.MaxUint64} {
			ok, _ := trusted(t, spoil(idx, i, v), records)
			require.False(t, ok, "entry %d is %d, not %d", i, v, at)
		}
	}
	// Further back it sees a hole, however small.
	for i := n / 2; i < n/2+1000; i += 67 {
		ok, _ := trusted(t, spoil(idx, i, 0), records)
		require.False(t, ok, i)
	}
}

// TestUnproven: where a writer left more entries unsynced than Trusted compares,
// a hole that a power loss made in them is found.
func TestUnproven(t *testing.T) {
	n := trustOrdered + 200_000
	records := strings.Repeat("1\n", n)
	good := reference(records)
	spoiled := bytes.Clone(good)
	clear(spoiled[100_001*EntrySize : 100_601*EntrySize]) // between two that Trusted looks at
	for _, c := range []struct {
		idx      []byte
		unproven int64
		rebuilt  bool
	}{
		{good, 0, false}, {good, int64(len(records)), false}, {good, 1 << 40, false},
		{spoiled, int64(len(records)), true}, {spoiled, int64(len(records)) - 200_800, true},
		{spoiled, int64(len(records)) - 250_000, false}, // it is said that these were synced
	} {
		l := newLog(t, records)
		l.write(l.idx, c.idx)
		report, err := l.build(&Options{Unproven: c.unproven})
		require.NoError(t, err)
		require.Equal(t, c.rebuilt, report.Rebuilt, "%d", c.unproven)
		if c.rebuilt {
			require.Contains(t, report.Reason, "is not above entry")
			l.requireFits()
		}
	}
}

// TestProveBack: it goes back to an entry that is not above the position, and
// proves that one.
func TestProveBack(t *testing.T) {
	records := strings.Repeat("1\n", 40_000)
	idx := reference(records)
	w := newWindow(strings.NewReader(records), int64(len(records)), trustLimit)
	for _, position := range []int64{-5, 0, 1000, 65_000, 80_000} {
		p, err := w.proveBack(bytes.NewReader(idx), 40_000, position)
		require.NoError(t, err)
		require.Nil(t, p)
	}
	for _, v := range []uint64{0, 1, 3} { // what ends the way back, and is no line's end
		bad := spoil(idx, 40_000-8191*2, v)
		p, err := w.proveBack(bytes.NewReader(bad), 40_000, 47_000)
		require.NoError(t, err)
		require.NotNil(t, p, v)
	}
}

func TestTrustedSpread(t *testing.T) {
	n := 100_000
	foreign := reference(strings.Repeat("{}\n", n))
	records := strings.Repeat("[]\n", n-trustLast-1) // the same, so only the spread sample can tell
	records = records[:30_000] + strings.Repeat("#", 30_000) + records[60_000:]
	records += strings.Repeat("{}\n", n)[len(records):]
	ok, why := trusted(t, foreign, records)
	require.False(t, ok)
	require.Contains(t, why, "is not behind a newline")
}

func TestTrustedReasons(t *testing.T) {
	large := numbered(50_000)
	fits := reference(large)
	i := 50_000 / trustSpread // the second of the sample
	for _, test := range []struct {
		idx  []byte
		recs string
		why  string
	}{
		{entries(1, 3), "{}\n", "entry 0 is 1, not 0"},
		{entries(0, 3, 3), "{}\n{}\n", "entry 2 (3) is not above entry 1 (3)"},
		{entries(0, 4), "{}\n", "entry 1 (4) lies past the end of the records (3)"},
		{entries(0, 2), "{}\n", "entry 1 (2) is not behind a newline"},
		{entries(0, 6), "{}\n{}\n", "record 0 (0 to 6) holds a newline at 2"},
		{spoil(fits, i, 0), large, "entry 781 is 0, which only entry 0 can be"},
		{spoil(fits, i, 1<<60), large, "entry 781 (1152921504606846976) lies past the end of the records (199997)"},
		{spoil(fits, i+9, 5), large, "entry 790 (5) is not above entry 789 (3151)"},
	} {
		_, why := trusted(t, test.idx, test.recs)
		require.Equal(t, test.why, why)
	}
}

// Inner newlines of long records are looked for near their start only.
func TestTrustedLongRecords(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	ok, _ := trusted(t, entries(0, 3<<20), long[:5000]+"\n"+strings.Repeat("y", 3<<20-5002)+"\n")
	require.True(t, ok)
	ok, _ = trusted(t, entries(0, 3<<20), long[:4000]+"\n"+strings.Repeat("y", 3<<20-4002)+"\n")
	require.False(t, ok)
}

func TestTrustedReadsLittle(t *testing.T) {
	records := strings.Repeat(strings.Repeat("x", 254)+"\n", 200_000)
	idx := &counting{reader(reference(records)), 0}
	recs := &counting{strings.NewReader(records), 0}
	ok, why, err := Trusted(idx, 200_000, recs, int64(len(records)))
	require.NoError(t, err)
	require.True(t, ok, why)
	require.Less(t, recs.n, 1<<20)
	require.Less(t, idx.n, 2<<20)
}

func TestTrustedErrors(t *testing.T) {
	idx, records := reference("{}\n{}\n"), "{}\n{}\n"
	for name, test := range map[string]struct {
		idx, recs io.ReaderAt
		n         uint64
		size      int64
		err       error
	}{
		"index fails":       {failing{iotest.ErrTimeout}, strings.NewReader(records), 2, 6, iotest.ErrTimeout},
		"records fail":      {reader(idx), failing{iotest.ErrTimeout}, 2, 6, iotest.ErrTimeout},
		"empty index fails": {failing{iotest.ErrTimeout}, strings.NewReader(records), 0, 6, iotest.ErrTimeout},
		"index cut":         {reader(idx), strings.NewReader(records), 3, 6, io.ErrUnexpectedEOF},
		"index cut to 0":    {reader(nil), strings.NewReader(records), 3, 6, io.EOF},
		"too many":          {reader(idx), strings.NewReader(records), math.MaxUint64, 6, io.EOF},
		"records cut":       {reader(idx), strings.NewReader(records[:5]), 2, 6, errCut},
	} {
		_, _, err := Trusted(test.idx, test.n, test.recs, test.size)
		require.ErrorIs(t, err, test.err, name)
	}
	ok, _, err := Trusted(reader(idx), 2, strings.NewReader(records), -5)
	require.NoError(t, err)
	require.False(t, ok)
}
