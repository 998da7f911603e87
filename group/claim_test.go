package group

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// change edits the group's entry of partition 0 by hand.
func change(t *testing.T, g *Group, edit func(*offsets.Entry)) {
	t.Helper()
	require.NoError(t, g.update(func(f *offsets.File) error {
		e, _ := f.Lookup("g", "0")
		edit(&e)
		f.Set("g", "0", e)
		return nil
	}))
}

// take claims one partition.
func (g *Group) take(ctx context.Context, number int) (*claim, *LostError, error) {
	c := g.newClaim(number)
	if err := c.acquire(); err != nil {
		return nil, nil, err
	}
	b := g.begin(ctx, []*claim{c})[0]
	if b.err != nil {
		return nil, nil, errors.Join(b.err, c.close())
	}
	return c, b.lost, nil
}

// taken claims partition 0 and gives it up at once.
func taken(t *testing.T, g *Group) (*claim, *LostError, error) {
	t.Helper()
	c, lost, err := g.take(t.Context(), 0)
	if err == nil {
		require.NoError(t, c.release())
	}
	return c, lost, err
}

func TestStartPosition(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		start To
		want  uint64
	}{
		"start": {To{}, 0}, "end": {ToEnd(), 3}, "time": {ToTime(at.Add(time.Second), ""), 2}, "offset": {ToOffset(1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			p, err := partition.Open("log", &partition.Options{FS: mem})
			require.NoError(t, err)
			for _, rec := range []string{`{"ts":"2026-05-01T11:00:00Z"}`, `{"ts":"2026-05-01T12:00:00Z"}`, `{"ts":"2026-05-01T12:00:01Z"}`} {
				_, err := p.Append([]byte(rec))
				require.NoError(t, err)
			}
			require.NoError(t, p.Close())
			g := open(t, mem, "log", Options{Start: c.start})
			require.NoError(t, join(t, g).Close())
			require.Equal(t, c.want, place(t, g))
			other := open(t, mem, "log", Options{Start: ToOffset(2)})
			require.NoError(t, join(t, other).Close())
			require.Equal(t, c.want, place(t, g), "a group that is registered goes on where it was")
		})
	}
	mem := vfs.NewMem()
	fill(t, mem, "log", 3)
	_, err := open(t, mem, "log", Options{Start: ToOffset(4)}).Join(t.Context())
	var beyond *RangeError
	require.ErrorAs(t, err, &beyond)
	names, err := List("log", &Options{FS: mem})
	require.NoError(t, err)
	require.Empty(t, names, "nothing was registered")
}

// A claim whose last holder died with records in its hands counts an attempt,
// durably, before it delivers any itself.
func TestClaimAfterADeath(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{})
	require.NoError(t, join(t, g).Close())
	change(t, g, func(e *offsets.Entry) { e.Next = 3 })
	c, _, err := taken(t, g)
	require.NoError(t, err)
	require.False(t, c.suspect)
	for died := 1; died < 4; died++ {
		change(t, g, func(e *offsets.Entry) { e.Held = true })
		c, _, err = taken(t, g)
		require.NoError(t, err)
		require.True(t, c.suspect)
		require.Equal(t, died, c.attempts)
		e := entry(t, g)
		require.False(t, e.Held, "nothing is delivered yet")
		require.Equal(t, died, e.Attempts)
	}
	c, _, err = taken(t, g)
	require.NoError(t, err)
	require.True(t, c.suspect, "one that died before it delivered any does not make the record innocent")
	require.Equal(t, 3, c.attempts)
}

func TestClaimIsExclusive(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{})
	m := join(t, g)
	_, _, err := taken(t, g)
	require.ErrorIs(t, err, errBusy)
	require.Equal(t, uint64(1), entry(t, g).Gen, "who does not get it changes nothing")
	require.NoError(t, m.Close())
	_, _, err = taken(t, g)
	require.NoError(t, err)
}

func TestTruncatedLogIsSaid(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{})
	require.NoError(t, join(t, g).Close())
	record := func(n int) string { return offsets.Check([]byte(`{"n":` + string(rune('0'+n)) + `}`)) }

	change(t, g, func(e *offsets.Entry) { e.Next, e.Check = 10, record(9) })
	_, _, err := taken(t, g)
	require.NoError(t, err)

	change(t, g, func(e *offsets.Entry) { e.Next, e.Check = 11, "" })
	_, _, err = taken(t, g)
	require.ErrorIs(t, err, ErrLogTruncated)
	require.EqualError(t, err, "log: group g has committed offset 11, but the log ends at 10: the log was cut or written anew; "+
		"set where to go on: jlq group reset log g OFFSET")

	gen := entry(t, g).Gen
	change(t, g, func(e *offsets.Entry) { e.Next, e.Check = 5, record(5) })
	_, _, err = taken(t, g)
	var truncated *TruncatedError
	require.ErrorAs(t, err, &truncated)
	require.Equal(t, &TruncatedError{Group: "g", Path: "log", Committed: 5, Next: 10}, truncated)
	require.ErrorContains(t, err, "record 4 is another one than the group consumed")
	require.Equal(t, gen, entry(t, g).Gen)
	lags, err := g.Lag(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, lags[0].Err, ErrLogTruncated)

	// A member lives on without it, tells it once, and gets it back after a reset.
	m := join(t, g)
	require.Empty(t, m.Partitions())
	require.ErrorIs(t, m.nextReport(), ErrLogTruncated)
	require.NoError(t, m.balance(t.Context()))
	require.NoError(t, m.nextReport())
	_, err = g.Reset(t.Context(), ToOffset(5))
	require.NoError(t, err)
	delete(m.failed, 0) // as if it had rested
	require.NoError(t, m.balance(t.Context()))
	require.Equal(t, []int{0}, m.Partitions())
	require.NoError(t, m.Close())
}

// RO-05, RE-03: what was trimmed is not compared, what was dropped unread is
// told, and numbering goes on.
func TestTrimmedBehindAGroup(t *testing.T) {
	mem := vfs.NewMem()
	p, err := partition.Open("log", &partition.Options{FS: mem, SegmentRecords: 2})
	require.NoError(t, err)
	for range 10 {
		_, err := p.Append([]byte(`{}`))
		require.NoError(t, err)
	}
	g := open(t, mem, "log", Options{})
	require.NoError(t, join(t, g).Close())
	change(t, g, func(e *offsets.Entry) { e.Next, e.Check = 8, "0123456789abcdef" })
	require.NoError(t, p.Trim(8))
	c, lost, err := taken(t, g)
	require.NoError(t, err)
	require.Nil(t, lost)
	require.Equal(t, uint64(8), c.next)

	change(t, g, func(e *offsets.Entry) { e.Next, e.Check, e.Attempts = 5, "", 2 })
	c, lost, err = taken(t, g)
	require.NoError(t, err)
	require.Equal(t, &LostError{Group: "g", Path: "log", From: 5, To: 8}, lost)
	require.EqualError(t, lost, "log: 3 records from offset 5 on were dropped before group g consumed them; going on at 8")
	require.Equal(t, uint64(8), c.next)
	require.Zero(t, c.attempts, "those were of a record that is gone")
	lags, err := g.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(3), lags[0].Lost)
	require.Equal(t, uint64(2), lags[0].Lag)
	require.NoError(t, p.Close())
}

// CG-01: an offsets file that is cut or empty is not believed, and the version
// before it counts; where both are bad, nobody begins at 0.
func TestDamagedOffsets(t *testing.T) {
	for name, content := range map[string]string{"cut": `{`, "empty": "", "nul": "\x00\x00\x00"} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			fill(t, mem, "log", 10)
			g := open(t, mem, "log", Options{Start: ToOffset(6)})
			require.NoError(t, join(t, g).Close())
			damage := func(path string) {
				f, err := mem.Open(path, os.O_RDWR, 0)
				require.NoError(t, err)
				require.NoError(t, f.Truncate(0))
				_, err = f.WriteAt([]byte(content), 0)
				require.NoError(t, errors.Join(err, f.Close()))
			}
			damage(g.src.place.File)
			m := join(t, g)
			require.Equal(t, []int{0}, m.Partitions())
			require.NoError(t, m.Close())
			require.Equal(t, uint64(6), place(t, g))
			damage(g.src.place.File)
			damage(g.src.place.Prev())
			_, err := g.Join(t.Context())
			require.ErrorIs(t, err, offsets.ErrDamaged)
			require.ErrorContains(t, err, g.src.place.File)
		})
	}
}

// A member whose claim was taken over, because somebody removed the lock
// directory, commits nothing and loses the partition.
func TestFenced(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{CommitEvery: -1})
	m := join(t, g)
	s := (*m.list.Load())[0]
	require.NoError(t, mem.Remove(g.claimDir(0)+"/"+holderName))
	require.NoError(t, mem.Remove(g.claimDir(0)))
	c, _, err := g.take(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, uint64(2), c.gen)
	s.claim.marked = true // it was held before: a commit has to take the mark away
	require.ErrorIs(t, m.CommitSync(), ErrFenced)
	require.Empty(t, m.Partitions())
	require.Equal(t, offsets.Entry{Gen: 2}, entry(t, g))
	require.NoError(t, errors.Join(c.release(), m.Close()))
}

// A member that was fenced does not begin to deliver.
func TestFencedBeforeDelivery(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{CommitEvery: -1})
	m := join(t, g)
	change(t, g, func(e *offsets.Entry) { e.Gen++ })
	for msg, err := range m.Messages(t.Context()) {
		require.Nil(t, msg)
		require.ErrorIs(t, err, ErrFenced)
		break
	}
	require.Empty(t, m.Partitions())
	require.Equal(t, offsets.Entry{Gen: 2}, entry(t, g))
	require.NoError(t, m.Close())
}

// hold is durable before it returns, and is written once.
func TestHold(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	fault := vfs.NewFault(mem, nil)
	g := open(t, fault, "log", Options{CommitEvery: -1})
	m := join(t, g)
	s := (*m.list.Load())[0]
	require.NoError(t, m.hold(s))
	require.True(t, s.claim.held.Load())
	require.True(t, entry(t, g).Held)
	ops := len(fault.Ops())
	require.NoError(t, m.hold(s))
	require.Len(t, fault.Ops(), ops)
	after := open(t, mem.Crash(vfs.CrashConfig{}), "log", Options{})
	require.True(t, entry(t, after).Held)
}

func TestCommitClearsHold(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, "log", 10)
	g := open(t, mem, "log", Options{CommitEvery: -1})
	m := join(t, g)
	s := (*m.list.Load())[0]
	require.NoError(t, m.hold(s))
	require.NoError(t, m.CommitSync())
	require.False(t, s.claim.held.Load(), "nothing is in flight")
	require.False(t, entry(t, g).Held)
	require.NoError(t, m.hold(s))
	require.True(t, entry(t, g).Held)
	require.NoError(t, m.Close())
	require.Equal(t, offsets.Entry{Gen: 1}, entry(t, g))
}
