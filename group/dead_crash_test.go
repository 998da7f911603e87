package group

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// A member was killed when it had made a directory of its dead letters and not
// synced it yet. The letter of the next one is there after a power loss.
func TestLetterInADirectoryOfAKilledMember(t *testing.T) {
	for made := range 4 {
		synctest.Test(t, func(t *testing.T) {
			mem := vfs.NewMem()
			fill(t, mem, "log", 3)
			g := open(t, mem, "log", Options{MaxAttempts: 1})
			require.NoError(t, mkdirs(mem, 0o700, parents(g.DeadPath(0), 3)[:made]...))
			m := join(t, g)
			for _, msg := range take(t, m, 1) {
				msg.Nack(errors.New("it is poison"))
			}
			require.NoError(t, m.CommitSync())
			require.Equal(t, uint64(1), place(t, g))
			after := open(t, mem.Crash(vfs.CrashConfig{Data: vfs.DataTorn, Names: vfs.NamesLost}), "log", Options{})
			require.Equal(t, uint64(1), place(t, after))
			next := join(t, after)
			require.Equal(t, []uint64{1}, offsetsOf(take(t, next, 1)), "the letters are recovered")
			n := 0
			for letter, err := range after.DeadLetters(t.Context()) {
				require.NoError(t, err)
				require.Zero(t, letter.Offset)
				n++
			}
			require.Equal(t, 1, n, "%d directories were there", made)
			require.NoError(t, next.Close())
			require.Error(t, m.Close(), "its file system is gone")
		})
	}
}
