package partition

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// examineBlock is how much of a records file one examination takes.
const examineBlock = 256 << 10

// overhang is what is read behind a block: its last line mostly ends there.
const overhang = 4 << 10

// cacheLine is how far before a block reading begins: the byte before it is
// wanted, and the kernel copies several times as fast on some processors where
// position and memory are equally far into a cache line.
const cacheLine = 64

// examiner looks into the lines of a records file, a block at a time. Blocks
// are cut blindly: the lines of a block are those that begin in it. Its memory
// is bounded by the block and the longest line that is looked into.
type examiner struct {
	r      io.ReaderAt
	size   int64
	block  int64
	limit  int
	bare   bool
	check  func(position int64, data []byte) error
	asides func() (segment.Asides, error)

	buf  []byte
	lo   int   // where the next line begins in buf
	at   int64 // and in the file
	stop int64 // lines that begin here or later are of the next block

	*findings
	emit func(*findings) error
}

// run examines block k and emits what it finds, in pieces.
func (x *examiner) run(k int64) error {
	if err := x.begin(k); err != nil {
		return err
	}
	for x.at < x.stop {
		l, err := x.next()
		if err == nil {
			err = x.line(&l)
		}
		if err != nil {
			return err
		}
	}
	x.last = true
	return x.emit(x.findings)
}

// begin reads block k and finds the first line that begins in it: at its
// start, or behind the first newline at or behind the byte before it.
func (x *examiner) begin(k int64) error {
	from := k * x.block
	lead := min(from, cacheLine)
	x.stop = min(from+x.block, x.size)
	x.buf, x.lo, x.at = x.buf[:0], 0, from-lead
	if err := x.read(x.stop + overhang - x.at); err != nil || from == 0 {
		return err
	}
	within := x.buf[lead-1 : x.stop-x.at]
	i := bytes.IndexByte(within, '\n')
	if i < 0 {
		i = len(within) - 1 // all of it is of a line that began earlier
	}
	x.lo, x.at = int(lead)+i, x.at+lead+int64(i)
	return nil
}

// read reads up to n more bytes behind what is in the buffer.
func (x *examiner) read(n int64) error {
	end := x.at + int64(len(x.buf)-x.lo)
	n = min(n, x.size-end)
	if x.lo > 0 {
		x.buf = append(x.buf[:0], x.buf[x.lo:]...)
		x.lo = 0
	}
	have := len(x.buf)
	if cap(x.buf)-have < int(n) {
		x.buf = append(make([]byte, 0, have+int(n)), x.buf...)
	}
	x.buf = x.buf[:have+int(n)]
	got, err := x.r.ReadAt(x.buf[have:], end)
	if got == int(n) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// next returns the line that begins at x.at.
func (x *examiner) next() (segment.Line, error) {
	searched := 0
	for {
		rest := x.buf[x.lo:]
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 {
			return x.take(searched+i, true), nil
		}
		searched = len(rest)
		if x.at+int64(searched) == x.size {
			return x.take(searched, false), nil
		}
		if searched > x.limit {
			return x.long()
		}
		if err := x.read(int64(max(searched, overhang))); err != nil {
			return segment.Line{}, err
		}
	}
}

// take cuts a line of n bytes, and its newline, off the buffer.
func (x *examiner) take(n int, whole bool) segment.Line {
	l := segment.Line{Data: x.buf[x.lo : x.lo+n : x.lo+n], Start: x.at, End: x.at + int64(n), Whole: whole}
	if n > x.limit {
		l.NoteNUL(l.Data, l.Start)
		l.Data = nil
	}
	if whole {
		l.End++
		n++
	}
	x.lo, x.at = x.lo+n, l.End
	return l
}

// long passes over a line that is longer than the limit and ends behind the
// block.
func (x *examiner) long() (segment.Line, error) {
	l, err := segment.NewScanner(x.r, x.at, x.size, x.limit).Next()
	x.at = l.End
	if cap(x.buf) > 4*int(x.block+overhang) {
		x.buf = nil // no line like the last one may come again
	}
	return l, err
}

// line puts a line into the findings.
func (x *examiner) line(l *segment.Line) error {
	if !x.fine(l) {
		p, err := x.judge(l)
		if err != nil {
			return err
		}
		if p.Kind != "" {
			x.problems = append(x.problems, numbered{p, len(x.ends)})
		}
	}
	if !l.Whole {
		return nil
	}
	x.ends = append(x.ends, l.End)
	if len(x.ends) < maxEnds && len(x.problems) < maxProblems {
		return nil
	}
	return x.emit(x.findings)
}

// fine reports whether there is nothing to say of a line, as of nearly all.
func (x *examiner) fine(l *segment.Line) bool {
	return l.Whole && l.Data != nil && l.Start > 0 && !blank(l.Data) && x.check(l.Start, l.Data) == nil
}

// judge says what is wrong with a line; a Problem without kind is none.
func (x *examiner) judge(l *segment.Line) (Problem, error) {
	p := Problem{Records: 1, Position: l.Start, Length: l.End - l.Start}
	data := l.Data
	if l.Start == 0 && x.bare && bytes.HasPrefix(data, byteOrderMark) {
		x.mark()
		data = data[len(byteOrderMark):]
	}
	if !l.Whole {
		return x.tail(p, l), nil
	}
	if data == nil {
		if !l.NUL() {
			p.Kind, p.Reason = KindRecord, fmt.Sprintf("the line is longer than %d bytes and was not looked into", x.limit)
			return p, nil
		}
		return nul(p, l), nil
	}
	if blank(data) {
		if gap, err := x.gap(p, l); err != nil || gap.Kind != "" {
			return gap, err
		}
	}
	err := x.check(l.Start, data)
	if err == nil {
		return Problem{}, nil
	}
	if l.NoteNUL(data, l.End-1-int64(len(data))); l.NUL() {
		return nul(p, l), nil
	}
	p.Kind, p.Reason = KindRecord, err.Error()
	return p, nil
}

// mark notes the byte order mark of a bare file.
func (x *examiner) mark() {
	x.problems = append(x.problems, numbered{Problem{Kind: KindBOM, Records: 1, Length: int64(len(byteOrderMark)), Note: true,
		Reason: "the file begins with a byte order mark"}, 0})
}

func nul(p Problem, l *segment.Line) Problem {
	p.Kind, p.Position, p.Length = KindNUL, l.NULStart, l.NULEnd-l.NULStart
	p.Reason = fmt.Sprintf("%d NUL bytes", p.Length)
	return p
}

// tail tells what follows the last newline; walk judges what it means.
func (x *examiner) tail(p Problem, l *segment.Line) Problem {
	if !l.NUL() {
		l.NoteNUL(l.Data, l.Start)
	}
	if l.NUL() {
		p = nul(p, l)
	} else {
		p.Kind = KindTail
	}
	x.tailStart, x.complete = l.Start, p.Kind == KindTail && l.Data != nil && jsonl.Complete(l.Data)
	return p
}

// blank reports whether a line can be what repair leaves in the place of a
// lost record.
func blank(data []byte) bool { return len(data) == 0 || data[0] == ' ' }

// gap is the note for a line in the place of a lost record.
func (x *examiner) gap(p Problem, l *segment.Line) (Problem, error) {
	asides, err := x.asides()
	if err != nil {
		return p, err
	}
	if p.Saved = asides.Gap(l.Data, l.Start, l.End-1); p.Saved != "" {
		p.Kind, p.Note = KindGap, true
	}
	return p, nil
}

// untilDone is a file that cannot be read any more once ctx has ended, so
// that not even the longest line keeps its reader.
type untilDone struct {
	ctx context.Context
	r   io.ReaderAt
}

// ReadAt implements [io.ReaderAt].
func (u untilDone) ReadAt(p []byte, off int64) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.r.ReadAt(p, off)
}
