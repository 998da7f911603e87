package segment

import (
	"bytes"
	"io"
	"iter"
)

// slot is the place of one record within a damaged range: a line, whose last
// byte is or becomes its newline.
type slot struct {
	start, end int64
	keep       bool // it is a record, at most its newline is lost
	rest       bool // it only goes on where the one before became too long
}

// slots yields the places of the records of a damaged range.
func (r *PairRepair) slots(rec io.ReaderAt, old *oldIndex, d *Damage) iter.Seq2[slot, error] {
	switch d.Proof {
	case ByEntries:
		return r.slotsByEntries(rec, old, d)
	case ByCount:
		return slotsByCount(d)
	}
	return r.slotsByLines(rec, d)
}

// slotsByEntries yields what the index has, and keeps what is a record there.
func (r *PairRepair) slotsByEntries(rec io.ReaderAt, old *oldIndex, d *Damage) iter.Seq2[slot, error] {
	return func(yield func(slot, error) bool) {
		start := d.Start
		for i := range d.Slots {
			end, err := old.at(d.First + i + 1)
			s := slot{start: start, end: int64(end)}
			if err == nil {
				s.keep, err = r.isRecord(rec, s)
			}
			if !yield(s, err) || err != nil {
				return
			}
			start = s.end
		}
	}
}

// isRecord reports whether the bytes of a slot are a record, at most without
// its newline.
func (r *PairRepair) isRecord(rec io.ReaderAt, s slot) (bool, error) {
	n := s.end - s.start
	if n == 1 || n > int64(r.opts.MaxLine)+1 {
		return false, nil
	}
	if int64(cap(r.line)) < n {
		r.line = make([]byte, n)
	}
	line := r.line[:n]
	if err := readFull(rec, line, s.start); err != nil {
		return false, err
	}
	data, last := line[:n-1], line[n-1]
	if bytes.IndexByte(data, '\n') >= 0 || bytes.IndexByte(data, 0) >= 0 || r.opts.Check(s.start, data) != nil {
		return false, nil
	}
	// Any bytes pass where nothing looks into them, also the beginning of a
	// record that a wrong entry ends.
	return last == '\n' || last == 0 || !r.opts.AnyLine && r.opts.Complete(data), nil
}

// slotsByCount divides the range evenly. Where it has fewer bytes than there
// were records, which happens at the end of a file only, it goes on behind it.
func slotsByCount(d *Damage) iter.Seq2[slot, error] {
	return func(yield func(slot, error) bool) {
		size := max(d.End-d.Start, int64(d.Slots))
		each, rest := size/int64(d.Slots), size%int64(d.Slots)
		at := d.Start
		for i := range int64(d.Slots) {
			end := at + each
			if i < rest {
				end++
			}
			if !yield(slot{start: at, end: end}, nil) {
				return
			}
			at = end
		}
	}
}

// slotsByLines yields the lines as they are now, none longer than a record may
// be.
func (r *PairRepair) slotsByLines(rec io.ReaderAt, d *Damage) iter.Seq2[slot, error] {
	return func(yield func(slot, error) bool) {
		longest := int64(r.opts.MaxLine) + 1
		lines := NewScanner(rec, d.Start, d.End, 0)
		for {
			l, err := lines.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(slot{}, err)
				return
			}
			for at := l.Start; at < l.End; at += longest {
				if !yield(slot{start: at, end: min(at+longest, l.End), rest: at > l.Start}, nil) {
					return
				}
			}
		}
	}
}
