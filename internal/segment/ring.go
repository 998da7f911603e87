package segment

import (
	"math"
	"sort"
	"sync/atomic"
)

const (
	// DefaultTail is how much memory the lines that were appended last take
	// unless an option says otherwise: some milliseconds of the fastest
	// appending, which is longer than a follower that was woken waits for a
	// processor, and little enough that the memory which is written anew all the
	// time stays in the processor's cache.
	DefaultTail = 2 << 20

	// ringSlots is the most chunks that there are.
	ringSlots = 16

	// chunkBytes is the memory for lines of one chunk when the ring has its full
	// size. The first ones are smaller, so that a log that gets few records
	// takes little memory.
	chunkBytes      = 256 << 10
	firstChunkBytes = 4 << 10

	// lineBytes is the length of a line for which a chunk has as many ends as
	// lines. Where they are shorter, it is full before its bytes are.
	lineBytes = 16
)

// ring keeps the lines that were appended last, for readers in the process: so
// those that follow read no file. It holds accepted lines only, which no
// writer takes back. It is bounded in bytes, and lines of which one is larger
// than that are not kept.
//
// The writer encodes a batch where it will lie in the ring (room) and makes it
// visible there when it is accepted (add), so keeping it costs no copy.
type ring struct {
	bound  int64         // bytes of memory
	newest atomic.Uint64 // number of the newest chunk; 0: there is none yet
	oldest atomic.Uint64 // no record before this one is held
	memory atomic.Int64
	slots  [ringSlots]atomic.Pointer[chunk] // by number modulo their number

	// The writer's own.
	open      *chunk // what comes next goes there; it may not have a number yet
	eldest    uint64 // number of the oldest chunk
	size      int64  // of the chunk that was made last
	unwritten []run
	waiting   int // bytes in them
}

func (r *ring) init(bound int64) {
	r.bound, r.eldest = bound, 1
	r.oldest.Store(math.MaxUint64)
}

// room returns a chunk that has memory for so many bytes and lines behind
// those it holds, or nil where that is more than the ring may take, or where
// lines that are not written yet would have to go for it.
func (r *ring) room(size int64, lines int) *chunk {
	if r.open != nil && r.open.fits(size, lines) {
		return r.open
	}
	bytes := max(size, min(max(2*r.size, firstChunkBytes), chunkBytes, r.bound/8))
	ends := max(bytes/lineBytes, int64(lines))
	if bytes > math.MaxUint32 || bytes+4*ends > r.bound {
		return nil
	}
	r.seal()
	c, ok := r.space(bytes, ends)
	if !ok {
		return nil
	}
	if c == nil {
		c = &chunk{bytes: make([]byte, bytes), ends: make([]uint32, ends)}
		r.size = min(bytes, chunkBytes)
	}
	r.memory.Add(c.memory())
	r.open = c
	return c
}

// space takes old chunks out of the ring until there is space for one more. c
// is one of them where it can be used again.
func (r *ring) space(bytes, ends int64) (c *chunk, ok bool) {
	for r.memory.Load()+bytes+4*ends > r.bound || r.newest.Load()+1-r.eldest == ringSlots {
		c := r.slots[r.eldest%ringSlots].Load()
		if r.eldest > r.newest.Load() || len(r.unwritten) > 0 && r.unwritten[0].c == c {
			return nil, false
		}
		free := r.evict(c)
		has := int64(len(c.bytes))
		if free && has >= bytes && has <= 2*bytes && int64(len(c.ends)) >= ends {
			c.used = 0
			c.lines.Store(0)
			return c, true
		}
	}
	return nil, true
}

// evict takes the oldest chunk out of the ring. free says that nobody reads it.
func (r *ring) evict(c *chunk) (free bool) {
	r.eldest++
	oldest := uint64(math.MaxUint64)
	if r.eldest <= r.newest.Load() {
		oldest = r.slots[r.eldest%ringSlots].Load().first
	}
	r.oldest.Store(oldest)
	r.memory.Add(-c.memory())
	c.number.Store(0)
	return c.pins.Load() == 0
}

// add makes lines visible in the ring. ends are the positions behind their
// newlines in the segment with that base; the first has offset first. They are
// copied, unless they were encoded where room said.
func (r *ring) add(base, first uint64, ends []int64, lines []byte) {
	start := ends[len(ends)-1] - int64(len(lines))
	r.follow(base, first, start)
	if r.open == nil || !r.open.encoded(lines) {
		k := r.kept(ends, start)
		if k == len(ends) {
			return
		}
		if k > 0 {
			lines = lines[ends[k-1]-start:]
			first, start, ends = first+uint64(k), ends[k-1], ends[k:]
		}
		copy(r.open.bytes[r.open.used:], lines)
	}
	c := r.open
	if c.number.Load() == 0 {
		c.base, c.first, c.at = base, first, start
	}
	c.add(ends)
	r.publish(c)
}

// follow seals the open chunk where what comes next does not lie behind its
// lines: it is in another segment, or what came before it is not kept.
func (r *ring) follow(base, first uint64, position int64) {
	if r.open != nil && !r.open.joins(base, first, position) {
		r.seal()
	}
}

// seal lets nothing more come behind the lines of the open chunk. One that has
// none is given up.
func (r *ring) seal() {
	if r.open != nil && r.open.number.Load() == 0 {
		r.memory.Add(-r.open.memory())
	}
	r.open = nil
}

// kept finds room for the lines from number k on, at the end of a batch: all
// of them, or those that a chunk holds, or just the last, or none.
func (r *ring) kept(ends []int64, start int64) (k int) {
	n := len(ends)
	end := ends[n-1]
	if r.room(end-start, n) != nil {
		return 0
	}
	r.seal()
	most := min(chunkBytes, r.bound/8)
	k = sort.Search(n, func(i int) bool { return end-ends[i] <= most && int64(n-i-1) <= most/lineBytes }) + 1
	for _, k := range []int{k, n - 1} {
		if k > 0 && k < n && r.room(end-ends[k-1], n-k) != nil {
			return k
		}
	}
	return n
}

// publish gives a chunk its number once it has lines.
func (r *ring) publish(c *chunk) {
	if c.number.Load() != 0 {
		return
	}
	number := r.newest.Load() + 1
	c.number.Store(number)
	r.slots[number%ringSlots].Store(c)
	r.newest.Store(number)
	if number == r.eldest {
		r.oldest.Store(c.first)
	}
}

// hold pins the chunk that has record offset, or returns nil.
func (r *ring) hold(offset uint64) *chunk {
	if offset < r.oldest.Load() {
		return nil
	}
	for number := r.newest.Load(); number > 0; number-- {
		c := r.slots[number%ringSlots].Load()
		if !c.pin(number) {
			return nil // it has left the ring, and so have those before it
		}
		if offset >= c.first && offset-c.first < uint64(c.lines.Load()) {
			return c
		}
		before := offset < c.first
		c.pins.Add(-1)
		if !before {
			return nil
		}
	}
	return nil
}
