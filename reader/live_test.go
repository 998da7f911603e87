package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
	"example.com/jlq/internal/vfs"
)

// stage is how far the records of a fake writer have come: buffered in memory,
// written to the file, described by the index.
type stage int

const (
	buffered stage = iota
	written
	published
)

// fakeWriter drives a Live as a writer does, and lets a test choose how far
// each batch comes.
type fakeWriter struct {
	t    testing.TB
	d    disk
	name string // of the records file
	idx  string
	live *segment.Live
	end  int64
	next uint64
}

// newFakeWriter begins with n published records in the segment at base.
func newFakeWriter(t testing.TB, d disk, base uint64, n int) *fakeWriter {
	pair := segment.PairAt("", base)
	w := &fakeWriter{t: t, d: d, name: pair.Records, idx: pair.Index}
	data := text(numbered(int(base), n)...)
	d.pair(t, base, data)
	w.end, w.next = int64(len(data)), base+uint64(n)
	w.live = segment.NewLive(base, w.next, w.end)
	return w
}

func (w *fakeWriter) attach(opts Options) *Log {
	opts.FS = w.d.fs
	log, err := Attach(segment.Place{Path: w.d.dir}, w.live, nil, &opts)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { log.Close() })
	return log
}

// add appends n records that come to that stage. Those added before come at
// least as far.
func (w *fakeWriter) add(n int, to stage) {
	records := numbered(int(w.next), n)
	var ends []int64
	for _, r := range records {
		w.end += int64(len(r)) + 1
		ends = append(ends, w.end)
	}
	w.next += uint64(n)
	data := text(records...)
	if to == buffered && w.buffer(ends, data) {
		return
	}
	w.flush()
	w.d.append(w.t, w.name, data)
	w.live.Extend(ends, data)
	if to == published {
		w.publish()
	}
}

// buffer keeps data in memory, and writes what was there where it has to.
func (w *fakeWriter) buffer(ends []int64, data []byte) bool {
	room := w.live.Room(int64(len(data)), len(ends))
	if room == nil {
		w.flush()
		room = w.live.Room(int64(len(data)), len(ends))
	}
	if room == nil || len(ends) == 0 {
		return false
	}
	w.live.Buffer(ends, append(room, data...))
	return true
}

// flush writes what is buffered.
func (w *fakeWriter) flush() {
	for b := w.live.Buffered(); len(b) > 0; b = w.live.Buffered() {
		w.d.append(w.t, w.name, b)
		w.live.Flushed()
	}
}

// publish writes the entries of everything.
func (w *fakeWriter) publish() {
	w.flush()
	var idx []byte
	for _, end := range w.live.Pending() {
		idx = index.AppendEntry(idx, end)
	}
	w.d.append(w.t, w.idx, idx)
	w.live.SetPublished(len(idx) / index.EntrySize)
}

// TestLiveWays reads a log of which parts are published, written and
// buffered.
func TestLiveWays(t *testing.T) {
	for _, c := range []struct {
		name                         string
		published, written, buffered int
	}{
		{"published", 500, 0, 0},
		{"written", 0, 500, 0},
		{"buffered", 0, 0, 500},
		{"all", 5000, 3000, 9000},
		{"tail larger than a block", 10, 5000, 5000},
		{"one each", 1, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			disks(t, func(t *testing.T, d disk) {
				hundreds(t, d, 0)
				w := newFakeWriter(t, d, 100, 0)
				w.add(c.published, published)
				w.add(c.written, written)
				w.add(c.buffered, buffered)
				log := w.attach(Options{})
				f := fixture{want: numbered(0, 100+c.published+c.written+c.buffered)}
				for _, way := range ways() {
					checkRecords(t, &f, way.name, way.read(t, log, &f))
				}
				_, next, err := log.Bounds(t.Context())
				require.NoError(t, err)
				require.Equal(t, f.next(), next)
				w.publish()
				for _, way := range ways() {
					checkRecords(t, &f, way.name, way.read(t, log, &f))
				}
				_, err = log.Get(f.next())
				requireRange(t, err, f.next(), 0, f.next())
			})
		})
	}
}

// TestLiveNext returns io.EOF at the watermark and goes on from there.
func TestLiveNext(t *testing.T) {
	d := osDisk(t)
	w := newFakeWriter(t, d, 0, 0)
	log := w.attach(Options{})
	r := log.Reader(0)
	rng := rand.New(rand.NewPCG(3, 4))
	read := uint64(0)
	for range 300 {
		w.add(rng.IntN(4), stage(rng.IntN(3)))
		for read < w.next {
			rec, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, read, rec.Offset)
			require.Equal(t, numbered(int(read), 1)[0], string(rec.Data))
			read++
		}
		_, err := r.Next()
		require.Equal(t, io.EOF, err)
	}
}

// TestLiveConcurrent reads in several ways what a writer is adding.
func TestLiveConcurrent(t *testing.T) {
	for _, memory := range []int{0, 10_000, segment.DefaultTail} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) { liveConcurrent(t, memory) })
	}
}

func liveConcurrent(t *testing.T, memory int) {
	d := osDisk(t)
	w := newFakeWriter(t, d, 0, 0)
	w.live.KeepTail(memory)
	log := w.attach(Options{})
	const total = 6000
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() { followAll(t, log, total) })
	}
	readers.Go(func() { getNewest(t, log, total) })
	readers.Go(func() { scanOften(t, log, total) })
	rng := rand.New(rand.NewPCG(5, 6))
	for w.next < total {
		w.add(min(rng.IntN(20), total-int(w.next)), stage(rng.IntN(3)))
	}
	readers.Wait()
}

// TestGetBesideAppends asks for records that are being added, in this process
// and from outside. Each is there, or the error says that the log ends before it.
func TestGetBesideAppends(t *testing.T) {
	for _, ahead := range []uint64{0, 1} {
		d := osDisk(t)
		w := newFakeWriter(t, d, 0, 1)
		here, outside := w.attach(Options{}), d.open(t, "", Options{})
		const total = 4000
		var readers sync.WaitGroup
		for name, log := range map[string]*Log{"here": here, "outside": outside} {
			readers.Go(func() { getAhead(t, name, log, ahead, total) })
		}
		for w.next < total {
			w.add(1, published)
		}
		readers.Wait()
	}
}

// getAhead gets the record so many behind the end, until there are total.
func getAhead(t *testing.T, name string, log *Log, ahead, total uint64) {
	for {
		_, next, err := log.Bounds(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil || next == total {
			return
		}
		data, err := log.Get(next + ahead)
		if e, ok := errors.AsType[*segment.RangeError](err); ok && e.Offset >= e.Next {
			continue
		}
		if err != nil || string(data) != numbered(int(next+ahead), 1)[0] {
			t.Errorf("%s: record %d is %q: %v", name, next+ahead, data, err)
			return
		}
	}
}

func followAll(t *testing.T, log *Log, total uint64) {
	next := uint64(0)
	for rec, err := range log.Follow(t.Context(), 0) {
		if err != nil || rec.Offset != next || string(rec.Data) != numbered(int(next), 1)[0] {
			t.Errorf("record %d: %d %q %v", next, rec.Offset, rec.Data, err)
			return
		}
		if next++; next == total {
			return
		}
	}
}

func getNewest(t *testing.T, log *Log, total uint64) {
	var buf []byte
	for {
		_, next, err := log.Bounds(t.Context())
		if err == nil && next > 0 {
			buf, err = log.GetInto(buf, next-1)
			if err == nil && string(buf) != numbered(int(next-1), 1)[0] {
				err = fmt.Errorf("record %d is %q", next-1, buf)
			}
		}
		if err != nil {
			t.Error(err)
			return
		}
		if next == total {
			return
		}
	}
}

func scanOften(t *testing.T, log *Log, total uint64) {
	for {
		next := uint64(0)
		for rec, err := range log.Tail(300).Records() {
			if err != nil || string(rec.Data) != numbered(int(rec.Offset), 1)[0] {
				t.Errorf("record %d is %q: %v", rec.Offset, rec.Data, err)
				return
			}
			next = rec.Offset + 1
		}
		for rec, err := range log.Backward(UnknownOffset) {
			if err != nil || string(rec.Data) != numbered(int(rec.Offset), 1)[0] {
				t.Errorf("record %d is %q: %v", rec.Offset, rec.Data, err)
				return
			}
			if rec.Offset%500 == 0 {
				break
			}
		}
		if next == total {
			return
		}
	}
}

// TestLiveRecordsEnd reads to the watermark seen at the start, however fast the
// writer goes on.
func TestLiveRecordsEnd(t *testing.T) {
	d := osDisk(t)
	w := newFakeWriter(t, d, 0, 10)
	log := w.attach(Options{})
	for _, seq := range []func(func(Record, error) bool){
		log.Records(0), log.Range(0, UnknownOffset), log.Reader(0).Records(), log.Tail(1 << 40).Records(),
	} {
		want, n := w.next, uint64(0)
		for _, err := range seq {
			require.NoError(t, err)
			w.add(1, written)
			n++
		}
		require.Equal(t, want, n)
	}
}

// TestLiveFollowWaits waits without polling: in a bubble, where time passes
// only when everybody waits, none passes.
func TestLiveFollowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		require.NoError(t, mem.Mkdir("/log", 0o700))
		w := newFakeWriter(t, disk{mem, "/log"}, 0, 3)
		log := w.attach(Options{})
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan string)
		var last error
		go func() {
			defer close(got)
			for rec, err := range log.Follow(ctx, 1) {
				if err != nil {
					last = err
					return
				}
				got <- string(rec.Data)
			}
		}()
		began := time.Now()
		for _, want := range numbered(1, 2) {
			require.Equal(t, want, <-got)
		}
		synctest.Wait()
		for i, st := range []stage{written, buffered, published} {
			w.add(1, st)
			require.Equal(t, numbered(3+i, 1)[0], <-got)
			synctest.Wait()
		}
		require.Zero(t, time.Since(began))
		why := errors.New("enough")
		cancel(why)
		_, more := <-got
		require.False(t, more)
		require.ErrorIs(t, last, why)
		require.NoError(t, log.Close())
	})
}

// TestLiveClose ends followers when the writer or the log is closed.
func TestLiveClose(t *testing.T) {
	for _, who := range []string{"writer", "log"} {
		t.Run(who, func(t *testing.T) {
			d := osDisk(t)
			w := newFakeWriter(t, d, 0, 1)
			log := w.attach(Options{})
			time.AfterFunc(20*time.Millisecond, func() {
				if who == "writer" {
					w.live.Close()
				} else {
					log.Close()
				}
			})
			var last error
			for rec, err := range log.Follow(t.Context(), 0) {
				if last = err; err != nil {
					require.Zero(t, rec)
				}
			}
			require.ErrorIs(t, last, fs.ErrClosed)
		})
	}
}

// TestLiveUnwritten: a block of which the first records are in the file and no
// longer in memory ends where the file does.
func TestLiveUnwritten(t *testing.T) {
	d := osDisk(t)
	w := newFakeWriter(t, d, 0, 0)
	w.live.KeepTail(2000)
	log := w.attach(Options{})
	const total = 2000
	for w.next < total {
		w.add(1, buffered) // and the oldest are written where they have to be
	}
	require.Less(t, w.live.Written(), w.next)
	next := uint64(0)
	for rec, err := range log.Records(0) {
		require.NoError(t, err)
		require.Equal(t, next, rec.Offset)
		require.Equal(t, numbered(int(next), 1)[0], string(rec.Data))
		next++
	}
	require.Equal(t, uint64(total), next)
	require.Zero(t, log.Stats().Retries)
}

// TestEndOfRecent: who stands at the watermark of the writer in this process is
// at the end. What comes a moment later is found in memory by the next call: the
// files are not looked at for it.
func TestEndOfRecent(t *testing.T) {
	disks(t, func(t *testing.T, d disk) {
		w := newFakeWriter(t, d, 0, 3)
		log := w.attach(Options{})
		r := log.Reader(3)
		require.NoError(t, r.begin())
		done, err := r.loadRecent()
		require.False(t, done)
		require.Equal(t, io.EOF, err)
		w.add(1, buffered)
		done, err = r.loadRecent()
		require.NoError(t, err)
		require.True(t, done)

		r = log.Reader(2) // from before the writer: in the files only
		require.NoError(t, r.begin())
		done, err = r.loadRecent()
		require.NoError(t, err)
		require.False(t, done)
	})
}
