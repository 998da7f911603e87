package main

import (
	"bytes"

	"example.com/jlq/reader"
)

// collect keeps the selected lines of a block and those between them that may be
// printed with them: the first ones behind, the last ones before. Where others lie
// between, it says so.
func (r *grepRun) collect(lines reader.Lines, p *grepPiece) {
	c := collector{r: r, p: p, data: lines.Data, offset: lines.First}
	at := 0
	for start, end := range r.matcher.Runs(lines.Data) {
		c.gap(at, start)
		c.lines(start, end, true)
		at = end
	}
	c.gap(at, len(lines.Data))
}

// collector goes through the lines of a block.
type collector struct {
	r      *grepRun
	p      *grepPiece
	data   []byte
	offset uint64 // of the line that comes next
}

// lines keeps all lines of a stretch.
func (c *collector) lines(start, end int, selected bool) {
	for start < end {
		to := start + bytes.IndexByte(c.data[start:end], '\n') + 1
		if to == start {
			to = end
		}
		c.keep(start, to, selected)
		start = to
	}
}

func (c *collector) keep(start, end int, selected bool) {
	at := len(c.p.out)
	c.p.out = append(c.p.out, c.data[start:end]...)
	if c.data[end-1] != '\n' {
		c.p.out = append(c.p.out, '\n')
	}
	c.p.near = append(c.p.near, near{offset: c.offset, start: at, end: len(c.p.out), selected: selected})
	c.offset++
	if selected {
		c.p.n++
	}
}

// gap keeps of lines that are not selected those at both ends.
func (c *collector) gap(start, end int) {
	head := start
	for n := uint64(0); n < c.r.around.after && head < end; n++ {
		head = min(end, lineBehind(c.data, head))
	}
	tail := end
	for n := uint64(0); n < c.r.around.before && tail > head; n++ {
		tail = bytes.LastIndexByte(c.data[head:tail-1], '\n') + 1 + head
	}
	c.lines(start, head, false)
	if head < tail {
		if c.r.numbers() {
			c.offset += uint64(linesIn(c.data[head:tail]))
		}
		c.p.near = append(c.p.near, near{})
	}
	c.lines(tail, end, false)
}

// lineBehind is the place behind the line that begins at at.
func lineBehind(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}
