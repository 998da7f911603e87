package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/reader"
)

// TestSkipperBelow: what lies below the first record that is asked for is not
// told, of a run that reaches below it neither.
func TestSkipperBelow(t *testing.T) {
	var stderr bytes.Buffer
	s := &skipper{app: newApp(nil, &bytes.Buffer{}, &stderr), name: "log", from: 10}
	for offset := uint64(30); offset > 20; offset -= 2 {
		require.NoError(t, s.damage(reader.Damage{Offset: offset, Records: 1, Position: 5, End: 8}))
	}
	require.NoError(t, s.damage(reader.Damage{Offset: 8, Records: 3, Position: 2, End: 5}))
	require.NoError(t, s.damage(reader.Damage{Offset: 7, Records: 1, Position: 1, End: 2}))
	s.tell()
	require.Equal(t, "jlq: log: skipped 6 records (offsets 22, 24, 26, 28, 30, and 1 more, 15 bytes) that are damaged\n", stderr.String())
}
