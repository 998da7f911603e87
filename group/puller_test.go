package group

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
)

func pull(t *testing.T, m *Member) *Puller {
	t.Helper()
	p, err := m.Puller()
	require.NoError(t, err)
	return p
}

func waits(t *testing.T, m *Member) uint64 {
	t.Helper()
	n, err := m.Waiting(t.Context())
	require.NoError(t, err)
	return n
}

func TestPullerTakesOneAtATime(t *testing.T) {
	bubble(t, 3, Options{MaxAttempts: 2, RetryDelay: time.Second}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		p := pull(t, m)
		require.Equal(t, uint64(3), waits(t, m))
		first, err := p.TryNext()
		require.NoError(t, err)
		second, err := p.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, []uint64{0, 1}, offsetsOf([]*Message{first, second}))
		require.Equal(t, uint64(1), waits(t, m))
		first.Nack(errors.New("again"))
		require.Equal(t, uint64(2), waits(t, m), "the one that failed comes again")
		second.Ack()
		third, err := p.TryNext()
		require.NoError(t, err)
		third.Ack()
		_, err = p.TryNext()
		require.ErrorIs(t, err, ErrNone, "the failed one is not due")
		again, err := p.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, []uint64{0}, offsetsOf([]*Message{again}))
		require.Equal(t, `{"n":0}`, string(again.Data))
		again.Ack()
		require.Zero(t, waits(t, m))
		p.Close()
		require.NoError(t, m.Close())
		require.Equal(t, uint64(3), entry(t, g).Next)
	})
}

func TestPullerStopsWaitingWithItsContextAndGoesOn(t *testing.T) {
	bubble(t, 0, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		p := pull(t, m)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := p.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		fill(t, mem, "log", 1)
		msg, err := p.Next(t.Context())
		require.NoError(t, err)
		require.Zero(t, msg.Offset)
		p.Close()
		require.NoError(t, m.Close())
	})
}

func TestPullerEndsWithItsMember(t *testing.T) {
	bubble(t, 0, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		p := pull(t, m)
		ended := make(chan error)
		go func() {
			_, err := p.Next(context.Background())
			ended <- err
		}()
		synctest.Wait()
		require.NoError(t, m.Close())
		require.ErrorIs(t, <-ended, fs.ErrClosed)
		_, err := p.TryNext()
		require.ErrorIs(t, err, fs.ErrClosed)
		p.Close()
	})
}

// Messages of a member go to one at a time, whichever way they are taken.
func TestPullerIsTheOneLoop(t *testing.T) {
	bubble(t, 1, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		p := pull(t, m)
		_, err := m.Puller()
		require.ErrorIs(t, err, errRanging)
		for _, err := range m.Messages(t.Context()) {
			require.ErrorIs(t, err, errRanging)
		}
		p.Close()
		require.Equal(t, []uint64{0}, offsetsOf(take(t, m, 1)))
		require.NoError(t, m.Close())
	})
}

// Who only produces makes the group known, so that nothing is dropped before
// anybody consumes.
func TestRegisterMakesTheGroupKnown(t *testing.T) {
	bubble(t, 3, Options{Start: ToEnd()}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		require.NoError(t, g.Register(t.Context()))
		require.Equal(t, uint64(3), entry(t, g).Next)
		fill(t, mem, "log", 2)
		require.NoError(t, g.Register(t.Context()))
		require.Equal(t, uint64(3), entry(t, g).Next, "it is known already")
		m := join(t, g)
		require.Equal(t, uint64(2), waits(t, m))
		require.NoError(t, m.Close())
	})
}
