package partition_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireSparse: the file takes a small part of its size on the disk.
func requireSparse(t *testing.T, name string) {
	t.Helper()
	var st syscall.Stat_t
	require.NoError(t, syscall.Stat(name, &st))
	require.Less(t, st.Blocks*512, st.Size/10)
}
