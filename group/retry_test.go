package group

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBackoffDoublesUpToItsMost(t *testing.T) {
	b := backoff{first: 100 * time.Millisecond, most: time.Second}
	for attempt, want := range map[int]time.Duration{
		0: 100 * time.Millisecond, 1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 4: 800 * time.Millisecond,
		5: time.Second, 31: time.Second, 33: time.Second, math.MaxInt: time.Second,
	} {
		seen := map[time.Duration]bool{}
		for range 50 {
			d := b.delay(attempt)
			require.GreaterOrEqual(t, d, want/2, "attempt %d", attempt)
			require.LessOrEqual(t, d, want, "attempt %d", attempt)
			seen[d] = true
		}
		require.Greater(t, len(seen), 1, "delays are all the same: no jitter")
	}
	require.Zero(t, backoff{}.delay(3), "no wait where none is asked for")
}

func TestRetriesComeWhenDue(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	message := func(offset uint64) *Message { m := &Message{}; m.Offset = offset; return m }
	var r retries
	require.Nil(t, r.take(at(1000)))
	require.Zero(t, r.due())
	r.add(at(30), message(1))
	r.add(at(10), message(3))
	r.add(at(10), message(2))
	require.Equal(t, at(10), r.due())
	require.Nil(t, r.take(at(9)))
	var got []uint64
	for now := 10; now <= 30; now += 10 {
		for m := r.take(at(now)); m != nil; m = r.take(at(now)) {
			got = append(got, m.Offset)
		}
	}
	require.Equal(t, []uint64{2, 3, 1}, got)
}
