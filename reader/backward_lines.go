package reader

import "bytes"

// goByLineBack leaves the end of the file for the index: records that the
// index does not reach are found by their newlines.
func (r *Reader) goByLineBack() error {
	m, err := r.log.seekLine(r.ctx, r.lease.src, r.next, r.end)
	if err != nil {
		return err
	}
	if m.offset < r.next {
		return r.loadLastLine(m.pos)
	}
	r.byLine, r.line = true, linePlace{pos: m.pos, lead: r.line.lead[:0]}
	return r.loadLinesBack()
}

// loadLastLine makes a last line without newline, from pos on, the block.
func (r *Reader) loadLastLine(pos int64) error {
	if err := r.standAt(pos); err != nil {
		return err
	}
	body, _, err := r.readBody(int(min(r.end-pos, r.log.layout.Load().limit)))
	if err != nil {
		return err
	}
	if err := r.loadOpenLine(body); err != nil {
		return err
	}
	if r.block.n == 0 {
		return r.changed("its last line is another")
	}
	r.i = r.block.n
	r.line = linePlace{pos: pos, lead: r.line.lead[:0]}
	return nil
}

// loadLinesBack reads lines that end before r.line.pos.
func (r *Reader) loadLinesBack() error {
	src, floor := r.lease.src, int64(0)
	if r.step == 1 {
		floor = src.lines.first.pos
	}
	limit := r.log.layout.Load().limit
	for want := int64(blockBytes); ; want *= 2 {
		from := max(floor, r.line.pos-want)
		if err := r.readBytes(src, from, r.line.pos); err != nil {
			return err
		}
		if int64(len(r.block.buf)) < r.line.pos-r.block.at || r.block.buf[len(r.block.buf)-1] != '\n' {
			return r.changed("it no longer has a line that ends at %d", r.line.pos)
		}
		if from == floor && floor > 0 && r.block.buf[0] != '\n' {
			return src.corrupt(r.next, floor, 0, mismatch("no newline before position %d", floor))
		}
		if r.findLinesBack(from); r.block.n > 0 {
			if err := r.withinLimitBack(); err != nil {
				return err
			}
			r.line.pos = r.block.posts[0]
			return nil
		}
		if want > limit {
			return r.tooLongBack(floor)
		}
	}
}

// tooLongBack is called where the line that ends before r.line.pos is larger
// than the limit. Where it begins is looked for without keeping it.
func (r *Reader) tooLongBack(floor int64) error {
	src, end := r.lease.src, r.line.pos-1
	start, err := r.log.lineStart(src, end, floor, 1)
	if err != nil {
		return err
	}
	return r.checkLimit(src.Records, r.next-r.step, start, end-start)
}

// findLinesBack finds the lines that begin at position from or behind it.
func (r *Reader) findLinesBack(from int64) {
	b := &r.block
	posts := r.posts[:0]
	if from == 0 {
		posts = append(posts, 0)
	}
	for at := 0; at < len(b.buf); {
		i := bytes.IndexByte(b.buf[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		posts = append(posts, b.at+int64(at))
	}
	r.posts = posts
	b.n = len(posts) - 1
	if b.n > maxLines {
		posts = posts[b.n-maxLines:]
		b.n = maxLines
	}
	b.posts = posts
}
