package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/partition"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(roleEnv); text != "" {
		os.Exit(runRole(text))
	}
	os.Exit(m.Run())
}

// small is a soak of a second or two.
func small(t *testing.T) config {
	return config{
		Dir: t.TempDir(), Records: 200_000, Duration: time.Minute, SegmentBytes: 512 << 10, KeepBytes: 2 << 20,
		Kills: 2, Seed: 1, Sync: "os",
	}
}

// TestSoak: a small one passes, and did what it is for.
func TestSoak(t *testing.T) {
	r := newRun(small(t))
	require.NoError(t, r.run(t.Context()))
	require.Equal(t, uint64(200_000), r.ledger.end)
	require.Equal(t, 2, r.tally.kills)
	require.Len(t, r.tally.opens, 2)
	for k, at := range r.ledger.at {
		require.Equal(t, r.ledger.end, at.Next, "follower %d", k)
	}
	require.Positive(t, r.tally.reads)
	made, dropped := r.tally.segments()
	require.Greater(t, made, 10)
	require.Greater(t, dropped, 5)
	require.Positive(t, r.ledger.at[followers-1].Jumps, "it rested and was not overtaken")
	require.NoError(t, r.render(t.Output()))
}

// TestFaultIsNoticed is the negative control of the whole: one record among all
// is wrong.
func TestFaultIsNoticed(t *testing.T) {
	for fault, message := range map[string]string{
		"lost": "record 10001 lies there", "doubled": "record 9999 lies there", "altered": errAltered.Error(),
	} {
		t.Run(fault, func(t *testing.T) {
			c := small(t)
			c.Records, c.Kills, c.KeepBytes, c.Fault = 20_000, 0, 0, fault
			require.ErrorContains(t, newRun(c).run(t.Context()), message)
		})
	}
}

func recordAt(offset, n uint64, life int) partition.Record {
	return partition.Record{Offset: offset, Data: appendRecord(nil, 7, life, n)}
}

// TestChecker: a follower takes what is right, and nothing else.
func TestChecker(t *testing.T) {
	at := func() *checker { return &checker{seed: 7, position: position{Next: 100}, life: 2} }
	for _, rec := range []partition.Record{recordAt(100, 100, 2), recordAt(100, 100, 3)} {
		c := at()
		require.NoError(t, c.see(rec))
		require.Equal(t, uint64(101), c.Next)
	}
	altered := recordAt(100, 100, 2)
	altered.Data[10] ^= 1
	short := recordAt(100, 100, 2)
	short.Data = short.Data[:len(short.Data)-1]
	for name, rec := range map[string]partition.Record{
		"one left out":           recordAt(101, 101, 2),
		"one twice":              recordAt(99, 99, 2),
		"lost in the log":        recordAt(100, 101, 2),
		"doubled in the log":     recordAt(100, 99, 2),
		"altered":                altered,
		"cut":                    short,
		"blank":                  {Offset: 100},
		"of a process before":    recordAt(100, 100, 1),
		"of a log of other seed": {Offset: 100, Data: appendRecord(nil, 8, 2, 100)},
	} {
		t.Run(name, func(t *testing.T) { require.Error(t, at().see(rec)) })
	}
}

// TestJump: only retention excuses a follower.
func TestJump(t *testing.T) {
	c := &checker{position: position{Next: 100}}
	for _, e := range []partition.RangeError{
		{Offset: 100, Start: 0, Next: 100},  // it is at the end
		{Offset: 100, Start: 100, Next: 90}, // the end is before it
		{Offset: 90, Start: 120, Next: 200}, // it did not ask for that
		{Offset: 100, Start: 220, Next: 200},
	} {
		require.Error(t, c.jump(&e), "%+v", e)
	}
	require.NoError(t, c.jump(&partition.RangeError{Offset: 100, Start: 130, Next: 200}))
	require.Equal(t, position{Next: 130, Overtaken: 30, Jumps: 1}, c.position)
}

// TestLedger: the account notices what no follower can know.
func TestLedger(t *testing.T) {
	begun := func() *ledger {
		l := &ledger{}
		require.NoError(t, l.opened(0, 0))
		require.NoError(t, l.ack(0, 50))
		require.NoError(t, l.moved(1, position{Next: 55}))
		return l
	}
	require.NoError(t, begun().opened(0, 55))
	require.NoError(t, begun().opened(20, 60))
	l := begun()
	require.NoError(t, l.opened(20, 60))
	require.NoError(t, l.moved(0, position{Next: 30, Overtaken: 20, Jumps: 1}))
	require.False(t, l.complete())
	require.NoError(t, l.finished(60))
	require.False(t, l.complete())
	for k := range followers {
		require.NoError(t, l.moved(k, position{Next: 60, Overtaken: l.at[k].Overtaken}))
	}
	require.True(t, l.complete())
	require.Equal(t, []int{1, 1, 2}, []int{l.lifeOf(0), l.lifeOf(59), l.lifeOf(60)})

	for name, wrong := range map[string]func(*ledger) error{
		"acknowledged, lost":      func(l *ledger) error { return l.opened(0, 49) },
		"read, lost":              func(l *ledger) error { return l.opened(0, 54) },
		"begins behind its end":   func(l *ledger) error { return l.opened(61, 60) },
		"a gap":                   func(l *ledger) error { return l.ack(51, 60) },
		"acknowledged twice":      func(l *ledger) error { return l.ack(40, 60) },
		"ends early":              func(l *ledger) error { return l.finished(49) },
		"a follower goes back":    func(l *ledger) error { return l.moved(1, position{Next: 54}) },
		"overtaken by more":       func(l *ledger) error { return l.moved(1, position{Next: 60, Overtaken: 6}) },
		"the beginning goes back": func(l *ledger) error { l.start = 10; return l.opened(9, 60) },
	} {
		t.Run(name, func(t *testing.T) { require.Error(t, wrong(begun())) })
	}
}

// TestSteady: growth is told from the breathing of a heap.
func TestSteady(t *testing.T) {
	flat := func(grow int64, more int) (t trace) {
		for i := range 100 {
			t = append(t, sample{anon: 20<<20 + int64(i%7)<<20 + grow*int64(i), all: 1, files: 12 + i%3 + more*i/100})
		}
		return t
	}
	require.NoError(t, flat(0, 0).steady("p"))
	require.ErrorContains(t, flat(1<<20, 0).steady("p"), "memory")
	require.ErrorContains(t, flat(0, 80).steady("p"), "descriptors")
	require.NoError(t, trace(nil).steady("p"))
}

// TestSampled: this process has memory and descriptors.
func TestSampled(t *testing.T) {
	s, ok := take(os.Getpid())
	if !ok {
		t.Skip("no /proc here")
	}
	require.Greater(t, s.anon, int64(1<<20))
	require.GreaterOrEqual(t, s.all, s.anon)
	require.Greater(t, s.files, 2)
}
