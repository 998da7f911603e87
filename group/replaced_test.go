package group

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

// A bare file is replaced, as editors save it, while a member waits at its end:
// the member goes on in the new one, where that begins with what was consumed.
func TestSavedByAnEditorWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("f", 5), 0o600))
		g := open(t, mem, "f.jsonl", Options{})
		m := join(t, g)
		for _, msg := range take(t, m, 5) {
			msg.Ack()
		}
		got := make(chan uint64)
		go func() {
			defer close(got)
			for msg, err := range m.Messages(t.Context()) {
				if err == nil {
					msg.Ack()
					got <- msg.Offset
				}
				if err != nil || msg.Offset == 7 {
					return
				}
			}
		}()
		for n := 6; n <= 8; n++ {
			time.Sleep(rebalanceWithin) // it waits, and has committed
			require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("f", n), 0o600))
			require.EqualValues(t, n-1, <-got)
		}
		require.NoError(t, m.Close())
		e := entry(t, g)
		require.EqualValues(t, 8, e.Next)
		require.Zero(t, e.Attempts, "nobody died")
		require.False(t, e.Held)
	})
}

// Where the new file is another log, the group can be reset while its members
// live, and they go on.
func TestRotatedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("old", 5), 0o600))
		g := open(t, mem, "f.jsonl", Options{})
		m := join(t, g)
		for _, msg := range take(t, m, 5) {
			msg.Ack()
		}
		require.NoError(t, m.CommitSync())
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("new", 20), 0o600))
		for _, err := range m.Messages(t.Context()) {
			require.ErrorIs(t, err, ErrLogTruncated)
			break
		}
		require.EqualValues(t, 5, entry(t, g).Next)
		_, err := g.Reset(t.Context(), ToStart())
		require.NoError(t, err)
		time.Sleep(failedFor + rebalanceWithin)
		require.Equal(t, string(lines("new", 1)), string(take(t, m, 1)[0].Data)+"\n")
		require.NoError(t, m.Close())
	})
}

// A file that is replaced ends the claim, and what waits for its next attempt:
// nobody died of it.
func TestReplacedIsNoDeath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("f", 1), 0o600))
		g := open(t, mem, "f.jsonl", Options{CommitEvery: -1, RetryDelay: time.Hour, RetryMax: time.Hour})
		m := join(t, g)
		take(t, m, 1)[0].Nack(nil)
		require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", lines("f", 2), 0o600))
		time.Sleep(rebalanceWithin)
		msg := take(t, m, 1)[0]
		require.Equal(t, []any{uint64(0), 1}, []any{msg.Offset, msg.Attempts})
		require.NoError(t, m.Close())
	})
}
