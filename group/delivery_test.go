package group

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// take reads n messages without answering them.
func take(t *testing.T, m *Member, n int) (out []*Message) {
	t.Helper()
	if n == 0 {
		return nil
	}
	for msg, err := range m.Messages(t.Context()) {
		require.NoError(t, err)
		if out = append(out, msg); len(out) == n {
			return out
		}
	}
	return out
}

func offsetsOf(msgs []*Message) (out []uint64) {
	for _, m := range msgs {
		out = append(out, m.Offset)
	}
	return out
}

// bubble runs a test in a bubble of fake time, on a log of n records.
func bubble(t *testing.T, n int, opts Options, test func(t *testing.T, mem *vfs.Mem, g *Group)) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", n)
		test(t, mem, open(t, mem, "log", opts))
	})
}

func TestMessagesAckedAreCommitted(t *testing.T) {
	bubble(t, 10, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		n := 0
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf(`{"n":%d}`, n), string(msg.Data))
			require.Equal(t, 1, msg.Attempts)
			require.Equal(t, fmt.Sprintf("0@%d", n), msg.String())
			require.True(t, entry(t, g).Held, "it is marked before the first record is given out")
			msg.Ack()
			n++
		}
		require.Equal(t, 10, n)
		require.NoError(t, m.CommitSync())
		require.Equal(t, uint64(10), entry(t, g).Next)
		require.False(t, entry(t, g).Held)
		require.NoError(t, m.Close())
	})
}

func TestUnansweredHoldsTheCommitBack(t *testing.T) {
	bubble(t, 10, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		msgs := take(t, m, 5)
		require.Equal(t, []uint64{0, 1, 2, 3, 4}, offsetsOf(msgs))
		for i, msg := range msgs { // they are collected, and their data is still theirs
			require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), string(msg.Data))
		}
		msgs[4].Ack()
		msgs[0].Ack()
		msgs[0].Ack() // once is enough
		require.NoError(t, m.CommitSync())
		require.Equal(t, uint64(1), entry(t, g).Next)
		msgs[2].Ack()
		msgs[1].Ack()
		msgs[3].Ack()
		require.NoError(t, m.CommitSync())
		require.Equal(t, uint64(5), entry(t, g).Next)
		require.NoError(t, m.Close())
		m = join(t, g)
		require.Equal(t, []uint64{5}, offsetsOf(take(t, m, 1)))
		require.NoError(t, m.Close())
	})
}

// Records that are acked one after the other do not take the commit past one
// that somebody keeps.
func TestKeptHoldsTheCommitBack(t *testing.T) {
	bubble(t, 10, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		var keeps *Message
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			switch msg.Offset {
			case 2:
				msg.Keep()
				keeps = msg
				continue
			case 8:
				require.NoError(t, m.CommitSync())
				require.Equal(t, uint64(2), entry(t, g).Next)
				require.True(t, entry(t, g).Held)
				keeps.Ack()
				require.NoError(t, m.CommitSync())
				require.Equal(t, uint64(8), entry(t, g).Next)
			}
			msg.Ack()
		}
		require.Equal(t, `{"n":2}`, string(keeps.Data))
		require.NoError(t, m.Close())
		require.Equal(t, uint64(10), entry(t, g).Next)
	})
}

func TestAutoAckTakesTheNextForAnAnswer(t *testing.T) {
	bubble(t, 5, Options{AutoAck: true}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		take(t, m, 3) // the loop is left with the third
		require.NoError(t, m.Close())
		require.Equal(t, uint64(2), entry(t, g).Next)
	})
}

func TestNackComesAgainBehindOthersAndThenDies(t *testing.T) {
	bubble(t, 3, Options{MaxAttempts: 3, RetryDelay: time.Second}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m, begun := join(t, g), time.Now()
		var got []string
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			got = append(got, fmt.Sprintf("%d/%d", msg.Offset, msg.Attempts))
			if msg.Offset == 1 {
				require.Equal(t, `{"n":1}`, string(msg.Data))
				msg.Nack(errors.New("no"))
				continue
			}
			msg.Ack()
		}
		require.Equal(t, []string{"0/1", "1/1", "2/1", "1/2", "1/3"}, got)
		require.GreaterOrEqual(t, time.Since(begun), 1500*time.Millisecond) // a half of 1 s, and of 2 s
		require.LessOrEqual(t, time.Since(begun), 3*time.Second)
		require.NoError(t, m.Close())
		require.Equal(t, uint64(3), entry(t, g).Next)
		letters := lettersOf(t, mem, g)
		require.Len(t, letters, 1)
		l := letters[0]
		require.Equal(t, "g", l.Group)
		require.Equal(t, "0", l.Partition)
		require.Equal(t, uint64(1), l.Offset)
		require.Equal(t, 3, l.Attempts)
		require.Equal(t, "no", l.Error)
		require.JSONEq(t, `{"n":1}`, string(l.Record))
	})
}

func lettersOf(t *testing.T, fsys vfs.FS, g *Group) (out []Letter) {
	t.Helper()
	p, err := partition.OpenReader(g.DeadPath(0), &partition.Options{FS: fsys})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	for rec, err := range p.Records(0) {
		require.NoError(t, err)
		var l Letter
		require.NoError(t, rec.Decode(&l))
		out = append(out, l)
	}
	require.NoError(t, p.Close())
	return out
}

func TestMessagesWaitsForMoreAndEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		p, err := partition.Open("log", &partition.Options{FS: mem, Sync: partition.SyncOS})
		require.NoError(t, err)
		g, err := OpenOn(p, "g", &Options{FS: mem})
		require.NoError(t, err)
		m := join(t, g)
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		got := make(chan uint64)
		go func() {
			defer close(got)
			for msg, err := range m.Messages(ctx) {
				if err != nil {
					require.ErrorIs(t, err, why)
					return
				}
				msg.Ack()
				got <- msg.Offset
			}
		}()
		for i := range uint64(3) {
			time.Sleep(10 * time.Second) // of the bubble's clock
			begun := time.Now()
			_, err := p.Append([]byte(`1`))
			require.NoError(t, err)
			require.Equal(t, i, <-got)
			require.Zero(t, time.Since(begun), "it is woken, and does not look every while")
		}
		cancel(why)
		<-got
		require.NoError(t, m.Close())
		require.NoError(t, p.Close())
	})
}

func TestCloseEndsMessages(t *testing.T) {
	bubble(t, 1, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		ended := make(chan error, 1)
		go func() {
			for msg, err := range m.Messages(t.Context()) {
				if err != nil {
					ended <- err
					return
				}
				msg.Ack()
			}
		}()
		synctest.Wait()
		require.NoError(t, m.Close())
		require.ErrorIs(t, <-ended, fs.ErrClosed)
		require.Equal(t, uint64(1), entry(t, g).Next)
	})
}

func TestInFlightIsBounded(t *testing.T) {
	bubble(t, 10, Options{MaxInFlight: 3}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		msgs := take(t, m, 3)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, err := range m.Messages(ctx) {
			require.ErrorIs(t, err, context.DeadlineExceeded, "a fourth record is given out")
		}
		require.Equal(t, 3, m.InFlight()[0].Records)
		require.Equal(t, uint64(0), m.InFlight()[0].Done)
		time.AfterFunc(time.Second, msgs[1].Ack) // the puller is woken
		require.Equal(t, []uint64{3}, offsetsOf(take(t, m, 1)))
		require.NoError(t, m.Close())
	})
}

// TestMessagesToEndWaitsForAPartition: a member that has none, because another
// one has it, is not at the end.
func TestMessagesToEndWaitsForAPartition(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 3)
	first, second := join(t, open(t, mem, "log", Options{})), join(t, open(t, mem, "log", Options{}))
	got := make(chan []uint64)
	go func() {
		var offsets []uint64
		for msg, err := range second.MessagesToEnd(t.Context()) {
			if err != nil {
				break
			}
			offsets = append(offsets, msg.Offset)
			msg.Ack()
		}
		got <- offsets
	}()
	for msg, err := range first.MessagesToEnd(t.Context()) {
		require.NoError(t, err)
		msg.Ack()
		if msg.Offset == 1 {
			break
		}
	}
	require.NoError(t, first.Close())
	require.Equal(t, []uint64{2}, <-got)
	require.NoError(t, second.Close())
}

// TestBeforeCommit: what the consumer could not bring to its place is not
// committed, and nobody counts as dead for it.
func TestBeforeCommit(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 3)
	full := errors.New("full")
	var fails error
	opts := Options{CommitEvery: -1, BeforeCommit: func() error { return fails }}
	consume := func(m *Member) {
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			msg.Ack()
			if msg.Offset == 0 {
				break
			}
		}
	}
	m := join(t, open(t, mem, "log", opts))
	consume(m)
	require.NoError(t, m.CommitSync())
	require.Equal(t, uint64(1), entry(t, m.g).Next)
	consume(m)
	fails = full
	require.ErrorIs(t, m.CommitSync(), full)
	require.ErrorIs(t, m.Close(), full)
	require.Equal(t, offsets.Entry{Next: 1, Check: entry(t, m.g).Check, Gen: 1}, entry(t, m.g))

	fails = nil
	m = join(t, open(t, mem, "log", opts))
	consume(m)
	require.NoError(t, m.Close())
	require.Equal(t, uint64(3), entry(t, m.g).Next)
}
