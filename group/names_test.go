package group

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// TestGroupsNamedAsFilesAre: the names that a group's files have are names of
// groups like any other. All of them live at the same time and end one by one,
// and none touches what is another's.
func TestGroupsNamedAsFilesAre(t *testing.T) {
	mem := vfs.NewMem()
	newTopic(t, mem, 2, 3)
	fill(t, mem, "log", 6)
	names := []string{"0", "dead", "groups", "holder", "lock", "marks.json", "members", "offsets.json", "orders-0", "topic.json"}
	opts := &Options{FS: mem, CommitEvery: -1}
	for _, path := range []string{"orders", "log"} {
		members := map[string]*Member{}
		for _, name := range names {
			g, err := Open(path, name, opts)
			require.NoError(t, err)
			members[name] = join(t, g)
		}
		for name, m := range members {
			taken := 0
			for msg, err := range m.MessagesToEnd(t.Context()) {
				require.NoError(t, err)
				if taken++; msg.Offset == 1 {
					msg.Dead(errors.New(name))
				} else {
					msg.Ack()
				}
			}
			require.Equal(t, 6, taken, name)
			require.NoError(t, m.CommitSync())
		}
		for i, name := range names {
			require.NoError(t, members[name].Close())
			g, err := Open(path, name, opts)
			require.NoError(t, err)
			lags, err := g.Lag(t.Context())
			require.NoError(t, err)
			for _, l := range lags {
				require.Zero(t, l.Lag, name)
			}
			require.NoError(t, g.Unregister(t.Context()))
			left, err := List(path, opts)
			require.NoError(t, err)
			slices.Sort(left)
			require.True(t, slices.Equal(names[i+1:], left), "%v", left)
		}
	}
}
