package partition

import "example.com/jlq/internal/segment"

// maxWaiting bounds the problems that wait for the explanation of one before
// them.
const maxWaiting = 1024

// waiting is a problem of a line whose number is not known yet.
type waiting struct {
	Problem
	line uint64 // the number of its end
}

// content takes a problem of the line just taken, which begins at start.
func (w *walk) content(p Problem, start int64) error {
	unpromised, err := w.unpromised(start)
	switch {
	case err != nil:
		return err
	case p.Note || w.unsafe:
	case unpromised:
		w.unsafe = true
		if w.behind.Records > 0 {
			w.adopted-- // this line was taken for one
		}
		p.Reason += "; " + w.excuse() + "; opening for appending sets it and what follows aside"
	case w.v.meta != nil:
		w.refused = true
	}
	return w.number(p, w.lines)
}

// unpromised reports whether what begins at start was not promised to survive a
// power loss, so that opening for appending may set it aside.
func (w *walk) unpromised(start int64) (bool, error) {
	if !w.last || w.v.meta == nil {
		return false, nil
	}
	if w.promise == nil {
		promise, err := segment.Promised(w.h, w.size, w.idxSize, w.v.meta)
		if err != nil {
			return false, readErr(w.h.Records, err)
		}
		w.promise = &promise
	}
	return start >= *w.promise, nil
}

// number gives a problem of the line with end n its path and offset, and hands
// it on.
func (w *walk) number(p Problem, n uint64) error {
	p.Path = w.h.Records
	if w.align == nil || w.align.astray == nil {
		p.Offset = w.offset(n)
		return w.v.report(p)
	}
	w.waiting = append(w.waiting, waiting{p, n})
	if len(w.waiting) < maxWaiting {
		return nil
	}
	return w.release(func(n uint64) uint64 { return w.offset(n) })
}

// release hands on what has waited.
func (w *walk) release(offset func(line uint64) uint64) error {
	for _, p := range w.waiting {
		p.Offset = offset(p.line)
		if err := w.v.report(p.Problem); err != nil {
			return err
		}
	}
	w.waiting = w.waiting[:0]
	return nil
}
