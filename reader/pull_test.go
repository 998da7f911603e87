package reader

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPullEnds: a range ends where it was told to, or where the log did when it
// began, and for good when it is closed.
func TestPullEnds(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 3)...))
	log := d.open(t, "", Options{})
	for want, p := range map[int]*Pull{0: log.Pull(2, 2), 2: log.Pull(1, 9), 1: log.Pull(1, 2), 3: log.PullBackward(9)} {
		require.Len(t, pulled(t, p), want)
		_, err := p.Next()
		require.ErrorIs(t, err, ErrClosed)
		p.Close()
	}
	p := log.Pull(0, UnknownOffset)
	_, err := p.Next()
	require.NoError(t, err)
	d.pair(t, 0, text(numbered(0, 5)...))
	require.Len(t, pulled(t, p), 2)
}

// TestPullSkips: what cannot be read is passed over as in a loop over a range,
// where Options.Skip says so, and is the error that ends it where it does not.
func TestPullSkips(t *testing.T) {
	refused := errors.New("no more")
	for _, back := range []bool{false, true} {
		var told []uint64
		d := osDisk(t)
		recs := text(numbered(0, 3)...)
		d.pair(t, 0, recs)
		recs[len(recs)/2] = '\n' // record 1 becomes two lines
		d.write(t, recordsName, recs)

		log := d.open(t, "", Options{Skip: func(d Damage) error { told = append(told, d.Offset, d.Records); return nil }})
		require.Len(t, pulled(t, pullAll(log, back)), 2)
		require.Equal(t, []uint64{1, 1}, told)

		log = d.open(t, "", Options{Skip: func(Damage) error { return refused }})
		p := pullAll(log, back)
		_, err := p.Next()
		require.NoError(t, err)
		for range 2 {
			_, err = p.Next()
			require.Equal(t, refused, err)
		}
		p.Close()
	}
}

func pullAll(log *Log, back bool) *Pull {
	if back {
		return log.PullBackward(UnknownOffset)
	}
	return log.Pull(0, UnknownOffset)
}
