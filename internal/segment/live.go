package segment

import (
	"context"
	"io/fs"
	"sync"
	"sync/atomic"
)

// Live is what a writer shares with the readers of its own process: the high
// watermark, the records that the index file does not describe yet, and the
// wake-up of those who wait for more. It is safe for concurrent use; the
// methods that change it belong to the writer.
//
// Readers of published records take no lock. Only what is younger than the
// last publication (2 ms at most, except under SyncBuffered) is read under
// the mutex of the tail.
type Live struct {
	base      uint64
	next      atomic.Uint64
	published atomic.Uint64
	tail      tail
	wake      wake
}

// tail holds the fence posts of the unpublished records, and the bytes of
// those that are not written yet.
type tail struct {
	mu        sync.Mutex
	first     uint64  // offset of the record that positions[0] begins
	positions []int64 // one more than there are records in the tail
	bytes     []byte  // records from position bytesAt on: not in the file yet
	bytesAt   int64
}

// wake lets followers sleep until the watermark moves.
type wake struct {
	waiters atomic.Int64
	mu      sync.Mutex
	ch      chan struct{}
	closed  bool
}

// NewLive begins with all records below next published, in a segment with
// that base whose records file ends at end.
func NewLive(base, next uint64, end int64) *Live {
	l := &Live{base: base}
	l.next.Store(next)
	l.published.Store(next)
	l.tail.first = next
	l.tail.positions = []int64{end}
	l.tail.bytesAt = end
	l.wake.ch = make(chan struct{})
	return l
}

// Base is the base offset of the segment that the writer appends to.
func (l *Live) Base() uint64 { return l.base }

// Next is the high watermark: every record below it can be read, from the
// files or from the tail.
func (l *Live) Next() uint64 { return l.next.Load() }

// Published is the offset below which the index file describes the records.
func (l *Live) Published() uint64 { return l.published.Load() }

// Positions copies fence posts from the tail: dst[0] is where record from
// begins, dst[n-1] where record from+n-2 ends. ok is false when record from
// was published in the meantime, so that the index file has it. n is 1 when
// from is the watermark.
func (l *Live) Positions(from uint64, dst []int64) (n int, ok bool) {
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	if from < l.tail.first || from-l.tail.first >= uint64(len(l.tail.positions)) {
		return 0, false
	}
	return copy(dst, l.tail.positions[from-l.tail.first:]), true
}

// Unwritten copies into p the bytes from position on that are not in the
// records file yet, and returns how many of p's leading bytes the file has:
// those must be read from it, after this call.
func (l *Live) Unwritten(p []byte, position int64) (inFile int) {
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	if len(l.tail.bytes) == 0 || position+int64(len(p)) <= l.tail.bytesAt {
		return len(p)
	}
	inFile = int(max(0, l.tail.bytesAt-position))
	copy(p[inFile:], l.tail.bytes[position+int64(inFile)-l.tail.bytesAt:])
	return inFile
}

// Wait returns nil as soon as the watermark is above after, the error's cause
// when ctx ends first, and [fs.ErrClosed] when the writer closes.
func (l *Live) Wait(ctx context.Context, after uint64) error {
	for {
		ch, closed := l.wake.register()
		// Only now is the watermark compared: an advance that came before
		// registering is seen here, one that comes after it closes ch.
		if l.next.Load() > after || closed {
			l.wake.waiters.Add(-1)
			if l.next.Load() > after {
				return nil
			}
			return fs.ErrClosed
		}
		select {
		case <-ch:
			l.wake.waiters.Add(-1)
		case <-ctx.Done():
			l.wake.waiters.Add(-1)
			return context.Cause(ctx)
		}
	}
}

func (w *wake) register() (ch chan struct{}, closed bool) {
	w.waiters.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ch, w.closed
}

func (w *wake) all(closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	close(w.ch)
	w.closed = closed
	if !closed {
		w.ch = make(chan struct{})
	}
}

// Extend makes records visible in the process: ends are the positions behind
// their newlines. bytes are theirs where they are not in the file yet
// (SyncBuffered), else nil. It is copied.
func (l *Live) Extend(ends []int64, bytes []byte) {
	l.tail.mu.Lock()
	l.tail.positions = append(l.tail.positions, ends...)
	l.tail.bytes = append(l.tail.bytes, bytes...)
	l.tail.mu.Unlock()
	l.advance(l.next.Load() + uint64(len(ends)))
}

func (l *Live) advance(next uint64) {
	l.next.Store(next)
	if l.wake.waiters.Load() > 0 {
		l.wake.all(false)
	}
}

// Written says that the file now holds everything below position.
func (l *Live) Written(position int64) {
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	l.tail.bytes = l.tail.bytes[:0]
	l.tail.bytesAt = position
}

// Buffered returns the bytes that are not written yet. They are valid until
// the next call of a method that changes the tail, which only the writer does.
func (l *Live) Buffered() []byte { return l.tail.bytes }

// Pending returns the ends of the unpublished records: the entries to write.
// They are valid until the next call of a method that changes the tail.
func (l *Live) Pending() []int64 { return l.tail.positions[1:] }

// SetPublished says that the index file describes n more records. They leave
// the tail.
func (l *Live) SetPublished(n int) {
	l.published.Add(uint64(n))
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	l.tail.first += uint64(n)
	kept := copy(l.tail.positions, l.tail.positions[n:])
	l.tail.positions = l.tail.positions[:kept]
}

// Close wakes every waiter for good.
func (l *Live) Close() { l.wake.all(true) }
