package bench

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

// BenchmarkFollowHere measures the way of a record from just before it is appended
// until a follower in the same process holds it. The floor is a channel
// between the two.
func BenchmarkFollowHere(b *testing.B) {
	b.Run("channel", func(b *testing.B) { runFollow(b, followChannel) })
	b.Run("jlq-os", func(b *testing.B) { runFollow(b, followJLQ(partition.SyncOS)) })
	b.Run("jlq-buffered", func(b *testing.B) { runFollow(b, followJLQ(partition.SyncBuffered)) })
	b.Run("jlq-always", func(b *testing.B) { runFollow(b, followJLQ(partition.SyncAlways)) })
}

// follow opens what a follower waits at: send appends, and each gets every
// record as it comes. end waits for the follower.
type follow func(dir string, each func([]byte)) (send func([]byte) error, end func() error, err error)

func runFollow(b *testing.B, open follow) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		var a arrivals
		came := make(chan error, followed)
		send, end, err := open(dir, func(record []byte) { came <- a.note(string(record)) })
		require.NoError(b, err)
		m.Measure(followed, func() {
			for range followed {
				time.Sleep(followedAt)
				require.NoError(b, send(stamped()))
				require.NoError(b, <-came)
			}
		})
		require.NoError(b, end())
		m.Latency(a.took)
		remove()
	}
	m.Report(b)
}

func followChannel(_ string, each func([]byte)) (func([]byte) error, func() error, error) {
	records := make(chan []byte)
	var all sync.WaitGroup
	all.Go(func() {
		for record := range records {
			each(record)
		}
	})
	send := func(record []byte) error {
		records <- record
		return nil
	}
	return send, func() error {
		close(records)
		all.Wait()
		return nil
	}, nil
}

func followJLQ(mode partition.SyncMode) follow {
	return func(dir string, each func([]byte)) (func([]byte) error, func() error, error) {
		p, err := partition.Open(dir, &partition.Options{Sync: mode})
		if err != nil {
			return nil, nil, err
		}
		f := followAll(p, 1, each)
		send := func(record []byte) error {
			_, err := p.Append(record)
			return err
		}
		return send, func() error { return errors.Join(f.end(), p.Close()) }, nil
	}
}

// herd is goroutines that follow one log.
type herd struct {
	stop context.CancelCauseFunc
	all  sync.WaitGroup
	errs chan error
}

var errHerdEnd = errors.New("the followers are no longer needed")

func followAll(p *partition.Partition, n int, each func([]byte)) *herd {
	ctx, stop := context.WithCancelCause(context.Background())
	h := &herd{stop: stop, errs: make(chan error, n)}
	for range n {
		h.all.Go(func() {
			for record, err := range p.Follow(ctx, 0) {
				if err != nil {
					h.errs <- err
					return
				}
				each(record.Data)
			}
		})
	}
	return h
}

// end stops the followers and returns what ended one of them before.
func (h *herd) end() error {
	h.stop(errHerdEnd)
	h.all.Wait()
	close(h.errs)
	for err := range h.errs {
		if !errors.Is(err, errHerdEnd) {
			return err
		}
	}
	return nil
}

// BenchmarkAppendFollowed appends records one by one while so many goroutines
// follow the log.
func BenchmarkAppendFollowed(b *testing.B) {
	set := JSON(20_000)
	b.Run("none", func(b *testing.B) { runFollowed(b, set, 0) })
	b.Run("one", func(b *testing.B) { runFollowed(b, set, 1) })
	b.Run("hundred", func(b *testing.B) { runFollowed(b, set, 100) })
}

func runFollowed(b *testing.B, set *Set, followers int) {
	b.Helper()
	var m Meter
	for b.Loop() {
		dir, remove := scratch(b)
		p, err := partition.Open(dir, &partition.Options{Sync: partition.SyncOS, Validate: partition.Frame})
		require.NoError(b, err)
		h := followAll(p, followers, func([]byte) {})
		m.Measure(set.Len(), func() { err = appendAll(jlqStore{p}, set, 1) })
		require.NoError(b, err)
		require.NoError(b, h.end())
		require.NoError(b, p.Close())
		remove()
	}
	m.Report(b)
}

// BenchmarkAppendTail appends in batches with and without memory for the last
// lines, so that its cost is known.
func BenchmarkAppendTail(b *testing.B) {
	set := JSON(ShortAppend)
	b.Run("none", func(b *testing.B) { RunAppend(b, set, BatchSize, openTail(-1)) })
	b.Run("jlq", func(b *testing.B) { RunAppend(b, set, BatchSize, openTail(0)) })
}

// BenchmarkAppendTailOne is the same one by one.
func BenchmarkAppendTailOne(b *testing.B) {
	set := JSON(20_000)
	b.Run("none", func(b *testing.B) { RunAppend(b, set, 1, openTail(-1)) })
	b.Run("jlq", func(b *testing.B) { RunAppend(b, set, 1, openTail(0)) })
}

func openTail(bytes int) Opener {
	return func(dir string) (Appender, error) {
		p, err := partition.Open(dir, &partition.Options{Sync: partition.SyncOS, Validate: partition.Frame, TailCache: bytes})
		return jlqStore{p}, err
	}
}
