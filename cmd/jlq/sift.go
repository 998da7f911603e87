package main

import (
	"bytes"
	"context"
	"iter"

	"example.com/jlq/internal/filter"
	"example.com/jlq/reader"
)

// sift hands each the lines of a span that the filter is true of, and their
// number, many at a time and in order; it works on all cores. An error of each
// ends it and is returned.
func (w *where) sift(r *resolver, spans []span, each func(lines []byte, matched int) error) error {
	return w.siftPieces(r.ctx, pieces(r.ctx, r.log, spans), each)
}

// siftPieces is sift for pieces of a log.
func (w *where) siftPieces(ctx context.Context, pieces iter.Seq[iter.Seq2[filter.Block, error]], each func(lines []byte, matched int) error) error {
	sieve := filter.Sieve{Filter: w.filter, Checked: w.checked, Stop: w.onBad == "fail"}
	for c := range sieve.Sift(ctx, pieces) {
		w.matched += uint64(c.Matched)
		if err := each(c.Lines, c.Matched); err != nil {
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

// pieces are those of the log, as the filter takes them.
func pieces(ctx context.Context, log *reader.Log, spans []span) iter.Seq[iter.Seq2[filter.Block, error]] {
	return func(yield func(iter.Seq2[filter.Block, error]) bool) {
		for _, s := range spans {
			for piece := range log.Pieces(ctx, s.from, s.to) {
				if !yield(blocks(piece)) {
					return
				}
			}
		}
	}
}

func blocks(piece reader.Piece) iter.Seq2[filter.Block, error] {
	return func(yield func(filter.Block, error) bool) {
		for lines, err := range piece {
			if !yield(filter.Block{First: lines.First, Data: lines.Data}, err) {
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
