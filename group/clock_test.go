package group

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// A member counts as one whatever its clock said when it joined, and the others
// leave it its share.
func TestMembersOfWrongClocks(t *testing.T) {
	mem := vfs.NewMem()
	newTopic(t, mem, 6, 0)
	g := open(t, mem, "orders", Options{})
	first := join(t, g)
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(-1e6, 0), time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		id := newID(at)
		odd := &membership{fs: mem, path: filepath.Join(g.membersDir(), id), info: MemberInfo{ID: id, PID: 1, Since: at}}
		require.NoError(t, odd.create(0o600))
		members, err := g.Members()
		require.NoError(t, err)
		require.Len(t, members, 2, "%v", at)
		require.NoError(t, first.balance(t.Context()))
		require.Len(t, first.Partitions(), 3, "%v", at)
		require.NoError(t, odd.leave())
		require.NoError(t, first.balance(t.Context()))
		require.Len(t, first.Partitions(), 6, "%v", at)
	}
	require.NoError(t, first.Close())
}
