package reader

import "bytes"

// countAhead is how much of a bare file is counted to know the offsets of its
// last records. Beyond that, they are found from the end and their offsets are
// unknown, so that the end of a file of 200 GB is there at once.
const countAhead = 64 << 20

// Tail returns a cursor at the n-th record from the end, or at the first where
// there are fewer. The end is where the log ends when the cursor is first
// used. In a bare file with more than 64 MiB that neither its index nor an
// earlier reading covers, it is found by reading backwards, and records have
// [UnknownOffset].
func (l *Log) Tail(n uint64) *Reader {
	r := l.Reader(0)
	r.tail = &n
	return r
}

// placeTail finds the record that Tail was asked for.
func (r *Reader) placeTail() error {
	n := *r.tail
	if err := r.placeAtEnd(); err != nil {
		return err
	}
	r.tail = nil
	if r.step == 0 {
		return r.backLines(n)
	}
	start := r.log.layout.Load().start
	r.next -= min(n, r.next-min(start, r.next))
	if r.lease.src != nil && r.next < r.lease.src.Base {
		r.leaveSource()
	}
	return nil
}

// placeAtEnd makes the end of the log the offset that the reader stands at:
// behind the last record that can be read.
func (r *Reader) placeAtEnd() error {
	if !r.log.indexed() {
		return r.placeBefore(UnknownOffset)
	}
	_, next, err := r.log.Bounds(r.ctx)
	r.next = next
	return err
}

// placeBefore makes before, or the end of the log where that is lower, the
// offset that the reader stands at. UnknownOffset is the end, and for a bare
// file of which too much is not counted leaves the reader at the start of its
// unterminated last line, or at its end, without offsets.
func (r *Reader) placeBefore(before uint64) error {
	if r.log.indexed() {
		_, next, err := r.log.watermark()
		r.next = min(before, next)
		return err
	}
	src, size, err := r.log.bareEnd()
	if err != nil {
		return err
	}
	r.hold(src, UnknownOffset)
	if before <= r.indexed {
		r.next = before
		return nil
	}
	known := max(src.lines.furthest().pos, 0)
	if before == UnknownOffset && size-known > countAhead {
		r.step, r.next = 0, UnknownOffset
		return r.standAtEnd(size)
	}
	m, err := r.log.seekLine(r.ctx, src, before, size)
	if err != nil || m.offset == before {
		r.next = before
		return err
	}
	open, err := r.openLine(src, m.pos)
	r.next = m.offset
	if open {
		r.next++
	}
	return err
}

// standAtEnd makes the end of a file of that size the place of the reader:
// behind its last newline, or behind a last line that counts without one.
func (r *Reader) standAtEnd(size int64) error {
	src := r.lease.src
	last, err := r.log.lineStart(src, size, 0, 1)
	if err != nil {
		return err
	}
	open, err := r.openLine(src, last)
	if err != nil {
		return err
	}
	if err := r.standAt(last); err != nil {
		return err
	}
	r.line.open = open
	return nil
}

// backLines moves the reader, which stands at the end, n records back.
func (r *Reader) backLines(n uint64) error {
	if r.line.open {
		if n == 0 {
			return r.passOpenLine()
		}
		r.line.open = false
		n--
	}
	if n == 0 {
		return nil
	}
	pos, err := r.log.lineStart(r.lease.src, r.line.pos, 0, n+1)
	if err != nil {
		return err
	}
	return r.standAt(pos)
}

// passOpenLine moves behind the last line, which has no newline.
func (r *Reader) passOpenLine() error {
	r.line.open = false
	err := r.loadLines()
	r.i = r.block.n
	return err
}

// lineStart returns the position behind the n-th newline before position end,
// counted from there, or floor where there are fewer above it.
func (l *Log) lineStart(src *source, end, floor int64, n uint64) (int64, error) {
	buf := scanBuffers.Get().(*[blockBytes]byte)
	defer scanBuffers.Put(buf)
	for end > floor && n > 0 {
		if err := l.alive(); err != nil {
			return 0, err
		}
		at := max(floor, end-blockBytes)
		p := buf[:end-at]
		got, err := src.readAt(p, at)
		if err != nil {
			return 0, err
		}
		if got < len(p) {
			return 0, src.corrupt(UnknownOffset, at, 0, ErrChanged)
		}
		lines := uint64(bytes.Count(p, newline))
		if lines >= n {
			return at + int64(nthNewline(p, lines-n+1)) + 1, nil
		}
		n -= lines
		end = at
	}
	return floor, nil
}
