package main

import (
	"bytes"
	"context"
	"iter"

	"example.com/jlq/internal/inorder"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// Where nothing else has to see them, lines are searched many at a time and on
// all cores. Each piece of the log becomes what is printed of it; or, where
// records that stand near selected ones are printed too, the lines that may be
// among them, for the one who takes the pieces in their order to choose.

// grepPiece is what a piece of a log comes to.
type grepPiece struct {
	out  []byte
	ends []int // in out, behind each selected record; where there is a limit
	near []near
	n    int // selected records
	err  error
}

// near is a line that is selected or near one that may be: out[start:end]. One
// without bytes stands for lines that are left out.
type near struct {
	offset     uint64
	start, end int
	selected   bool
}

// blocks searches pieces of a log.
func (r *grepRun) blocks(ctx context.Context, pieces iter.Seq[reader.Piece]) error {
	if r.enough() == 0 {
		return nil
	}
	for p := range inorder.Each(ctx, pieces, r.search) {
		done, err := r.print(p)
		if done || err != nil {
			return err
		}
		if p.err != nil {
			return p.err
		}
	}
	return context.Cause(ctx)
}

// print prints what came of a piece.
func (r *grepRun) print(p *grepPiece) (done bool, err error) {
	if p.near != nil {
		return r.printNear(p)
	}
	out := p.out
	if most := r.enough(); most >= 0 && int64(r.selected)+int64(p.n) >= most {
		done = true
		p.n = int(most - int64(r.selected))
		if len(p.ends) > 0 {
			out = out[:p.ends[p.n-1]]
		}
	}
	r.selected += uint64(p.n)
	_, err = r.out.Write(out)
	return done, err
}

func (r *grepRun) printNear(p *grepPiece) (done bool, err error) {
	rec := topic.Record{ID: r.view.id}
	for _, n := range p.near {
		if n.start == n.end {
			r.around.skip()
			continue
		}
		rec.Record = reader.Record{Offset: n.offset, Data: record(p.out[n.start:n.end])}
		rec.ID.Offset = n.offset
		if done, err = r.take(rec, n.selected); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// search is what one goroutine does with a piece.
func (r *grepRun) search(ctx context.Context, piece reader.Piece, p *grepPiece) {
	*p = grepPiece{out: p.out[:0], ends: p.ends[:0], near: p.near[:0]}
	for lines, err := range piece {
		if err != nil {
			p.err = err
			return
		}
		r.reading.add(len(lines.Data))
		switch {
		case r.tells():
			r.counts(lines, p)
		case r.before >= 0 || r.after >= 0:
			r.collect(lines, p)
		case r.plain() && r.most < 0:
			r.copies(lines, p)
		default:
			r.renders(lines, p)
		}
		if most := r.enough(); most >= 0 && int64(p.n) >= most && p.near == nil || ctx.Err() != nil {
			return
		}
	}
}

// counts counts what is selected, no further than there is need of.
func (r *grepRun) counts(lines reader.Lines, p *grepPiece) {
	most := r.enough()
	if most < 0 {
		p.n += r.matcher.Count(lines.Data)
		return
	}
	for start, end := range r.matcher.Runs(lines.Data) {
		if p.n += linesIn(lines.Data[start:end]); int64(p.n) >= most {
			return // print counts no more of them than there is need of
		}
	}
}

// copies takes the selected lines as they are.
func (r *grepRun) copies(lines reader.Lines, p *grepPiece) {
	for start, end := range r.matcher.Runs(lines.Data) {
		p.out = append(p.out, lines.Data[start:end]...)
		if r.Invert {
			p.n += linesIn(lines.Data[start:end])
		} else {
			p.n++
		}
	}
	if n := len(p.out); n > 0 && p.out[n-1] != '\n' {
		p.out = append(p.out, '\n')
	}
}

// renders makes what is printed of each selected line.
func (r *grepRun) renders(lines reader.Lines, p *grepPiece) {
	rec := topic.Record{ID: r.view.id}
	offset, counted := lines.First, 0
	for from, to := range r.matcher.Runs(lines.Data) {
		for start := from; start < to; {
			end := start + bytes.IndexByte(lines.Data[start:to], '\n') + 1
			if end == start {
				end = to // the last line, without newline
			}
			if r.numbers() {
				offset += uint64(bytes.Count(lines.Data[counted:start], newline))
				counted = start
			}
			rec.Record, rec.ID.Offset = reader.Record{Offset: offset, Data: record(lines.Data[start:end])}, offset
			p.out = r.appendRecord(p.out, rec, true)
			p.n++
			if start = end; r.most >= 0 {
				p.ends = append(p.ends, len(p.out))
				if int64(p.n) >= int64(r.most) {
					return
				}
			}
		}
	}
}

// record is a line without its newline.
func record(line []byte) []byte { return bytes.TrimSuffix(line, newline) }

// linesIn counts whole lines, of which the last may lack its newline.
func linesIn(lines []byte) int {
	n := bytes.Count(lines, newline)
	if len(lines) > 0 && lines[len(lines)-1] != '\n' {
		n++
	}
	return n
}
