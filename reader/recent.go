package reader

import (
	"io"

	"example.com/jlq/internal/segment"
)

// In the process of the writer, the lines that were appended last are in
// memory, with their fence posts. What comes from there needs no proof: the
// writer checked the records, laid a newline behind each and accepted them, no
// other program can reach that memory, and it does not change while it is
// held.

// hold keeps the lines in memory among which record offset is, where it may be
// read from there: it is below the watermark and, by that layout, was not
// dropped. What the layout says of the lines is then to be asked of the same
// one: the next may begin behind them.
func (l *Log) hold(ly *layout, offset uint64) (h segment.Held, next uint64, ok bool) {
	if l.live == nil {
		return h, 0, false
	}
	// The watermark moves after the lines are there.
	next = l.live.Next()
	if offset >= next || offset < ly.start || l.ended.Load() {
		return h, next, false
	}
	h, ok = l.live.Hold(offset)
	return h, next, ok
}

// loadRecent makes lines from r.next on the block, where they are in memory.
func (r *Reader) loadRecent() (done bool, err error) {
	if r.next >= r.limit {
		return false, nil
	}
	ly := r.log.layout.Load()
	h, next, ok := r.log.hold(ly, r.next)
	if !ok {
		return false, r.endRecent(next)
	}
	defer h.Release()
	from, to := r.next, h.Ahead(r.next, min(r.limit, next), blockBytes)
	for n := from; n < to && int64(h.Size(from, to)) > ly.limit; n++ {
		if h.Longer(n, ly.limit) {
			to = n
		}
	}
	if from == to {
		return false, r.tooLarge(h, from)
	}
	r.take(h, from, to)
	return true, nil
}

// endRecent returns io.EOF where the reader stands at the watermark that was
// seen: what has come since is found in memory by the next call, not in the
// files by this one.
func (r *Reader) endRecent(next uint64) error {
	if r.log.live == nil || r.next != next || r.log.alive() != nil {
		return nil
	}
	return io.EOF
}

// loadRecentBack is loadRecent for the lines that end before r.next.
func (r *Reader) loadRecentBack() (done bool, err error) {
	if r.next == 0 {
		return false, nil
	}
	ly := r.log.layout.Load()
	h, _, ok := r.log.hold(ly, r.next-1)
	if !ok {
		return false, nil
	}
	defer h.Release()
	from, to := max(h.Behind(r.next, blockBytes), ly.start), r.next
	for n := to; n > from && int64(h.Size(from, to)) > ly.limit; n-- {
		if h.Longer(n-1, ly.limit) {
			from = n
		}
	}
	if from == to {
		return false, r.tooLarge(h, from-1)
	}
	r.take(h, from, to)
	return true, nil
}

// tooLarge is checkLimit for a line that is held.
func (r *Reader) tooLarge(h segment.Held, offset uint64) error {
	start := h.Position(offset)
	return r.checkLimit(r.log.pairAt(h.Base()).Records, offset, start, int64(h.Size(offset, offset+1))-1)
}

// pairAt is the names of the segment with that base.
func (l *Log) pairAt(base uint64) segment.Pair {
	if l.place.Bare {
		return segment.BarePair(l.place.Path)
	}
	return segment.PairAt(l.place.Path, base)
}

// take makes lines that are held the block.
func (r *Reader) take(h segment.Held, from, to uint64) {
	size, position := h.Size(from, to), h.Position(from)
	posts := r.fences(int(to-from) + 1)
	buf := r.bytes(size, position, r.log.opts.Retain)
	h.Copy(buf, posts, from)
	r.block = block{n: int(to - from), posts: posts, buf: buf, at: position}
	if src := r.lease.src; src != nil && src.Base != h.Base() {
		r.leaveSource() // the lines lie in another one
	}
	r.log.countRecent(from, size)
}

// countRecent counts what was read from memory, from offset on.
func (l *Log) countRecent(offset uint64, bytes int) {
	if s, _ := l.layout.Load().find(offset); s != nil {
		s.counted().tail.count(bytes)
	}
}

// recent reads record offset from memory into that of dst.
func (l *Log) recent(dst []byte, offset uint64) ([]byte, bool) {
	ly := l.layout.Load()
	h, _, ok := l.hold(ly, offset)
	if !ok {
		return dst, false
	}
	defer h.Release()
	if h.Longer(offset, ly.limit) {
		return dst, false
	}
	line := h.Line(offset)
	l.stats.gets.Add(1)
	l.countRecent(offset, len(line)+1)
	return append(dst, line...), true
}
