package partition

import (
	"context"
	"fmt"
	"sync"

	"example.com/jlq/index"
	"example.com/jlq/internal/jsonl"
	"example.com/jlq/internal/segment"
)

// byteOrderMark is tolerated at the beginning of a bare file, and reported.
var byteOrderMark = []byte(jsonl.BOM)

// walk verifies one segment: it takes what the examiners find of its lines, in
// order, and holds their ends against the entries of the index.
type walk struct {
	v       *verifier
	h       *segment.Handle
	last    bool // the active segment
	size    int64
	idxSize int64
	claimed uint64 // records that the index describes

	align *aligner // nil where there is no entry
	lines uint64   // whole lines so far
	pos   int64    // where the next one begins

	// extra is how many of the lines are none of their own to the index: as
	// long as entries and lines are at the same positions, records have the
	// numbers of the entries, which readers and repair go by.
	extra int64

	waiting []waiting // while the aligner is astray
	behind  Problem
	adopted uint64 // of the lines that are behind, those that are taken in
	unsafe  bool   // a line above the promise was bad
	refused bool   // one below it was
	promise *int64 // what lies behind it may be set aside; nil before somebody asks

	listing sync.Once // the examiners ask for what was set aside
	aside   segment.Asides
	listed  error
}

// newWalk takes the sizes, those of the index first: what it has published
// by then is in the records.
func (v *verifier) newWalk(h *segment.Handle, last bool) (*walk, error) {
	w := &walk{v: v, h: h, last: last}
	if h.Idx != nil {
		info, err := h.Idx.Stat()
		if err != nil {
			return nil, err
		}
		w.idxSize, w.claimed = info.Size, index.Count(info.Size)
	}
	info, err := h.Rec.Stat()
	if err != nil {
		return nil, err
	}
	w.size = info.Size
	return w, nil
}

func (w *walk) run() (segmentEnd, error) {
	if err := w.begin(); err != nil {
		return segmentEnd{}, err
	}
	if err := w.v.examine(w); err != nil {
		return segmentEnd{}, err
	}
	if err := w.end(); err != nil {
		return segmentEnd{}, err
	}
	n := uint64(int64(w.lines) - w.extra)
	w.v.read.Records += n
	return segmentEnd{w.h.Base + n, w.h.Base + w.claimed}, nil
}

// begin looks at the index as a whole and at its first entry.
func (w *walk) begin() error {
	rest := w.idxSize % index.EntrySize
	switch {
	case w.h.Idx == nil && w.v.p.place.Bare:
		return nil
	case w.h.Idx == nil:
		return w.index("there is none; " + w.rebuilds())
	case w.idxSize == 0:
		return nil // it is behind, if there are lines
	case w.idxSize < index.EntrySize:
		return w.index(fmt.Sprintf("it has %d bytes, less than one entry; %s", w.idxSize, w.rebuilds()))
	}
	if rest != 0 && !w.grown() {
		if err := w.index(fmt.Sprintf("it ends in a partial entry of %d bytes; %s", rest, w.rebuilds())); err != nil {
			return err
		}
	}
	var err error
	if w.align, err = newAligner(w.h.Idx, w.claimed, w.size); err != nil {
		return readErr(w.h.Index, err)
	}
	return w.hold(0, 0, 0)
}

func (w *walk) index(reason string) error {
	return w.v.report(Problem{Kind: KindIndex, Path: w.h.Index, Offset: w.h.Base, Reason: reason})
}

// rebuilds is what brings an index up to its records that is behind them, or
// away.
func (w *walk) rebuilds() string {
	switch {
	case w.v.p.place.Bare:
		return "jlq index builds it"
	case w.last:
		return "opening for appending mends it"
	}
	return w.v.repair()
}

// examine goes through the lines on several goroutines.
func (w *walk) examine() error {
	ctx, cancel := context.WithCancel(w.v.ctx)
	count := (w.size + w.v.block - 1) / w.v.block
	lanes, wait := startLanes(ctx, count, func() *examiner { return w.examiner(ctx) })
	defer wait()
	defer cancel()
	for k := range count {
		if err := lanes.block(k, w.take); err != nil {
			return err
		}
		w.v.advance(min(w.v.block, w.size-k*w.v.block))
	}
	return nil
}

func (w *walk) examiner(ctx context.Context) *examiner {
	check, limit := w.v.checkAt(w.h.Base), w.v.limit
	return &examiner{
		r: untilDone{ctx, w.h.Rec}, size: w.size, block: w.v.block, limit: limit, bare: w.v.p.place.Bare,
		check:  func(position int64, data []byte) error { return check(position).Check(data, limit) },
		asides: w.asides,
	}
}

// take takes what was found of the next lines.
func (w *walk) take(f *findings) error {
	if f.err != nil {
		return readErr(w.h.Records, f.err)
	}
	problems := f.problems
	for i, end := range f.ends {
		start := w.pos
		w.lines, w.pos = w.lines+1, end
		if err := w.hold(w.lines, start, end); err != nil {
			return err
		}
		for len(problems) > 0 && problems[0].line == i {
			if err := w.content(problems[0].Problem, start); err != nil {
				return err
			}
			problems = problems[1:]
		}
		if err := w.synced(start, end); err != nil {
			return err
		}
	}
	for _, p := range problems {
		if p.Kind == KindBOM {
			if err := w.number(p.Problem, w.lines+1); err != nil {
				return err
			}
			continue
		}
		if err := w.tail(p.Problem, f); err != nil {
			return err
		}
	}
	return nil
}

// hold holds line end n against the index.
func (w *walk) hold(n uint64, start, end int64) error {
	if w.h.Idx == nil {
		return nil
	}
	if w.align == nil {
		if w.idxSize == 0 {
			w.lag(n, start, end)
		}
		return nil
	}
	d, behind, err := w.align.line(n, start, end)
	if err != nil {
		return readErr(w.h.Index, err)
	}
	if behind {
		w.lag(n, start, end)
	}
	if d != nil {
		return w.drifted(d)
	}
	return nil
}

// lag counts a whole line that the index does not reach.
func (w *walk) lag(n uint64, start, end int64) {
	if w.behind.Records == 0 {
		w.behind = Problem{Kind: KindBehind, Path: w.h.Index, Offset: w.offset(n), Position: start}
	}
	w.behind.Records++
	if !w.unsafe {
		w.adopted++
	}
	w.behind.Length = end - w.behind.Position
}

// offset is that of the record that line end n is the end of.
func (w *walk) offset(n uint64) uint64 { return w.h.Base + uint64(int64(max(n, 1)-1)-w.extra) }

// synced: what was synced ends behind a newline, not within a line. An edit
// that moved the lines has been told.
func (w *walk) synced(start, end int64) error {
	at := w.syncedTo()
	if at <= start || at >= end || w.moved() != 0 {
		return nil
	}
	return w.number(Problem{Kind: KindMeta, Records: 1, Position: start, Length: end - start,
		Reason: fmt.Sprintf("partition.json says that the records were synced up to %d, which lies within this line; %s", at, w.v.repair())}, w.lines)
}

// moved is by how much edits have moved the lines at hand.
func (w *walk) moved() int64 {
	if w.align == nil {
		return 0
	}
	return w.align.shift
}

// syncedTo is how far the records of this segment were synced.
func (w *walk) syncedTo() int64 {
	if m := w.v.meta; m != nil && m.Synced.Base == w.h.Base {
		return m.Synced.Position
	}
	return 0
}

// finish lets the aligner say its last.
func (w *walk) finish() error {
	if w.align == nil {
		return nil
	}
	if d := w.align.finish(); d != nil {
		return w.drifted(d)
	}
	return nil
}
