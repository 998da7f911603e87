package reader

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
)

// TestLeftover: the empty files of a roll that was put off, and that could not
// be removed, hide nothing of the segment that went on beyond them: neither
// from who comes later nor from who saw them as the end of the log.
func TestLeftover(t *testing.T) {
	for _, known := range []bool{true, false} {
		disks(t, func(t *testing.T, d disk) {
			d.pair(t, 0, text(numbered(0, 100)...))
			d.pair(t, 100, nil)
			if known {
				d.write(t, segment.MetaName, meta(0, 0))
			}
			log := d.open(t, "", Options{})
			n, err := upTo(t, log, 0)
			require.NoError(t, err)
			require.Equal(t, 100, n)
			f := follow(t, d, "", 0)
			f.wants(0, numbered(0, 100)...)

			d.append(t, segment.PairAt("", 0).Records, text(numbered(100, 50)...))
			d.write(t, segment.PairAt("", 0).Index, entries(text(numbered(0, 150)...)))
			f.wants(100, numbered(100, 50)...)
			for _, log := range []*Log{log, d.open(t, "", Options{})} {
				_, next, err := log.Bounds(t.Context())
				require.NoError(t, err)
				require.Equal(t, uint64(150), next)
				n, err := upTo(t, log, 90)
				require.NoError(t, err)
				require.Equal(t, 60, n)
				data, err := log.Get(120)
				require.NoError(t, err)
				require.Equal(t, numbered(120, 1)[0], string(data))
				require.Len(t, collect(t, log.Backward(UnknownOffset)), 150)
			}
		})
	}
}

// TestRollBrokenOff: the empty segment that a roll made where the one before it
// ends is part of the log, whether partition.json tells of it or not.
func TestRollBrokenOff(t *testing.T) {
	for _, base := range []uint64{0, 100} {
		disks(t, func(t *testing.T, d disk) {
			hundreds(t, d, 0)
			d.pair(t, 100, nil)
			d.write(t, segment.MetaName, meta(0, base))
			log := d.open(t, "", Options{})
			_, next, err := log.Bounds(t.Context())
			require.NoError(t, err)
			require.Equal(t, uint64(100), next)
			d.append(t, segment.PairAt("", 100).Records, text(numbered(100, 1)...))
			d.write(t, segment.PairAt("", 100).Index, entries(text(numbered(100, 1)...)))
			n, err := upTo(t, log, 0)
			require.NoError(t, err)
			require.Equal(t, 101, n)
		})
	}
}

// TestForeignWithin: a file of another program that has the name of a segment
// within the active one, or a pair of them, is no part of the log.
func TestForeignWithin(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		d.pair(t, 0, text(numbered(0, 150)...))
		d.pair(t, 100, text(numbered(900, 61)...))
		d.write(t, segment.MetaName, meta(0, 0))
		log := d.open(t, "", Options{})
		_, next, err := log.Bounds(t.Context())
		require.NoError(t, err)
		require.Equal(t, uint64(150), next)
		data, err := log.Get(120)
		require.NoError(t, err)
		require.Equal(t, numbered(120, 1)[0], string(data))
		n, err := upTo(t, log, 90)
		require.NoError(t, err)
		require.Equal(t, 60, n)
	})
}
