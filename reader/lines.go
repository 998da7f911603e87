package reader

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

const (
	// leadBytes is how much of what was read is remembered and read again
	// with the next block, to see that the file is still the same.
	leadBytes = 256

	// smallRead is what is read at first to find one line.
	smallRead = 4 << 10

	// maxLines bounds the lines of one block, so that a file of newlines
	// does not take eight times its size in posts.
	maxLines = 32 << 10
)

// ErrChanged is what a bare file is reported for, inside a
// [*segment.CorruptError], when it was cut or rewritten while it was read.
var ErrChanged = errors.New("the file was changed while it was read")

// linePlace is where a reader stands that goes by newlines. lead are the last
// bytes before pos, as they were when they were read: whoever rewrites a file
// at its old length, or longer, is found out by them.
type linePlace struct {
	pos  int64
	lead []byte
	open bool // what ends at pos was a last line without a newline: pos is one beyond it
}

// goByLine leaves the index behind: from r.next on the file is read by its
// newlines.
func (r *Reader) goByLine() error {
	src := r.lease.src
	m, err := r.log.seekLine(r.ctx, src, r.next, r.end)
	if err != nil {
		return err
	}
	if m.offset < r.next {
		return r.beyondLines(src, m)
	}
	if m.pos == r.line.pos && len(r.line.lead) > 0 {
		r.byLine = true // and what lies before it is known
		return r.loadLines()
	}
	if err := r.standAt(m.pos); err != nil {
		return err
	}
	return r.loadLines()
}

// standAt makes the line that begins at pos the next one.
func (r *Reader) standAt(pos int64) error {
	src := r.lease.src
	lead := grown(r.line.lead, int(min(leadBytes, pos)))
	n, err := src.readAt(lead, pos-int64(len(lead)))
	if err != nil {
		return err
	}
	if n < len(lead) {
		return src.corrupt(r.next, pos, 0, fmt.Errorf("%w: it ends before position %d", ErrChanged, pos))
	}
	if n > 0 && lead[n-1] != '\n' {
		return src.corrupt(r.next, pos, 0, mismatch("no newline before position %d", pos))
	}
	r.byLine, r.line = true, linePlace{pos: pos, lead: lead}
	return nil
}

// beyondLines is called where the file has fewer lines than r.next.
func (r *Reader) beyondLines(src *source, m mark) error {
	open, err := r.openLine(src, m.pos)
	if err != nil {
		return err
	}
	next := m.offset
	if open {
		next++
	}
	if r.clamp || r.next == next {
		return nil
	}
	return &segment.RangeError{Offset: r.next, Next: next}
}

// openLine reports whether the bytes from pos to the end of what is read are a
// last line without newline that counts.
func (r *Reader) openLine(src *source, pos int64) (bool, error) {
	if r.whole {
		return false, nil
	}
	size, err := src.size()
	if err != nil {
		return false, err
	}
	return r.log.complete(src, pos, min(size, r.end))
}

// complete reports whether the bytes from start to end are one complete JSON
// object or array.
func (l *Log) complete(src *source, start, end int64) (bool, error) {
	if end <= start || end-start > l.layout.Load().limit {
		return false, nil
	}
	tail := make([]byte, end-start)
	n, err := src.readAt(tail, start)
	return err == nil && n == len(tail) && jsonl.Complete(tail), err
}

// loadLines reads the lines that follow r.line.pos. Where there is no whole
// line yet, r.block.n stays 0.
func (r *Reader) loadLines() error {
	limit := r.log.layout.Load().limit
	for want := r.firstRead(); ; want = min(2*want, limit, math.MaxInt-leadBytes-1) + 1 {
		body, atEnd, err := r.readBody(int(want))
		if err != nil {
			return err
		}
		r.block.posts = r.findLines(body, r.mostLines())
		r.block.n = len(r.block.posts) - 1
		switch {
		case r.block.n > 0:
			return r.passLines()
		case int64(len(body)) > limit:
			err := r.checkLimit(r.lease.src.Records, r.next, r.line.pos, int64(len(body)))
			r.bad.end = 0 // the line may go on behind what was read
			return err
		case atEnd:
			return r.loadOpenLine(body)
		}
	}
}

// firstRead is how many bytes are read at first: few where few lines are
// wanted.
func (r *Reader) firstRead() int64 {
	if r.step == 1 && r.limit-r.next < blockBytes/smallRead {
		return smallRead * int64(r.limit-r.next)
	}
	return blockBytes
}

// readBody reads up to want bytes from r.line.pos on, and the lead before
// them, which must be what it was.
func (r *Reader) readBody(want int) (body []byte, atEnd bool, err error) {
	src, place := r.lease.src, &r.line
	at := place.pos - int64(len(place.lead))
	n := len(place.lead) + want
	if r.end-at < int64(n) {
		n = int(max(0, r.end-at))
	}
	buf := r.bytes(n, at, r.log.opts.Retain)
	got, err := src.readAt(buf, at)
	if err != nil {
		return nil, false, err
	}
	if err := r.checkLead(buf[:got], got < n); err != nil {
		return nil, false, err
	}
	r.block.buf, r.block.at = buf[:got], at
	return buf[min(got, len(place.lead)):got], got < n || at+int64(got) == r.end, nil
}

// checkLead compares what is read again with what it was. ended says that the
// file, or what is read of it, ends with buf.
func (r *Reader) checkLead(buf []byte, ended bool) error {
	lead := r.line.lead
	if r.line.open && len(buf) == len(lead)-1 {
		lead = lead[:len(buf)] // the line still has no newline
	}
	switch {
	case len(buf) < len(lead):
		return r.changed("it ends before position %d", r.line.pos)
	case !bytes.Equal(buf[:len(lead)], lead):
		return r.changed("the bytes before position %d are others", r.line.pos)
	case ended && r.bounded && !r.line.open:
		return r.changed("it ended at %d when reading began, and is shorter now", r.end)
	}
	return nil
}

func (r *Reader) changed(format string, args ...any) error {
	reason := fmt.Errorf("%w: %s", ErrChanged, fmt.Sprintf(format, args...))
	return r.lease.src.corrupt(r.next, r.line.pos, 0, reason)
}

// mostLines returns how many lines may be read at once.
func (r *Reader) mostLines() int {
	if r.step == 0 {
		return maxLines
	}
	return int(min(maxLines, r.limit-r.next))
}

// findLines returns the posts of up to most lines of body, which begins at
// r.line.pos.
func (r *Reader) findLines(body []byte, most int) []int64 {
	posts := append(r.posts[:0], r.line.pos)
	for at := 0; len(posts) <= most; {
		i := bytes.IndexByte(body[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		posts = append(posts, r.line.pos+int64(at))
	}
	r.posts = posts
	return posts
}

// passLines moves r.line behind the block and lets the table of lines know.
func (r *Reader) passLines() error {
	if err := r.withinLimit(r.next); err != nil || r.block.n == 0 {
		return err
	}
	r.pass(false)
	if r.step == 1 {
		r.lease.src.lines.add(mark{r.next + uint64(r.block.n), r.line.pos}, r.line.lead)
	}
	return nil
}

func (r *Reader) pass(open bool) {
	end := r.block.posts[r.block.n]
	read := r.block.buf[:min(end-r.block.at, int64(len(r.block.buf)))]
	lead := append(r.line.lead[:0], read[max(0, len(read)-leadBytes):]...)
	if open {
		lead = append(lead, '\n')
	}
	r.line = linePlace{pos: end, lead: lead, open: open}
	r.block.open = open
}

// loadOpenLine makes the bytes behind the last newline a block where they are
// a line that counts.
func (r *Reader) loadOpenLine(tail []byte) error {
	if r.whole || len(tail) == 0 || r.mostLines() == 0 {
		return nil
	}
	if int64(len(tail)) > r.log.layout.Load().limit || !jsonl.Complete(tail) {
		return nil
	}
	r.block.posts = append(r.posts[:0], r.line.pos, r.line.pos+int64(len(tail))+1)
	r.posts = r.block.posts
	r.block.n = 1
	r.pass(true)
	return nil
}

// skipLine moves behind the newline of a line that is too long to be held. It
// returns io.EOF where the line does not end yet.
func (r *Reader) skipLine() error {
	end, err := r.log.lineEnd(r.ctx, r.lease.src, r.line.pos, r.end)
	if err != nil {
		return err
	}
	return r.standAt(end)
}
