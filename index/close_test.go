package index

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// An index that was written to and does not close may have lost entries.
func TestExtendCloseFails(t *testing.T) {
	l := newLog(t, strings.Repeat("{}\n", 10))
	l.write(l.idx, entries(0, 3))
	written := false
	_, err := l.build(failOn(func(op vfs.Op) error {
		written = written || isWrite(op) && op.Path == l.idx
		if op.Kind == vfs.OpClose && op.Path == l.idx && written {
			return syscall.EIO
		}
		return nil
	}))
	require.True(t, written)
	require.ErrorIs(t, err, syscall.EIO)
}
