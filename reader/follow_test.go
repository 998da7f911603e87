package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/segment"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// following is a range over Follow in a goroutine of its own.
type following struct {
	t    testing.TB
	got  chan kept
	stop context.CancelCauseFunc
	last error // once got is closed
	log  *syncBuffer
}

// syncBuffer is what a logger writes to.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// follow opens the log called name and follows it from an offset on.
func follow(t testing.TB, d disk, name string, from uint64) *following {
	return startFollowing(t, d, name, func(ctx context.Context, log *Log) iter.Seq2[Record, error] {
		return log.Follow(ctx, from)
	})
}

func startFollowing(t testing.TB, d disk, name string, seq func(context.Context, *Log) iter.Seq2[Record, error]) *following {
	f := &following{t: t, got: make(chan kept), log: &syncBuffer{}}
	log := d.open(t, name, Options{Poll: 2 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(f.log, nil))})
	ctx, stop := context.WithCancelCause(t.Context())
	f.stop = stop
	go func() {
		defer close(f.got)
		for rec, err := range seq(ctx, log) {
			if err != nil {
				f.last = err
				return
			}
			f.got <- kept{rec.Offset, rec.Position, string(rec.Data)}
		}
	}()
	t.Cleanup(f.end)
	return f
}

// end stops following and takes what is left.
func (f *following) end() {
	f.stop(nil)
	for range f.got {
	}
}

// wants waits for records with these offsets, from first on.
func (f *following) wants(first uint64, records ...string) {
	f.t.Helper()
	for i, want := range records {
		select {
		case got, ok := <-f.got:
			if !ok {
				f.t.Fatalf("ended: %v", f.last)
			}
			require.Equal(f.t, want, got.data)
			require.Equal(f.t, first+uint64(i), got.offset)
		case <-time.After(patience):
			f.t.Fatalf("%q did not come; log: %s", want, f.log)
		}
	}
}

// quiet checks that nothing comes for some intervals.
func (f *following) quiet() {
	f.t.Helper()
	select {
	case got, ok := <-f.got:
		f.t.Fatalf("%v came (%v)", got, ok)
	case <-time.After(30 * time.Millisecond):
	}
}

// told waits until the logger was told.
func (f *following) told(what string) {
	f.t.Helper()
	require.Eventually(f.t, func() bool { return strings.Contains(f.log.String(), what) },
		patience, time.Millisecond, "%q is not in %q", what, f.log)
}

// TestFollowPartition follows another process's partition over its growth, a
// roll and a rebuilt index.
func TestFollowPartition(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		d.pair(t, 0, nil)
		f := follow(t, d, "", 0)
		f.quiet()
		all := numbered(0, 40)
		grow := func(from, to int) {
			d.append(t, recordsName, text(all[from:to]...))
			d.append(t, indexName, entries(text(all[:to]...))[8*(from+1):])
		}
		grow(0, 1)
		f.wants(0, all[0])
		grow(1, 20)
		f.wants(1, all[1:20]...)

		d.append(t, recordsName, text(all[20:30]...))
		f.quiet() // whole lines, but not published
		d.rename(t, indexName, entries(text(all[:30]...)))
		f.wants(20, all[20:30]...)

		d.pair(t, 30, text(all[30:]...))
		f.wants(30, all[30:]...)
		f.quiet()
	})
}

// TestFollowFrom begins at the watermark, and not beyond it.
func TestFollowFrom(t *testing.T) {
	for _, name := range []string{"", "app.jsonl"} {
		disks(t, func(t *testing.T, d disk) {
			d.pair(t, 0, text(numbered(0, 10)...))
			d.write(t, "app.jsonl", text(numbered(0, 10)...))
			log := d.open(t, name, Options{})
			for rec, err := range log.Follow(t.Context(), 11) {
				require.Zero(t, rec)
				requireRange(t, err, 11, 0, 10)
			}
			f := follow(t, d, name, 10)
			f.quiet()
			f.stop(errors.New("the reason"))
			for range f.got {
			}
			require.EqualError(t, f.last, "the reason")
		})
	}
}

// TestFollowFragments holds lines back until they are whole.
func TestFollowFragments(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		d.write(t, "f.jsonl", text(`{"n":0}`))
		f := follow(t, d, "f.jsonl", 0)
		f.wants(0, `{"n":0}`)
		long := strings.Repeat("x", blockBytes+5000)
		for _, part := range []string{`{"n":1,"p":"`, long[:5000], long[5000:]} {
			d.append(t, "f.jsonl", []byte(part))
			f.quiet()
		}
		d.append(t, "f.jsonl", []byte("\"}\n{\"n\":2}\n{\"n\""))
		f.wants(1, `{"n":1,"p":"`+long+`"}`, `{"n":2}`)
		d.append(t, "f.jsonl", []byte(":3}"))
		f.quiet() // complete, but it has no newline
		d.append(t, "f.jsonl", []byte("\n\n"))
		f.wants(3, `{"n":3}`, "")
		f.quiet()
		require.Empty(t, f.log.String())
	})
}

// TestFollowRewritten follows a file that is rewritten in place with as many
// bytes, more, or fewer.
func TestFollowRewritten(t *testing.T) {
	for _, indexed := range []bool{false, true} {
		disks(t, func(t *testing.T, d disk) {
			d.write(t, "live.jsonl", text(`{"i":0}`, `{"i":1}`))
			if indexed {
				d.write(t, "live.jsonl.index", entries(text(`{"i":0}`, `{"i":1}`)))
			}
			f := follow(t, d, "live.jsonl", 0)
			f.wants(0, `{"i":0}`, `{"i":1}`)
			for i, content := range [][]string{
				{`{"i":2}`, `{"i":3}`},
				{`{"i":4}`},
				{`{"i":5}`},
				{`{"i":6}`, `{"i":7}`, `{"i":8}`},
				{strings.Repeat("y", 3000)},
				{strings.Repeat("z", 3000)},
				{},
				{`{"i":9}`},
			} {
				d.write(t, "live.jsonl", text(content...))
				f.wants(0, content...)
				f.quiet()
				require.GreaterOrEqual(t, strings.Count(f.log.String(), "cut short or rewritten"), min(i+1, 7))
			}
		})
	}
}

// TestFollowIndexedRewritten meets a file that was rewritten while the part
// behind the index was still to be read.
func TestFollowIndexedRewritten(t *testing.T) {
	d := osDisk(t)
	old := numbered(0, 30_000)
	d.write(t, "app.jsonl", text(old...))
	d.write(t, "app.jsonl.index", entries(text(old...)))
	f := follow(t, d, "app.jsonl", 0)
	f.wants(0, old[:10]...)
	now := []string{"new 0", "new 1"}
	d.write(t, "app.jsonl", text(now...))
	// The block that was read is still given, and then the new content.
	for got := range f.got {
		if got.data == now[0] {
			break
		}
		require.Equal(t, old[got.offset], got.data)
	}
	f.wants(1, now[1])
	f.told("cut short or rewritten")
}

// TestFollowReplaced reads a file that is renamed away to its last newline,
// also what its writer adds after that, and then the one that takes its name.
func TestFollowReplaced(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		d.write(t, "app.jsonl", text("a0"))
		f := follow(t, d, "app.jsonl", 0)
		f.wants(0, "a0")
		for i := range 3 {
			d.append(t, "app.jsonl", text("late 1", "late 2"))
			d.append(t, "app.jsonl", []byte("a fragment"))
			old := fmt.Sprintf("app.jsonl.%d", i)
			require.NoError(t, d.fs.Rename(d.path("app.jsonl"), d.path(old)))
			f.wants(1, "late 1", "late 2")
			f.told("file is gone")
			d.append(t, old, []byte(" that ends\n"))
			f.wants(3, "a fragment that ends")
			d.write(t, "app.jsonl", text("b0", "b1"))
			f.wants(0, "b0", "b1")
			d.rename(t, "app.jsonl", text("c0"))
			f.wants(0, "c0")
			f.told("file was replaced")
		}
		f.quiet()
	})
}

// TestFollowUnlinked waits for a file that an editor unlinks and writes anew.
func TestFollowUnlinked(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("a", "b"))
	f := follow(t, d, "app.jsonl", 0)
	f.wants(0, "a", "b")
	for range 3 {
		require.NoError(t, d.fs.Remove(d.path("app.jsonl")))
		f.quiet()
		d.write(t, "app.jsonl", text("c", "d"))
		f.wants(0, "c", "d")
	}
}

// TestFollowTail begins with the last records.
func TestFollowTail(t *testing.T) {
	for _, name := range []string{"", "app.jsonl"} {
		for _, n := range []uint64{0, 1, 7, 100, UnknownOffset} {
			disks(t, func(t *testing.T, d disk) {
				all := numbered(0, 60)
				d.pair(t, 0, text(all[:50]...))
				d.write(t, "app.jsonl", text(all[:50]...))
				f := startFollowing(t, d, name, func(ctx context.Context, log *Log) iter.Seq2[Record, error] {
					return log.FollowTail(ctx, n)
				})
				first := 50 - int(min(n, 50))
				f.wants(uint64(first), all[first:50]...)
				if n == 0 {
					f.quiet() // it has found its place by then
				}
				d.append(t, "app.jsonl", text(all[50:]...))
				d.append(t, recordsName, text(all[50:]...))
				d.append(t, indexName, entries(text(all...))[8*51:])
				f.wants(50, all[50:]...)
			})
		}
	}
}

// TestFollowTailOpen waits for the newline of a last line that a one-shot read
// would count.
func TestFollowTailOpen(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", []byte("{\"n\":0}\n{\"n\":1}"))
	f := startFollowing(t, d, "app.jsonl", func(ctx context.Context, log *Log) iter.Seq2[Record, error] {
		return log.FollowTail(ctx, 1)
	})
	f.wants(0, `{"n":0}`)
	f.quiet()
	d.append(t, "app.jsonl", []byte("\n"))
	f.wants(1, `{"n":1}`)
}

// TestFollowRandomWrites writes bytes in pieces that respect no line.
func TestFollowRandomWrites(t *testing.T) {
	d := osDisk(t)
	all := numbered(0, 3000)
	data := text(all...)
	d.write(t, "app.jsonl", nil)
	f := follow(t, d, "app.jsonl", 0)
	go func() {
		rng := rand.New(rand.NewPCG(7, 8))
		for len(data) > 0 {
			n := min(len(data), 1+rng.IntN(900))
			d.append(t, "app.jsonl", data[:n])
			data = data[n:]
		}
	}()
	f.wants(0, all...)
}

// TestFollowTooLarge reports a line that may not be held and never grows with
// it.
func TestFollowTooLarge(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("a"))
	d.append(t, "app.jsonl", bytes.Repeat([]byte{0}, 1<<20))
	log := d.open(t, "app.jsonl", Options{MaxRecordBytes: 1000})
	var last error
	for _, err := range log.Follow(t.Context(), 0) {
		last = err
	}
	require.ErrorContains(t, last, "offset 1, position 2")
}

// TestFollowDamaged ends with the error of a partition that is damaged.
func TestFollowDamaged(t *testing.T) {
	d := osDisk(t)
	data := text(numbered(0, 10)...)
	d.write(t, recordsName, data)
	d.write(t, indexName, setEntry(entries(data), 5, 3))
	f := follow(t, d, "", 0)
	f.wants(0, numbered(0, 4)...)
	_, more := <-f.got
	require.False(t, more)
	requireCorrupt(t, f.last, segment.ErrIndexMismatch, 4)
}

// TestFollowIndexGone follows a partition whose index is removed, emptied or
// cut, and made again later: it waits, tells so, and goes on.
func TestFollowIndexGone(t *testing.T) {
	records := numbered(0, 200)
	idx := entries(text(records...))
	for _, c := range []struct {
		name string
		gone func(d disk)
	}{
		{"removed", func(d disk) { require.NoError(t, d.fs.Remove(d.path(indexName))) }},
		{"emptied", func(d disk) { d.cut(t, indexName, 0) }},
		{"cut", func(d disk) { d.cut(t, indexName, 8*51) }},
		{"cut within an entry", func(d disk) { d.cut(t, indexName, 8*51+3) }},
		{"zeros", func(d disk) { d.write(t, indexName, make([]byte, 8*102)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := osDisk(t)
			d.pair(t, 0, text(records[:100]...))
			f := follow(t, d, "", 0)
			f.wants(0, records[:100]...)
			c.gone(d)
			f.quiet()
			f.told("the index ends before what was read; waiting for it")
			d.append(t, recordsName, text(records[100:]...))
			d.rename(t, indexName, idx[:8*101])
			f.quiet()
			d.append(t, indexName, idx[8*101:])
			f.wants(100, records[100:]...)
		})
	}
}

// TestFollowIndexGoneBehind takes the index away from a follower that has not
// come to its end.
func TestFollowIndexGoneBehind(t *testing.T) {
	records := numbered(0, 20_000)
	d := osDisk(t)
	d.pair(t, 0, text(records...))
	f := follow(t, d, "", 0)
	f.wants(0, records[:10]...)
	d.cut(t, indexName, 0)
	d.rename(t, indexName, entries(text(records...)))
	f.wants(10, records[10:]...)
}

// TestFollowBreak leaves the loop; TestMain sees that nothing stays behind.
func TestFollowBreak(t *testing.T) {
	d := osDisk(t)
	d.write(t, "app.jsonl", text("a", "b"))
	log := d.open(t, "app.jsonl", Options{})
	for range 3 {
		for rec, err := range log.Follow(t.Context(), 0) {
			require.NoError(t, err)
			if rec.Offset == 1 {
				break
			}
		}
	}
	func() {
		defer func() { require.Equal(t, "leave", recover()) }()
		for _, err := range log.Follow(t.Context(), 0) {
			require.NoError(t, err)
			panic("leave")
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var last error
	for _, err := range log.Follow(ctx, 2) {
		last = err
	}
	require.ErrorIs(t, last, context.DeadlineExceeded)
	for src := range log.pool.all {
		require.Zero(t, src.refs)
	}
}

// TestFollowIndexBack: an index that comes back between the look that missed it
// and the one that asks why is no reason to end.
func TestFollowIndexBack(t *testing.T) {
	d := osDisk(t)
	d.pair(t, 0, text(numbered(0, 200)...))
	f := d.open(t, "", Options{}).newFollower(t.Context())
	defer f.close()
	require.NoError(t, f.r.Seek(100))
	f.begun = true
	require.True(t, f.withdrawn(&segment.RangeError{Offset: 100}))
	rec, err := f.read()
	require.NoError(t, err)
	require.EqualValues(t, 100, rec.Offset)
	require.False(t, f.withdrawn(&segment.CorruptError{Err: segment.ErrIndexMismatch}), "an index that reaches further is wrong")
}
