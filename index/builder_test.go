package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reference makes an index in the plainest way, to compare with.
func reference(records string) []byte {
	idx, at := entries(0), int64(0)
	for _, line := range strings.SplitAfter(records, "\n") {
		at += int64(len(line))
		if strings.HasSuffix(line, "\n") {
			idx = AppendEntry(idx, at)
		}
	}
	return idx
}

// built makes an index with a Builder that is given pieces of size bytes.
func built(t testing.TB, records string, size int) []byte {
	var out bytes.Buffer
	b := NewBuilder(&out, 0, true)
	for rest := []byte(records); len(rest) > 0; {
		n, err := b.Write(rest[:min(size, len(rest))])
		require.NoError(t, err)
		rest = rest[n:]
	}
	require.NoError(t, b.Flush())
	require.Equal(t, uint64(strings.Count(records, "\n")), b.Records())
	require.Equal(t, int64(strings.LastIndexByte(records, '\n')+1), b.End())
	return out.Bytes()
}

// original returns the records of the original's workload: each record is the
// one before with every character shifted up by one, and # follows DEL.
func original() string {
	var b strings.Builder
	for line, i := []byte("lorem ipsum"), 0; i < 10_000; i++ {
		b.Write(line)
		b.WriteByte('\n')
		for k, c := range line {
			if line[k] = c + 1; c == 0x7f {
				line[k] = '#'
			}
		}
	}
	return b.String()
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// shapes are records files, by what is special about them.
var shapes = map[string]string{
	"empty":               "",
	"one newline":         "\n",
	"blank lines":         "\n\n\n\n",
	"no newline":          "{}",
	"one line":            "{}\n",
	"torn tail":           "{\"n\":0}\n{\"n\":1",
	"CRLF":                "{}\r\n{}\r\n",
	"byte order mark":     "\xef\xbb\xbf{}\n{}\n",
	"high bits":           strings.Repeat("\x8a\x8b\x0b\x09\xff\n", 50),
	"NUL":                 strings.Repeat("\x00", 5000) + "\n{}\n",
	"a piece exactly":     strings.Repeat("x", pieceSize-1) + "\n",
	"a piece and one":     strings.Repeat("x", pieceSize) + "\n",
	"newlines throughout": strings.Repeat("\n", 3*pieceSize+5),
	"short then long":     strings.Repeat("{}\n", pieceSize) + strings.Repeat(strings.Repeat("y", 999)+"\n", 99),
	"long then short":     strings.Repeat("z", 300_000) + "\n" + strings.Repeat("{}\n", pieceSize) + "{",
	"a block exactly":     strings.Repeat("x", blockSize-1) + "\n",
	"original":            original(),
}

func TestBuilder(t *testing.T) {
	for name, records := range shapes {
		t.Run(name, func(t *testing.T) {
			want := reference(records)
			for _, size := range []int{1, 7, 4096, pieceSize + 1, math.MaxInt} {
				require.True(t, bytes.Equal(want, built(t, records, size)), "in pieces of %d bytes", size)
			}
		})
	}
}

func TestBuilderGolden(t *testing.T) {
	want := "0000000000000000" + "0000000000000008" + "0000000000000009" + "0000000000000012"
	require.Equal(t, want, hex.EncodeToString(built(t, "{\"n\":0}\n\n{\"n\":22}\n{\"n\"", 100)))
	require.Equal(t, "0000000000000000", hex.EncodeToString(built(t, "", 1)))
}

// The digests were published with the original, for its files.
func TestBuilderOriginal(t *testing.T) {
	records := original()
	require.Equal(t, "e0180ea2a77ba76b89b711420c17599adacab116ebadf926c1f8955d4d99c942", digest([]byte(records)))
	require.Equal(t, "d5c02eb958f5787afa86eca512c3ff9ff5463a8edc157e1134e2f57c98e20a2f", digest(built(t, records, 1000)))
}

func TestBuilderFromPosition(t *testing.T) {
	for _, withFirst := range []bool{false, true} {
		const at = int64(1 << 40)
		var out bytes.Buffer
		b := NewBuilder(&out, at, withFirst)
		require.Equal(t, at, b.End())
		_, err := io.WriteString(b, "{}\n[]\nx")
		require.NoError(t, err)
		require.NoError(t, b.Flush())
		want := entries(at, at+3, at+6)
		if !withFirst {
			want = want[EntrySize:]
		}
		require.Equal(t, want, out.Bytes())
		require.EqualValues(t, 2, b.Records())
		require.Equal(t, at+6, b.End())
	}
}

// whole is a Writer that refuses parts of entries and counts the calls.
type whole struct {
	n     int64
	calls int
}

func (w *whole) Write(p []byte) (int, error) {
	if len(p) == 0 || len(p)%EntrySize != 0 {
		return 0, errors.New("not whole entries")
	}
	w.n += int64(len(p))
	w.calls++
	return len(p), nil
}

func TestBuilderWritesWholeEntriesInLargeBlocks(t *testing.T) {
	w := &whole{}
	b := NewBuilder(w, 0, true)
	const n = 1 << 20
	_, err := b.Write(bytes.Repeat([]byte("{}\n"), n))
	require.NoError(t, err)
	require.NoError(t, b.Flush())
	require.NoError(t, b.Flush()) // nothing left: no call
	require.EqualValues(t, (n+1)*EntrySize, w.n)
	require.LessOrEqual(t, w.calls, n*EntrySize/(bufferSize/2)+1)
	require.LessOrEqual(t, cap(b.buf), 2*bufferSize)
}

// full is a Writer that takes n bytes.
type full struct{ n int }

var errFull = errors.New("no space")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return f.n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

func TestBuilderErrorsStick(t *testing.T) {
	b := NewBuilder(&full{bufferSize}, 0, true)
	n, err := b.Write(make([]byte, 10))
	require.NoError(t, err)
	require.Equal(t, 10, n)
	lines := bytes.Repeat([]byte("\n"), bufferSize)
	n, err = b.Write(lines)
	require.ErrorIs(t, err, errFull)
	require.Less(t, n, len(lines))
	_, err = b.Write([]byte("x"))
	require.ErrorIs(t, err, errFull)
	require.ErrorIs(t, b.Flush(), errFull)
}

// lossy is a Writer that breaks the contract of io.Writer.
type lossy struct{}

func (lossy) Write(p []byte) (int, error) { return len(p) - 1, nil }

func TestBuilderRefuses(t *testing.T) {
	b := NewBuilder(lossy{}, 0, true)
	require.ErrorIs(t, b.Flush(), io.ErrShortWrite)

	b = NewBuilder(io.Discard, -1, false)
	_, err := b.Write([]byte("\n"))
	require.ErrorContains(t, err, "negative")
	require.ErrorContains(t, b.Flush(), "negative")

	b = NewBuilder(io.Discard, math.MaxInt64-2, false)
	_, err = b.Write([]byte("x\n"))
	require.NoError(t, err)
	_, err = b.Write([]byte("\n"))
	require.ErrorContains(t, err, "2^63")
}

// Both ways to find newlines give the same entries, wherever the newlines are.
func TestNewlinesAnywhere(t *testing.T) {
	for size := range 70 {
		for i := range size {
			for k := range size {
				p := bytes.Repeat([]byte{0x0b}, size)
				p[i], p[k] = '\n', '\n'
				want := appendLong(nil, 1000, p)
				require.Equal(t, want, appendShort(nil, 1000, p))
			}
		}
	}
}

// No byte but the newline is taken for one, whatever stands beside it.
func TestNewlinesOnly(t *testing.T) {
	for c := range 256 {
		for _, neighbour := range []byte{0, 0x0a, 0x0b, 0x7f, 0x80, 0x8a, 0xff} {
			p := bytes.Repeat([]byte{neighbour, byte(c)}, 16)
			require.Equal(t, appendLong(nil, 0, p), appendShort(nil, 0, p), "%d beside %d", c, neighbour)
		}
	}
}
