package power

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/group"
	"example.com/jlq/partition"
)

// What the consumer does: every so many records it commits, and every so many
// fail, and are dead letters.
const (
	commitEvery = 5
	poisonEvery = 7
)

// consume is a member of a group that tells what it finished before it acks it,
// and what it committed.
func (c *child) consume() error {
	g, err := group.Open(c.Path, "g", &group.Options{MaxAttempts: 1, CommitEvery: -1})
	if err != nil {
		return err
	}
	m, err := g.Join(context.Background())
	if err != nil {
		return err
	}
	c.mark("open")
	first := true
	for msg, err := range m.Messages(context.Background()) {
		if err != nil {
			return err
		}
		if msg.Offset%poisonEvery == 0 {
			msg.Nack(errors.New("it is poison"))
		} else {
			c.say("done %d", msg.Offset)
			msg.Ack()
		}
		if msg.Offset%commitEvery == 0 {
			if err := m.CommitSync(); err != nil {
				return err
			}
			c.say("committed %d", msg.Offset+1)
			if first {
				c.mark("committed")
			}
			first = false
		}
	}
	return nil
}

// TestPowerOfConsumers cuts the power under a consumer that commits. What is
// committed afterwards was finished or is a dead letter, and what was committed
// before is.
func TestPowerOfConsumers(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			needVolumes(t, k.kind)
			rnd := chance(t)
			c := &consumed{volume: mountImage(t, k.kind, k.options, newImage(t, k.kind, k.mkfs)), done: map[uint64]bool{}}
			c.path = filepath.Join(c.dir, "log")
			c.fill(t, 5000)
			for end := time.Now().Add(patience(3 * time.Second)); time.Now().Before(end); {
				c.round(t, rnd)
			}
			t.Logf("%d cuts, %d committed, %d finished, %d dead letters", c.cuts, c.committed, len(c.done), c.letters)
			if c.worked {
				require.Positive(t, c.committed, "the power goes before anything happens")
			}
		})
	}
}

// consumed is a log whose consumer loses its power again and again.
type consumed struct {
	*volume
	path      string
	done      map[uint64]bool // was finished
	committed uint64          // was said to be committed
	letters   int
	cuts      int
	worked    bool // one cut at least was behind a commit
}

func (c *consumed) fill(t *testing.T, n int) {
	p, err := partition.Open(c.path, &partition.Options{Sync: partition.SyncOS})
	require.NoError(t, err)
	for i := range n {
		_, err := p.Append(fmt.Appendf(nil, `{"n":%d}`, i))
		require.NoError(t, err)
	}
	require.NoError(t, p.Close())
}

func (c *consumed) round(t *testing.T, rnd *rand.Rand) {
	h := newHistory()
	p := startChild(t, h, child{Job: "consume", Path: c.path})
	moment := []string{"ready", "open", "committed", "committed"}[rnd.IntN(4)]
	p.await(moment)
	time.Sleep(time.Duration(rnd.Int64N(int64(20 * time.Millisecond))))
	c.worked = c.worked || moment == "committed"
	at := now()
	c.cut(t, []int{cutFlushed, cutLogged, cutAtOnce, cutAtOnce}[rnd.IntN(4)])
	p.end(t)
	c.cuts++
	for _, f := range h.fresh {
		switch {
		case f.what == "done": // it was, whenever it said so
			c.done[f.offset] = true
		case f.at < at:
			c.committed = max(c.committed, f.offset)
		}
	}
	c.restart(t)
	c.check(t, p.stderr.String())
}

func (c *consumed) check(t *testing.T, said string) {
	g, err := group.Open(c.path, "g", nil)
	require.NoError(t, err, said)
	lags, err := g.Lag(t.Context())
	if errors.Is(err, group.ErrNotRegistered) {
		require.Zero(t, c.committed, said)
		return
	}
	require.NoError(t, err, said)
	require.NoError(t, lags[0].Err, said)
	if _, err := os.Stat(g.DeadPath(0)); err == nil { // as the next member would
		p, err := partition.Open(g.DeadPath(0), nil)
		require.NoError(t, err, said)
		require.NoError(t, p.Close(), said)
	}
	dead := map[uint64]bool{}
	for letter, err := range g.DeadLetters(t.Context()) {
		require.NoError(t, err, said)
		dead[letter.Offset] = true
	}
	c.letters = len(dead)
	next := lags[0].Committed
	require.GreaterOrEqual(t, next, c.committed, "what was committed is lost: %s", said)
	for o := range next {
		require.True(t, c.done[o] || dead[o], "%d is committed, and %d was not finished: %s", next, o, said)
	}
}
