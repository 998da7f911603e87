package rare_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/rare"
)

func TestIndex(t *testing.T) {
	data := []byte(`{"q":"aqua","key":"quay"}`)
	for _, text := range []string{`"q":`, `qua`, `"key":`, `}`, `{`, `quayside`, `nowhere`} {
		for at := range len(text) {
			for i := range len(data) + 1 {
				want := len(data)
				if n := bytes.Index(data[i:], []byte(text)); n >= 0 {
					want = i + n
				}
				require.Equal(t, want, rare.Index(data, text, at, i), "%q by byte %d from %d on", text, at, i)
			}
		}
	}
}

func TestRank(t *testing.T) {
	require.Less(t, rare.Rank('"'), rare.Rank('e'))
	require.Less(t, rare.Rank('e'), rare.Rank('z'))
	require.Less(t, rare.Rank('z'), rare.Rank(0xff))
}

func TestTally(t *testing.T) {
	var tally rare.Tally
	tally.Add(0, 16<<10)
	require.False(t, tally.Most(), "too few to tell")
	tally.Add(16<<10, 1)
	require.True(t, tally.Most())
	tally.Add(1, 0)
	require.False(t, tally.Most())
}
