package partition

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRetentionWithoutRolls: limits that can drop nothing are told.
func TestRetentionWithoutRolls(t *testing.T) {
	var told strings.Builder
	opts := &Options{Retention: Retention{MaxRecords: 5}, Logger: slog.New(slog.NewTextHandler(&told, nil))}
	path := filepath.Join(t.TempDir(), "p")
	require.NoError(t, mustOpen(t, path, opts).Close())
	require.Contains(t, told.String(), "set SegmentBytes")
	told.Reset()
	opts.SegmentRecords = 5
	require.NoError(t, mustOpen(t, path, opts).Close())
	require.Empty(t, told.String())
}
