package main

import (
	"bytes"
	"context"
	"iter"

	"example.com/jlq/internal/filter"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// sift hands each the lines of pieces that the filter is true of, many at a time
// and in order, with their offsets where numbered says so; it works on all cores.
// An error of each ends it and is returned.
func (w *where) sift(ctx context.Context, pieces iter.Seq[reader.Piece], numbered bool, each func(*filter.Chosen) error) error {
	sieve := filter.Sieve{Filter: w.filter, Checked: w.checked, Stop: w.onBad == "fail", Number: numbered}
	for c := range sieve.Sift(ctx, w.app.reading.pieces(filtered(pieces))) {
		if w.jq == nil {
			w.matched += uint64(c.Matched)
		}
		if err := each(c); err != nil {
			return err
		}
		for _, bad := range c.Bad {
			if err := w.refuse(reader.Record{Offset: bad.Offset, Data: bad.Data}, int64(bad.Size), bad.Err); err != nil {
				return err
			}
		}
		if c.Err != nil {
			return c.Err
		}
	}
	return context.Cause(ctx)
}

// sifted are the records of pieces that the filter is true of. Their positions
// are not known.
func (w *where) sifted(ctx context.Context, pieces iter.Seq[reader.Piece], id topic.ID) stream {
	return func(yield func(topic.Record, error) bool) {
		rec := topic.Record{ID: id}
		rec.Position = -1
		err := w.sift(ctx, pieces, true, func(c *filter.Chosen) error {
			for i, lines := 0, c.Lines; len(lines) > 0; i++ {
				end := bytes.IndexByte(lines, '\n')
				rec.Data, rec.Offset, rec.ID.Offset = lines[:end:end], c.Offsets[i], c.Offsets[i]
				if !yield(rec, nil) {
					return errEnough
				}
				lines = lines[end+1:]
			}
			return nil
		})
		if err != nil && err != errEnough {
			yield(topic.Record{}, err)
		}
	}
}

// piecesIn are the pieces of the range. Where offsets are shown, times are not looked
// for by position.
func (v *view) piecesIn(r *resolver) (iter.Seq[reader.Piece], error) {
	if !v.printer.layout.Offsets() {
		return r.pieces(v.offsets.offsets)
	}
	spans, err := r.spans(v.offsets.offsets)
	return piecesOf(r.ctx, r.log, spans), err
}

// pieces are those of a range, for which no offsets have to be known.
func (r *resolver) pieces(o offsets) (iter.Seq[reader.Piece], error) {
	if parts, placed, err := r.placed(o); placed || err != nil {
		return piecesAt(r.log, parts), err
	}
	spans, err := r.spans(o)
	return piecesOf(r.ctx, r.log, spans), err
}

// filtered are pieces as the filter takes them.
func filtered(pieces iter.Seq[reader.Piece]) iter.Seq[iter.Seq2[filter.Block, error]] {
	return func(yield func(iter.Seq2[filter.Block, error]) bool) {
		for piece := range pieces {
			if !yield(blocks(piece)) {
				return
			}
		}
	}
}

// piecesOf are those of spans of the log.
func piecesOf(ctx context.Context, log *reader.Log, spans []span) iter.Seq[reader.Piece] {
	return func(yield func(reader.Piece) bool) {
		for _, s := range spans {
			for piece := range log.Pieces(ctx, s.from, s.to) {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

func blocks(piece reader.Piece) iter.Seq2[filter.Block, error] {
	return func(yield func(filter.Block, error) bool) {
		for lines, err := range piece {
			block := filter.Block{First: lines.First, Data: lines.Data}
			if d := lines.Large; d != nil {
				block.Bad = &filter.Bad{Offset: d.Offset, Size: max(-1, int(d.End-d.Position)-1), Err: d.Err}
			}
			if !yield(block, err) {
				return
			}
		}
	}
}

// lineStart is the place of line n of data.
func lineStart(data []byte, n int64) (at int) {
	for range n {
		at += bytes.IndexByte(data[at:], '\n') + 1
	}
	return at
}
