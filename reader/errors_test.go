package reader

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
)

func requireRange(t testing.TB, err error, offset, start, next uint64) {
	t.Helper()
	e, ok := errors.AsType[*segment.RangeError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, fmt.Sprint(offset, start, next), fmt.Sprint(e.Offset, e.Start, e.Next))
}

func requireCorrupt(t testing.TB, err, target error, offset uint64) *segment.CorruptError {
	t.Helper()
	e, ok := errors.AsType[*segment.CorruptError](err)
	require.True(t, ok, "%v", err)
	require.ErrorIs(t, err, target)
	require.Equal(t, offset, e.Offset, "%v", err)
	return e
}
