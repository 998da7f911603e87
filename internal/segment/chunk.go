package segment

import (
	"sort"
	"sync/atomic"
)

// chunk is one piece of the ring: lines that lie one behind the other in one
// segment. Its writer only adds to it, so what is there may be read without a
// lock. Once it has left the ring its memory is used again, unless somebody
// holds it.
type chunk struct {
	number atomic.Uint64 // in the ring; 0 before and after that
	pins   atomic.Int64  // who reads it
	lines  atomic.Int64  // so many may be read

	// Set before it gets its number.
	base  uint64 // of its segment
	first uint64 // offset of its first line
	at    int64  // position of that

	bytes []byte   // all its memory, of which used is taken
	ends  []uint32 // of the lines, from at on
	used  int      // the writer's
}

// memory is what the chunk takes.
func (c *chunk) memory() int64 { return int64(len(c.bytes)) + 4*int64(len(c.ends)) }

// fits reports whether there is room behind what the chunk has.
func (c *chunk) fits(size int64, lines int) bool {
	return int64(len(c.bytes)-c.used) >= size && int64(len(c.ends))-c.lines.Load() >= int64(lines)
}

// joins reports whether the line that has that offset and position comes next.
func (c *chunk) joins(base, first uint64, position int64) bool {
	n := c.lines.Load()
	return n == 0 || c.base == base && c.first+uint64(n) == first && c.at+int64(c.used) == position
}

// encoded reports whether lines were laid where the next ones of the chunk
// belong.
func (c *chunk) encoded(lines []byte) bool {
	return c.used < len(c.bytes) && &lines[0] == &c.bytes[c.used]
}

// add makes the bytes behind those that are taken lines of the chunk. The ends
// come before their number, which readers go by.
func (c *chunk) add(ends []int64) {
	n := c.lines.Load()
	for i, end := range ends {
		c.ends[int(n)+i] = uint32(end - c.at)
	}
	c.used = int(ends[len(ends)-1] - c.at)
	c.lines.Store(n + int64(len(ends)))
}

// pin keeps the memory of the chunk as it is, where it still has that number
// in the ring. The pin comes before the look at the number, and who takes the
// chunk out looks at the pins after changing the number, so that one of the
// two sees the other.
func (c *chunk) pin(number uint64) bool {
	c.pins.Add(1)
	if c.number.Load() == number {
		return true
	}
	c.pins.Add(-1)
	return false
}

// Held is a hold on lines that are in memory. It must be released soon: until
// then their memory is not used again.
type Held struct {
	c     *chunk
	lines uint64
}

// Release ends the hold.
func (h Held) Release() { h.c.pins.Add(-1) }

// Base is that of the segment in which the lines are.
func (h Held) Base() uint64 { return h.c.base }

// Next is the offset behind the lines that are held.
func (h Held) Next() uint64 { return h.c.first + h.lines }

// position returns where line k of the chunk begins, from the first on.
func (h Held) position(k uint64) int64 {
	if k == 0 {
		return 0
	}
	return int64(h.c.ends[k-1])
}

// Size is how many bytes the lines from offset from up to offset to have.
func (h Held) Size(from, to uint64) int {
	return int(h.position(to-h.c.first) - h.position(from-h.c.first))
}

// Position is where the line with that offset begins.
func (h Held) Position(offset uint64) int64 { return h.c.at + h.position(offset-h.c.first) }

// Line is the record with that offset, without its newline. It may be read
// until Release.
func (h Held) Line(offset uint64) []byte {
	k := offset - h.c.first
	start, end := h.position(k), h.position(k+1)-1
	return h.c.bytes[start:end:end]
}

// Longer reports whether the record with that offset has more than limit bytes.
func (h Held) Longer(offset uint64, limit int64) bool {
	return int64(h.Size(offset, offset+1)-1) > limit
}

// Ahead returns up to where the lines from offset from on, but none from limit
// on, have at most that many bytes. It is one line at least.
func (h Held) Ahead(from, limit uint64, bytes int) (to uint64) {
	limit = min(limit, h.Next())
	n := sort.Search(int(limit-from), func(i int) bool { return h.Size(from, from+uint64(i)+1) > bytes })
	return from + uint64(max(n, 1))
}

// Behind returns from where the lines before offset to have at most that many
// bytes. It is one line at least.
func (h Held) Behind(to uint64, bytes int) (from uint64) {
	n := sort.Search(int(to-h.c.first), func(i int) bool { return h.Size(to-uint64(i)-1, to) > bytes })
	return to - uint64(max(n, 1))
}

// Copy copies the lines from offset from on into dst, of which the length says
// how many bytes they are, and their fence posts into posts, one more than
// there are lines.
func (h Held) Copy(dst []byte, posts []int64, from uint64) {
	k := from - h.c.first
	copy(dst, h.c.bytes[h.position(k):])
	for i := range posts {
		posts[i] = h.c.at + h.position(k+uint64(i))
	}
}
