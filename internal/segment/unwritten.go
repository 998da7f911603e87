package segment

// Lines that are not in the file yet (SyncBuffered) are in the ring and nowhere
// else, so a chunk that has some stays there until they are written.

// run is bytes of one chunk that are not in the file yet.
type run struct {
	c        *chunk
	from, to int
	next     uint64 // offset behind their last record
}

// buffer remembers that the bytes of c from one place on are still to be
// written.
func (r *ring) buffer(c *chunk, from int) {
	next := c.first + uint64(c.lines.Load())
	r.waiting += c.used - from
	if n := len(r.unwritten); n > 0 && r.unwritten[n-1].c == c {
		r.unwritten[n-1].to, r.unwritten[n-1].next = c.used, next
		return
	}
	r.unwritten = append(r.unwritten, run{c, from, c.used, next})
}

// next returns the bytes of the first run.
func (r *ring) next() []byte {
	if len(r.unwritten) == 0 {
		return nil
	}
	first := r.unwritten[0]
	return first.c.bytes[first.from:first.to:first.to]
}

// flushed drops the first run and returns the offset behind it.
func (r *ring) flushed() (next uint64) {
	first := r.unwritten[0]
	r.waiting -= first.to - first.from
	r.unwritten = append(r.unwritten[:0], r.unwritten[1:]...)
	return first.next
}
