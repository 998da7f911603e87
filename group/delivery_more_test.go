package group

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// fillLines makes a lone partition of these records, checked for framing only.
func fillLines(t *testing.T, fsys vfs.FS, lines ...string) {
	t.Helper()
	p, err := partition.Open("log", &partition.Options{FS: fsys, Sync: partition.SyncOS, Validate: partition.Frame})
	require.NoError(t, err)
	for _, l := range lines {
		_, err := p.Append([]byte(l))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
}

// all acks every message to the end and returns the offsets.
func all(t *testing.T, m *Member) (out []uint64) {
	t.Helper()
	for msg, err := range m.MessagesToEnd(t.Context()) {
		require.NoError(t, err)
		out = append(out, msg.Offset)
		msg.Ack()
	}
	return out
}

func TestTagsAndWherePassOver(t *testing.T) {
	lines := []string{
		`{"tag":"a","n":1}`, `{"tag":"b","n":2}`, `{"tag":["x","a"],"n":3}`, `{"n":4}`, `{"tag":"\u0061","n":5}`,
		`not json`, `{"deep":{"tag":"a"},"n":7}`, `{"tag":5}`, `{"tag":"b"}`,
	}
	for name, c := range map[string]struct {
		opts Options
		want []uint64
	}{
		"tag":    {Options{Tags: []string{"a"}}, []uint64{0, 2, 4}},
		"number": {Options{Tags: []string{"5", "c"}}, []uint64{7}},
		"nested": {Options{Tags: []string{"a"}, TagField: "deep.tag"}, []uint64{6}},
		"where": {Options{Where: func(data []byte) (bool, error) {
			return strings.Contains(string(data), "n"), nil
		}}, []uint64{0, 1, 2, 3, 4, 5, 6}},
		"nothing": {Options{Tags: []string{"z"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mem := vfs.NewMem()
				fillLines(t, mem, lines...)
				g := open(t, mem, "log", c.opts)
				m := join(t, g)
				require.Equal(t, c.want, all(t, m))
				time.Sleep(2 * time.Second) // two commits
				require.Equal(t, uint64(len(lines)), entry(t, g).Next, "the commit goes beyond what is passed over")
				require.NoError(t, m.Close())
				require.Empty(t, listed(t, g))
			})
		})
	}
}

func TestWhatDoesNotDecodeIsADeadLetter(t *testing.T) {
	bad := errors.New("not a number")
	decode := func(data []byte) (any, error) {
		if string(data) == "not json" {
			return nil, bad
		}
		return len(data), nil
	}
	where := func(data []byte) (bool, error) {
		if string(data) == "not json" {
			return false, bad
		}
		return true, nil
	}
	for name, opts := range map[string]Options{"decode": {Decode: decode}, "where": {Where: where}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mem := vfs.NewMem()
				fillLines(t, mem, "1", "not json", "333")
				g := open(t, mem, "log", opts)
				m := join(t, g)
				for msg, err := range m.MessagesToEnd(t.Context()) {
					require.NoError(t, err)
					require.NotEqual(t, uint64(1), msg.Offset)
					if opts.Decode != nil {
						require.Equal(t, len(msg.Data), msg.Value)
					}
					msg.Ack()
				}
				require.NoError(t, m.Close())
				require.Equal(t, uint64(3), entry(t, g).Next)
				letters := listed(t, g)
				require.Len(t, letters, 1)
				require.Nil(t, letters[0].Record)
				require.Equal(t, "not json", string(letters[0].RecordB64))
				require.Contains(t, letters[0].Error, bad.Error())
			})
		})
	}
}

// A decoder that panics must not let the commit pass its record.
func TestPanicInDecodeLosesNothing(t *testing.T) {
	bubble(t, 3, Options{Decode: func(data []byte) (any, error) {
		if string(data) == `{"n":1}` {
			panic("oh")
		}
		return nil, nil
	}}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		require.PanicsWithValue(t, "oh", func() { all(t, m) })
		require.NoError(t, m.Close())
		require.Equal(t, uint64(1), entry(t, g).Next)
	})
}

func TestSeekMakesWhatIsInFlightVoid(t *testing.T) {
	bubble(t, 10, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		old := take(t, m, 3)
		require.NoError(t, m.Seek(0, 5))
		<-old[0].Context().Done()
		old[0].Ack()
		old[1].Nack(errors.New("late"))
		old[2].Dead(errors.New("late"))
		require.Equal(t, `{"n":0}`, string(old[0].Data), "its data is still its own")
		require.Equal(t, []uint64{5, 6, 7, 8, 9}, all(t, m))
		require.NoError(t, m.Seek(0, 1))
		require.Equal(t, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}, all(t, m))
		require.Error(t, m.Seek(1, 0), "the partition is not this member's")
		require.NoError(t, m.Close())
		require.Equal(t, uint64(10), entry(t, g).Next)
		require.Empty(t, listed(t, g), "what is void does not become a dead letter")
	})
}

func TestPauseStopsAndResumeGoesOn(t *testing.T) {
	bubble(t, 2, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		m.Pause()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, err := range m.Messages(ctx) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		time.AfterFunc(time.Hour, func() { m.Resume(0) })
		begun := time.Now()
		require.Equal(t, []uint64{0}, offsetsOf(take(t, m, 1)))
		require.Equal(t, time.Hour, time.Since(begun), "it is woken by Resume")
		require.NoError(t, m.Close())
	})
}

func TestHandleNacksErrors(t *testing.T) {
	bubble(t, 4, Options{MaxAttempts: 2}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		var got []uint64
		require.NoError(t, m.HandleToEnd(t.Context(), func(ctx context.Context, msg *Message) error {
			require.NoError(t, ctx.Err())
			got = append(got, msg.Offset)
			if msg.Offset == 2 {
				return errors.New("no")
			}
			return nil
		}))
		require.Equal(t, []uint64{0, 1, 2, 3, 2}, got)
		require.NoError(t, m.Close())
		require.Len(t, listed(t, g), 1)
	})
}

// With several workers the messages of one partition come in order, one at a
// time, unless Parallel is set; and never does the commit pass an unfinished one.
func TestHandleWorkers(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			bubble(t, 20, Options{Workers: 4, Parallel: parallel}, func(t *testing.T, mem *vfs.Mem, g *Group) {
				m := join(t, g)
				var mu sync.Mutex
				var order []uint64
				now, most := 0, 0
				require.NoError(t, m.HandleToEnd(t.Context(), func(ctx context.Context, msg *Message) error {
					mu.Lock()
					order = append(order, msg.Offset)
					now++
					most = max(most, now)
					mu.Unlock()
					time.Sleep(time.Second * time.Duration(1+msg.Offset%3))
					require.Equal(t, fmt.Sprintf(`{"n":%d}`, msg.Offset), string(msg.Data))
					require.LessOrEqual(t, m.InFlight()[0].Done, msg.Offset)
					mu.Lock()
					now--
					mu.Unlock()
					return nil
				}))
				require.Len(t, order, 20)
				if !parallel {
					require.IsIncreasing(t, order)
				}
				require.Equal(t, map[bool]int{false: 1, true: 4}[parallel], most)
				require.NoError(t, m.Close())
				require.Equal(t, uint64(20), entry(t, g).Next)
			})
		})
	}
}

// The end of the context lets what is in hands be finished.
func TestHandleFinishesWhatIsInHands(t *testing.T) {
	bubble(t, 9, Options{Workers: 3, Parallel: true}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, m.Handle(ctx, func(ctx context.Context, msg *Message) error {
			time.Sleep(time.Second)
			return ctx.Err()
		}), context.DeadlineExceeded)
		require.NoError(t, m.Close())
		require.Equal(t, uint64(4), entry(t, g).Next, "three, and the one that was handed over")
		require.Empty(t, listed(t, g))
	})
}

// The context of a handler ends when its member gives the partition up, and
// the answer that comes after that does nothing.
func TestHandlerContextEndsWithTheClaim(t *testing.T) {
	bubble(t, 3, Options{DrainTimeout: 5 * time.Second}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		done := make(chan error, 1)
		go func() {
			done <- m.Handle(t.Context(), func(ctx context.Context, msg *Message) error {
				<-ctx.Done() // it would go on for ever
				return nil
			})
		}()
		synctest.Wait()
		begun := time.Now()
		require.NoError(t, m.Close())
		require.Equal(t, 5*time.Second, time.Since(begun), "what is in hands is waited for, and not for ever")
		require.Error(t, <-done)
		require.Equal(t, uint64(0), entry(t, g).Next)
	})
}

// A panic of a handler counts as the death of its consumer: the record reaches
// its limit, and those beside it do not.
func TestPanicCountsAsAnAttempt(t *testing.T) {
	bubble(t, 4, Options{MaxAttempts: 3}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		var attempts []int
		handle := func(_ context.Context, msg *Message) error {
			if msg.Offset == 2 {
				attempts = append(attempts, msg.Attempts)
				panic("poison")
			}
			require.Equal(t, 1, msg.Attempts, "record %d is innocent", msg.Offset)
			return nil
		}
		for range 3 {
			m := join(t, g)
			err := m.HandleToEnd(t.Context(), handle)
			var p *PanicError
			require.ErrorAs(t, err, &p)
			require.Equal(t, "poison", p.Value)
			require.Equal(t, "0@2", p.Record)
			require.Contains(t, string(p.Stack), "TestPanicCountsAsAnAttempt")
			require.NoError(t, m.Close())
		}
		m := join(t, g)
		require.NoError(t, m.HandleToEnd(t.Context(), handle))
		require.NoError(t, m.Close())
		require.Equal(t, []int{1, 2, 3}, attempts)
		require.Equal(t, uint64(4), entry(t, g).Next)
		require.Equal(t, uint64(2), listed(t, g)[0].Offset)
	})
}

// Behind a consumer that was killed, records come one at a time, each committed
// before the next, so that the one that kills is found.
func TestKillerIsFoundAndInnocentOnesAreNot(t *testing.T) {
	bubble(t, 6, Options{MaxAttempts: 3}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		deaths := 0
		for {
			m := join(t, g)
			died := false
			for msg, err := range m.MessagesToEnd(t.Context()) {
				require.NoError(t, err)
				if msg.Offset == 4 { // the process is killed with it
					died = true
					break
				}
				msg.Ack()
			}
			if !died {
				require.NoError(t, m.Close())
				break
			}
			deaths++
			mem = mem.Kill()
			require.Error(t, m.Close(), "its file system is gone")
			g = open(t, mem, "log", Options{MaxAttempts: 3})
		}
		require.LessOrEqual(t, deaths, 4)
		letters := listed(t, g)
		require.Len(t, letters, 1)
		require.Equal(t, uint64(4), letters[0].Offset)
		require.Contains(t, letters[0].Error, "died")
		require.Equal(t, uint64(6), entry(t, g).Next)
	})
}

// A partition that fails is told once, goes on when it can, and holds nobody up.
func TestDamageIsToldAndSkippedOnRequest(t *testing.T) {
	for _, skip := range []bool{false, true} {
		t.Run(fmt.Sprint(skip), func(t *testing.T) {
			bubble(t, 10, Options{SkipDamage: skip}, func(t *testing.T, mem *vfs.Mem, g *Group) {
				spoil(t, mem, "log/00000000000000000000.jsonl", 8*4+7) // the newline of record 4
				m := join(t, g)
				var got []uint64
				var errs []error
				for msg, err := range m.MessagesToEnd(t.Context()) {
					if err != nil {
						var one *PartitionError
						require.ErrorAs(t, err, &one)
						errs = append(errs, err)
						continue
					}
					got = append(got, msg.Offset)
					msg.Ack()
				}
				require.NoError(t, m.Close())
				if skip {
					require.Empty(t, errs)
					require.Equal(t, []uint64{0, 1, 2, 3, 6, 7, 8, 9}, got)
					require.Equal(t, uint64(10), entry(t, g).Next)
					require.Equal(t, uint64(2), listed(t, g)[0].Lost)
					_, err := g.Redrive(t.Context(), nil)
					require.ErrorIs(t, err, ErrNoRecord)
					return
				}
				require.Len(t, errs, 1)
				require.Equal(t, []uint64{0, 1, 2, 3}, got)
				require.Equal(t, uint64(4), entry(t, g).Next, "no commit passes what could not be read")
			})
		})
	}
}

// spoil overwrites one byte of a file.
func spoil(t *testing.T, fsys vfs.FS, name string, at int64) {
	t.Helper()
	f, err := fsys.Open(name, 1, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("x"), at)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
