package group

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/jlq/internal/vfs"
)

func TestRangesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ranges
		model := map[uint64]bool{}
		number := rapid.Uint64Range(0, 20)
		t.Repeat(map[string]func(*rapid.T){
			"add":    func(t *rapid.T) { n := number.Draw(t, "n"); r.add(n); model[n] = true },
			"remove": func(t *rapid.T) { n := number.Draw(t, "n"); r.remove(n); delete(model, n) },
			"": func(t *rapid.T) {
				for n := range uint64(22) {
					require.Equal(t, model[n], r.has(n), "%d in %v", n, r)
				}
				require.Len(t, r.all(), len(model))
				for i := 1; i < len(r); i++ {
					require.Less(t, r[i-1][1], r[i][0], "%v", r)
				}
			},
		})
	})
}

// kill makes dead letters of the records that are named, and acks the others.
func kill(t *testing.T, m *Member, dead ...uint64) {
	t.Helper()
	for msg, err := range m.MessagesToEnd(t.Context()) {
		require.NoError(t, err)
		answer := msg.Ack
		for _, offset := range dead {
			if msg.Offset == offset {
				answer = func() { msg.Dead(fmt.Errorf("no good: %d", offset)) }
			}
		}
		answer()
	}
}

func listed(t *testing.T, g *Group) (out []DeadLetter) {
	t.Helper()
	for l, err := range g.DeadLetters(t.Context()) {
		require.NoError(t, err)
		out = append(out, l)
	}
	return out
}

func TestRedriveDeliversDeadLettersAgain(t *testing.T) {
	bubble(t, 5, Options{MaxAttempts: 2}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		require.Empty(t, listed(t, g))
		m := join(t, g)
		kill(t, m, 1, 3)
		letters := listed(t, g)
		require.Len(t, letters, 2)
		require.Equal(t, uint64(3), letters[1].Offset)
		require.Equal(t, "no good: 3", letters[1].Error)

		n, err := g.Redrive(t.Context(), func(l DeadLetter) bool { return l.Offset == 3 })
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.True(t, listed(t, g)[1].Redriving)
		time.Sleep(2 * redoEvery)

		var got []string
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			require.JSONEq(t, `{"n":3}`, string(msg.Data))
			got = append(got, fmt.Sprintf("%d/%d", msg.Offset, msg.Attempts))
			msg.Nack(errors.New("still no good"))
		}
		require.Equal(t, []string{"3/2", "3/3"}, got, "attempts go on, and so many more are made")
		require.NoError(t, m.Close())

		letters = listed(t, g)
		require.Len(t, letters, 2, "the first letter of the record is settled")
		require.Equal(t, "still no good", letters[1].Error)
		require.Equal(t, 3, letters[1].Attempts)
		require.False(t, letters[1].Redriving)
		require.Equal(t, uint64(5), entry(t, g).Next)

		_, err = g.Redrive(t.Context(), nil)
		require.NoError(t, err)
		m = join(t, g)
		n = 0
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			n++
			msg.Ack()
		}
		require.Equal(t, 2, n)
		require.NoError(t, m.Close())
		require.Empty(t, listed(t, g), "all are dealt with")
		require.Len(t, lettersOf(t, mem, g), 3, "their lines stay")
		_, next := logBounds(t, mem)
		require.Equal(t, uint64(5), next, "nothing is appended to the log")
	})
}

func logBounds(t *testing.T, mem *vfs.Mem) (start, next uint64) {
	t.Helper()
	g := open(t, mem, "log", Options{})
	log, _, err := g.src.open(0, &g.opts)
	require.NoError(t, err)
	start, next, err = log.Bounds(t.Context())
	require.NoError(t, err)
	require.NoError(t, log.Close())
	return start, next
}

func TestDropDeadSettles(t *testing.T) {
	bubble(t, 4, Options{}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		kill(t, m, 0, 1, 2)
		n, err := g.DropDead(t.Context(), func(l DeadLetter) bool { return l.Offset < 2 })
		require.NoError(t, err)
		require.Equal(t, 2, n)
		require.Len(t, listed(t, g), 1)
		n, err = g.Redrive(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, 1, n, "what is dropped is not delivered again")
		require.NoError(t, m.Close())
	})
}

// A crash between the letter and the commit leaves two letters of one record.
func TestTwoLettersOfOneRecordAreOne(t *testing.T) {
	bubble(t, 2, Options{CommitEvery: -1}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		kill(t, m, 0)
		killed := open(t, mem.Kill(), "log", Options{})
		require.Error(t, m.Close(), "its file system is gone")
		m = join(t, killed)
		kill(t, m, 0)
		require.NoError(t, m.Close())
		letters := listed(t, killed)
		require.Len(t, letters, 1)
		require.Equal(t, uint64(1), letters[0].Number, "the last one counts")
	})
}

// A letter that kills its consumer each time is given up, not tried for ever.
func TestRedrivenLetterThatKillsIsGivenUp(t *testing.T) {
	bubble(t, 2, Options{MaxAttempts: 2, CommitEvery: -1}, func(t *testing.T, mem *vfs.Mem, g *Group) {
		m := join(t, g)
		kill(t, m, 0)
		require.NoError(t, m.Close())
		_, err := g.Redrive(t.Context(), nil)
		require.NoError(t, err)
		for range 2 {
			m := join(t, g)
			require.Equal(t, []uint64{0}, offsetsOf(take(t, m, 1)))
			fsys := mem.Kill()
			require.Error(t, m.Close(), "its file system is gone")
			mem, g = fsys, open(t, fsys, "log", Options{MaxAttempts: 2, CommitEvery: -1})
		}
		m = join(t, g)
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			require.Fail(t, "it is delivered once more", "%v", msg)
		}
		require.NoError(t, m.Close())
		require.False(t, listed(t, g)[0].Redriving, "it is a dead letter like any other")
	})
}

// A letter that cannot be written is told once, holds the commit back, and is
// written when there is room; the record is not given out again for that.
func TestLetterThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 3)
		var full atomic.Bool
		g := open(t, vfs.NewFault(mem, func(op vfs.Op) error {
			if full.Load() && op.Kind.Changes() && strings.Contains(op.Path, "dead") {
				return syscall.ENOSPC
			}
			return nil
		}), "log", Options{})
		full.Store(true)
		m, told, given := join(t, g), 0, 0
		for msg, err := range m.Messages(t.Context()) {
			if err != nil {
				require.ErrorIs(t, err, syscall.ENOSPC)
				told++
				require.NoError(t, m.CommitSync())
				require.Equal(t, uint64(1), entry(t, g).Next)
				full.Store(false)
				break
			}
			given++
			if msg.Offset == 1 {
				msg.Dead(errors.New("no good"))
				continue
			}
			msg.Ack()
		}
		for msg, err := range m.MessagesToEnd(t.Context()) {
			require.NoError(t, err)
			given++
			require.NotEqual(t, uint64(1), msg.Offset)
			msg.Ack()
		}
		require.NoError(t, m.Close())
		require.Equal(t, []int{1, 3}, []int{told, given})
		require.Equal(t, uint64(3), entry(t, g).Next)
		require.Equal(t, uint64(1), listed(t, g)[0].Offset)
	})
}

// A letter that cannot be marked as tried, because the disk is full, is still
// wanted: it comes when there is room, is told of once, and holds up nothing.
func TestRedriveOutlastsAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		fill(t, mem, "log", 2)
		var broken atomic.Bool
		fault := vfs.NewFault(mem, func(op vfs.Op) error {
			if broken.Load() && op.Kind == vfs.OpWrite && strings.Contains(op.Path, marksName) {
				return errors.New("no space left on device")
			}
			return nil
		})
		g := open(t, fault, "log", Options{})
		m := join(t, g)
		kill(t, m, 1)
		_, err := g.Redrive(t.Context(), nil)
		require.NoError(t, err)
		broken.Store(true)
		time.AfterFunc(30*time.Second, func() { broken.Store(false) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var got []uint64
		failed := 0
		for msg, err := range m.Messages(ctx) {
			if err == nil {
				got = append(got, msg.Offset)
				msg.Ack()
			} else if ctx.Err() == nil {
				failed++
				require.True(t, (*m.list.Load())[0].resume.IsZero(), "new records go on")
			}
		}
		require.NoError(t, m.Close())
		require.Equal(t, []uint64{1}, got)
		require.Equal(t, 1, failed)
		require.Empty(t, listed(t, g))
	})
}
