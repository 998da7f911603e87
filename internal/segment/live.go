package segment

import (
	"sync"
	"sync/atomic"
)

// Live is what a writer shares with the readers of its own process: the high
// watermark, the lines that were appended last, the positions that the index
// file does not have yet, and the wake-up of those who wait for more. It is
// safe for concurrent use; the methods that change it belong to the writer.
//
// Readers take no lock, neither of what is in the ring nor of what is
// published. Only positions that are younger than the last publication (2 ms at
// most) and not in the ring are read under the mutex of the tail.
type Live struct {
	base      atomic.Uint64 // only grows; written under the mutex of the tail
	next      atomic.Uint64
	published atomic.Uint64
	written   atomic.Uint64
	ring      ring
	tail      tail
	wake      wake
}

// tail holds the fence posts of the unpublished records.
type tail struct {
	mu        sync.Mutex
	first     uint64  // offset of the record that positions[0] begins
	positions []int64 // one more than there are records in the tail
}

// NewLive begins with all records below next published, in a segment with
// that base whose records file ends at end.
func NewLive(base, next uint64, end int64) *Live {
	l := &Live{}
	l.base.Store(base)
	l.next.Store(next)
	l.published.Store(next)
	l.tail.first = next
	l.written.Store(next)
	l.tail.positions = []int64{end}
	l.ring.init(DefaultTail)
	return l
}

// Base is the base offset of the segment that the writer appends to. It only
// grows, so what was read of Next and Published is of that segment where Base
// says afterwards what it said before.
func (l *Live) Base() uint64 { return l.base.Load() }

// KeepTail says how many bytes of memory the lines that were appended last may
// take. It comes before there are any.
func (l *Live) KeepTail(bytes int) { l.ring.init(int64(bytes)) }

// Next is the high watermark: every record below it can be read, from the
// files or from the tail.
func (l *Live) Next() uint64 { return l.next.Load() }

// Published is the offset below which the index file describes the records.
func (l *Live) Published() uint64 { return l.published.Load() }

// Positions copies fence posts from the tail: dst[0] is where record from
// begins, dst[n-1] where record from+n-2 ends. ok is false when record from
// was published in the meantime, so that the index file of its segment has it.
// n is 1 when from is the watermark.
func (l *Live) Positions(from uint64, dst []int64) (n int, ok bool) {
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	if from < l.tail.first || from-l.tail.first >= uint64(len(l.tail.positions)) {
		return 0, false
	}
	return copy(dst, l.tail.positions[from-l.tail.first:]), true
}

// Written is the offset below which the records file has the records. Those
// from there on are in the ring.
func (l *Live) Written() uint64 { return l.written.Load() }

// Hold keeps lines that are in memory there, record offset among them. ok is
// false where that is not. It may be beyond the watermark for a moment.
func (l *Live) Hold(offset uint64) (h Held, ok bool) {
	c := l.ring.hold(offset)
	if c == nil {
		return Held{}, false
	}
	return Held{c, uint64(c.lines.Load())}, true
}

// Tail is how many bytes of memory the ring takes, and how many it may.
func (l *Live) Tail() (bytes, most int64) { return l.ring.memory.Load(), l.ring.bound }

// Room returns memory for the next lines, so many bytes of them, of length 0.
// Lines that are encoded there need not be copied to be kept. It returns nil
// where they are too large, or where lines that are not written yet would have
// to go for them.
func (l *Live) Room(size int64, lines int) []byte {
	l.ring.follow(l.base.Load(), l.next.Load(), l.end())
	c := l.ring.room(size, lines)
	if c == nil {
		return nil
	}
	return c.bytes[c.used : c.used : c.used+int(size)]
}

// Extend makes records visible in the process that are in the file: ends are
// the positions behind their newlines, lines their bytes.
func (l *Live) Extend(ends []int64, lines []byte) {
	l.extend(ends, lines)
	next := l.next.Load() + uint64(len(ends))
	l.written.Store(next)
	l.advance(next)
}

// Buffer makes records visible in the process that are not in the file yet.
// Their lines were encoded in what Room returned.
func (l *Live) Buffer(ends []int64, lines []byte) {
	c := l.ring.open
	from := c.used
	l.extend(ends, lines)
	l.ring.buffer(c, from)
	l.advance(l.next.Load() + uint64(len(ends)))
}

// extend fills the ring before the watermark moves, and the tail before that,
// so that whoever sees the one finds the other.
func (l *Live) extend(ends []int64, lines []byte) {
	l.tail.mu.Lock()
	l.tail.positions = append(l.tail.positions, ends...)
	l.tail.mu.Unlock()
	if len(ends) == 0 {
		return
	}
	l.ring.add(l.base.Load(), l.next.Load(), ends, lines)
}

func (l *Live) advance(next uint64) {
	l.next.Store(next)
	if l.wake.waiting.Load() > 0 {
		l.wake.all(false)
	}
}

// end is where the next record begins.
func (l *Live) end() int64 { return l.tail.positions[len(l.tail.positions)-1] }

// Buffered returns lines that are not written yet, the first that have to be;
// none where all are. They do not change.
func (l *Live) Buffered() []byte { return l.ring.next() }

// Unwritten is how many bytes are not written yet.
func (l *Live) Unwritten() int { return l.ring.waiting }

// Flushed says that the file has what Buffered returned.
func (l *Live) Flushed() { l.written.Store(l.ring.flushed()) }

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

// Roll goes over to the segment that begins at the watermark. All records
// below it are published. The lines of the old segment stay in the ring.
func (l *Live) Roll() {
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	l.tail.first = l.next.Load()
	l.tail.positions = append(l.tail.positions[:0], 0)
	l.base.Store(l.tail.first)
}

// Restart begins anew with all records below next published, in the segment with
// that base whose records end at end. It is for a Live that no reader looks at,
// in which a writer keeps where it stands.
func (l *Live) Restart(base, next uint64, end int64) {
	l.tail.mu.Lock()
	l.tail.first = next
	l.tail.positions = append(l.tail.positions[:0], end)
	l.base.Store(base)
	l.tail.mu.Unlock()
	l.published.Store(next)
	l.written.Store(next)
	l.advance(next)
}

// Close wakes every waiter for good.
func (l *Live) Close() { l.wake.all(true) }
