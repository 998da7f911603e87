package main

import (
	"iter"
	"os"
	"sync/atomic"

	"example.com/jlq/internal/filter"
	"example.com/jlq/topic"
)

// readingStep is after how many bytes the bar is looked at again.
const readingStep = 1 << 20

// reading is how far a command has come that reads a log through. Nil shows
// nothing. It is safe for concurrent use.
type reading struct {
	bar   *progress
	total int64 // bytes; -1 where it is not known how many will be read
	done  atomic.Int64
	next  atomic.Int64 // at which the bar is looked at
}

// showReading shows on stderr how far a log is read, until the function that it
// returns is called. size is asked for its bytes where that is shown, because it
// looks at each segment; nil where it is not known how many will be read. Unless
// the command prints nothing before the end, or into a file, that ends with the
// first byte that is printed: a screen, and what a pipe leads to, may be what
// stderr is shown on.
func (a *app) showReading(name string, f *pickFlags, size func() int64, atEnd bool) (end func()) {
	bar := a.startProgress("read " + name)
	if bar.app != nil {
		a.reading = &reading{bar: bar, total: -1}
		if size != nil && !f.offsets.given && !f.times.given() {
			a.reading.total = size()
		}
		a.reading.next.Store(readingStep) // for less there is no need
	}
	if !atEnd && !a.out.isFile() {
		a.out.begins(bar.finish)
	}
	return func() {
		bar.finish()
		a.reading = nil
	}
}

// isFile reports whether stdout is a file on disk.
func (o *output) isFile() bool {
	f, ok := o.raw.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// add takes note of bytes that were read.
func (r *reading) add(n int) {
	if r == nil {
		return
	}
	done := r.done.Add(int64(n))
	if next := r.next.Load(); done >= next && r.next.CompareAndSwap(next, done+readingStep) {
		r.bar.set(done, r.total)
	}
}

// rows takes note of records.
func (r *reading) rows(records stream) stream {
	if r == nil {
		return records
	}
	return func(yield func(topic.Record, error) bool) {
		for rec, err := range records {
			r.add(len(rec.Data) + 1)
			if !yield(rec, err) {
				return
			}
		}
	}
}

// pieces takes note of the blocks of pieces, whichever goroutine reads them.
func (r *reading) pieces(pieces iter.Seq[iter.Seq2[filter.Block, error]]) iter.Seq[iter.Seq2[filter.Block, error]] {
	if r == nil {
		return pieces
	}
	return func(yield func(iter.Seq2[filter.Block, error]) bool) {
		for piece := range pieces {
			if !yield(r.blocks(piece)) {
				return
			}
		}
	}
}

func (r *reading) blocks(piece iter.Seq2[filter.Block, error]) iter.Seq2[filter.Block, error] {
	return func(yield func(filter.Block, error) bool) {
		for block, err := range piece {
			if !yield(block, err) {
				return
			}
			r.add(len(block.Data))
		}
	}
}
