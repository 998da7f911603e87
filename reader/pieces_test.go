package reader

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
)

// drop does what a trim does to segments of a hundred records.
func drop(t *testing.T, d disk, start, last uint64, bases ...uint64) {
	t.Helper()
	d.write(t, segment.MetaName, meta(start, last))
	for _, base := range bases {
		pair := segment.PairAt(d.dir, base)
		require.NoError(t, d.fs.Remove(pair.Records))
		require.NoError(t, d.fs.Remove(pair.Index))
	}
}

// TestPiecesDropped: what retention drops before its piece is read is missing in
// the middle of what was asked for, and not left out in silence.
func TestPiecesDropped(t *testing.T) {
	for _, start := range []uint64{300, 500} {
		d := osDisk(t)
		hundreds(t, d, 0, 100, 200, 300, 400, 500)
		d.write(t, segment.MetaName, meta(0, 500))
		log := d.open(t, "", Options{})
		var pieces []Piece
		for piece := range log.Pieces(t.Context(), 50, 600) {
			pieces = append(pieces, piece)
		}
		require.Greater(t, len(pieces), 5, "a piece lies in one segment, so that its size is known")
		require.NotEmpty(t, linesOf(t, pieces[0]))
		drop(t, d, start, 500, 0, 100, 200)
		if start == 500 {
			drop(t, d, start, 500, 300, 400)
		}
		var failed, read int
		for _, piece := range pieces[1:] {
			for lines, err := range piece {
				if out, ok := errors.AsType[*segment.RangeError](err); ok {
					require.Equal(t, start, out.Start)
					require.Equal(t, uint64(600), out.Next)
					require.Less(t, out.Offset, start)
					failed++
					continue
				}
				require.NoError(t, err)
				require.GreaterOrEqual(t, lines.First, start)
				read += lines.Count
			}
		}
		require.Positive(t, failed)
		require.Equal(t, int(600-start), read)
	}
}

// TestPiecesAway: an error about a segment that is away comes behind what is
// there.
func TestPiecesAway(t *testing.T) {
	d := osDisk(t)
	hundreds(t, d, 0, 100, 200)
	d.write(t, segment.MetaName, meta(0, 200))
	pair := segment.PairAt(d.dir, 100)
	require.NoError(t, d.fs.Remove(pair.Records))
	log := d.open(t, "", Options{})
	read := 0
	var failed []error
	for piece := range log.Pieces(t.Context(), 0, UnknownOffset) {
		for lines, err := range piece {
			if err != nil {
				failed = append(failed, err)
			}
			read += lines.Count
		}
	}
	require.NotEmpty(t, failed)
	requireAway(t, failed[0], 100)
	require.GreaterOrEqual(t, read, 100)
}

// TestPiecesSmall: pieces are bounded in bytes, whatever the records.
func TestPiecesSmall(t *testing.T) {
	d := osDisk(t)
	var records []string
	for range 30 {
		records = append(records, `"`+strings.Repeat("x", 300<<10)+`"`)
	}
	d.pair(t, 0, text(records...))
	log := d.open(t, "", Options{})
	pieces := 0
	for piece := range log.Pieces(t.Context(), 0, UnknownOffset) {
		pieces++
		size := 0
		for lines, err := range piece {
			require.NoError(t, err)
			size += len(lines.Data)
		}
		require.LessOrEqual(t, size, pieceBytes+1)
	}
	require.Greater(t, pieces, 3)
}

// TestPiecesOpens: cutting a log of many small segments opens each of them once,
// and not those that lie behind, to find out that they do.
func TestPiecesOpens(t *testing.T) {
	const segments = 5 * maxOpen
	d := osDisk(t)
	for i := range segments {
		d.pair(t, uint64(2*i), text(numbered(2*i, 2)...))
	}
	log := d.open(t, "", Options{})
	read := 0
	for piece := range log.Pieces(t.Context(), 0, UnknownOffset) {
		for lines, err := range piece {
			require.NoError(t, err)
			read += lines.Count
		}
	}
	require.Equal(t, 2*segments, read)
	require.LessOrEqual(t, log.Stats().Opens, uint64(segments+1), "the last one is open twice: at the beginning and the end")
}
