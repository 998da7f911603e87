package group

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// pulled returns the next message of a loop.
func pulled(t *testing.T, next func() (*Message, error, bool)) *Message {
	t.Helper()
	msg, err, ok := next()
	require.True(t, ok)
	require.NoError(t, err)
	return msg
}

// A partition is given up in this order: what is in flight is waited for, what
// is finished is committed, and only then the claim is free.
func TestGiveUpInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 10)
		g := open(t, mem, "log", Options{CommitEvery: -1, DrainTimeout: time.Minute})
		unlocked := 0
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.Kind == vfs.OpClose && op.Path == g.claimDir(0) {
				unlocked++
				require.Equal(t, uint64(2), place(t, g), "committed before it is unlocked")
				require.False(t, entry(t, g).Held, "nobody died")
			}
			return nil
		})
		m := join(t, open(t, fault, "log", Options{CommitEvery: -1, DrainTimeout: time.Minute}))
		next, stop := iter.Pull2(m.Messages(t.Context()))
		defer stop()
		pulled(t, next).Ack()
		msg := pulled(t, next)
		msg.Keep()
		closed := make(chan error, 1)
		go func() { closed <- m.Close() }()
		time.Sleep(30 * time.Second)
		require.Zero(t, unlocked, "a record is in flight")
		_, _, err := taken(t, g)
		require.ErrorIs(t, err, errBusy)
		msg.Ack()
		require.NoError(t, <-closed)
		require.Equal(t, 1, unlocked)
		require.Equal(t, uint64(2), place(t, g))
	})
}

// What is not finished in time is left to the next holder, without an attempt
// counted: nobody died. A late answer does nothing.
func TestDrainIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 10)
		g := open(t, mem, "log", Options{DrainTimeout: 2 * time.Second})
		m := join(t, g)
		next, stop := iter.Pull2(m.Messages(t.Context()))
		defer stop()
		pulled(t, next).Ack()
		msg := pulled(t, next)
		msg.Keep()
		began := time.Now()
		require.NoError(t, m.Close())
		require.Equal(t, 2*time.Second, time.Since(began))
		msg.Ack()
		require.Equal(t, offsets.Entry{Next: 1, Check: offsets.Check([]byte(`{"n":0}`)), Gen: 1}, entry(t, g))
	})
}

// Before the first record is out, the file says that one may be in flight; with
// a pause, again before the next.
func TestHeldBeforeDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 2)
		g := open(t, mem, "log", Options{})
		m := join(t, g)
		next, stop := iter.Pull2(m.Messages(t.Context()))
		defer stop()
		for range 2 {
			require.False(t, entry(t, g).Held)
			msg := pulled(t, next)
			require.True(t, entry(t, g).Held)
			msg.Ack()
			time.Sleep(2 * time.Second)
		}
		require.Equal(t, uint64(2), place(t, g), "committed by itself, every second")
		require.NoError(t, m.Close())
	})
}

// An idle group is not written to, and a busy one once a second, all of its
// partitions at once.
func TestCommitsOncePerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		newTopic(t, mem, 4, 100)
		var renames atomic.Int64
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if op.Kind == vfs.OpRename && strings.HasSuffix(op.To, "offsets.json") {
				renames.Add(1)
			}
			return nil
		})
		g := open(t, fault, "orders", Options{})
		m := join(t, g)
		got := 0
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			msg.Ack()
			got++
		}
		require.Equal(t, 400, got)
		before := renames.Load()
		time.Sleep(1500 * time.Millisecond)
		require.Equal(t, before+1, renames.Load(), "four partitions, one replacement")
		time.Sleep(time.Minute)
		require.Equal(t, before+1, renames.Load())
		require.NoError(t, m.Close())
		require.Equal(t, before+1, renames.Load())
		lags, err := g.Lag(t.Context())
		require.NoError(t, err)
		for _, l := range lags {
			require.Zero(t, l.Lag)
		}
	})
}

// A disk that is full for a while stops commits, not the member: it says so
// once and commits later.
func TestFullDiskForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 10)
		full := errors.New("no space left on device")
		var broken atomic.Bool
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if broken.Load() && op.Kind == vfs.OpWrite && strings.Contains(op.Path, "offsets.json") {
				return full
			}
			return nil
		})
		g := open(t, fault, "log", Options{})
		m := join(t, g)
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			msg.Ack()
			broken.Store(true)
		}
		time.Sleep(10 * time.Second)
		require.Zero(t, place(t, g), "the old version stays")
		err := m.nextReport()
		var save *SaveError
		require.ErrorAs(t, err, &save)
		require.ErrorIs(t, err, full)
		require.NoError(t, m.nextReport(), "once")
		require.ErrorIs(t, m.CommitSync(), full)
		broken.Store(false)
		time.Sleep(2 * time.Second)
		require.Equal(t, uint64(10), place(t, g))
		require.NoError(t, m.Close())
	})
}

// CG-03: a line that is still without its newline is not consumed, also where
// an index was made over it, and whole when it is finished.
func TestUnfinishedLine(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", []byte("{\"n\":0}\n{\"n\":1"), 0o600))
	consume := func() (out []string) {
		m := join(t, open(t, mem, "f.jsonl", Options{}))
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			out = append(out, string(msg.Data))
			msg.Ack()
		}
		require.NoError(t, m.Close())
		return out
	}
	require.Equal(t, []string{`{"n":0}`}, consume())
	require.NoError(t, vfs.ReplaceFile(mem, "f.jsonl", []byte("{\"n\":0}\n{\"n\":1,\"rest\":true}\n{\"n\":2}\n"), 0o600))
	require.Equal(t, []string{`{"n":1,"rest":true}`, `{"n":2}`}, consume())
	require.Empty(t, consume())
}

// RE-03: all that was consumed is dropped, numbering goes on, and so does the
// group, with exactly the next record.
func TestNextRecordAfterAllWereTrimmed(t *testing.T) {
	mem := vfs.NewMem()
	g := open(t, mem, mustAppend(t, mem, 10), Options{})
	consume := func() (out []uint64) {
		m := join(t, g)
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			out = append(out, msg.Offset)
			msg.Ack()
		}
		require.NoError(t, m.Close())
		return out
	}
	require.Len(t, consume(), 10)
	p, err := partition.Open("log", &partition.Options{FS: mem})
	require.NoError(t, err)
	require.NoError(t, p.Roll())
	require.NoError(t, p.Trim(10))
	require.NoError(t, p.Close())
	mustAppend(t, mem, 1)
	require.Equal(t, []uint64{10}, consume())
}

func mustAppend(t *testing.T, fsys vfs.FS, n int) string {
	t.Helper()
	fill(t, fsys, "log", n)
	return "log"
}

// CG-05: two consumers of one group at once: every record goes to one of them.
func TestTwoConsumersOneLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 2000)
		g := open(t, mem, "log", Options{})
		var got [2][]uint64
		var both sync.WaitGroup
		for i, m := range []*Member{join(t, g), join(t, g)} {
			both.Go(func() {
				for msg, err := range m.MessagesToEnd(t.Context()) {
					if err != nil {
						t.Error(err)
						return
					}
					got[i] = append(got[i], msg.Offset)
					msg.Ack()
				}
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		all := slices.Concat(got[0], got[1])
		require.Len(t, all, 2000)
		slices.Sort(all)
		require.Len(t, slices.Compact(all), 2000, "none of them twice")
		require.Equal(t, uint64(2000), place(t, g))
	})
}
