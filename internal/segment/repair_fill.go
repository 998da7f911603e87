package segment

import (
	"bufio"
	"bytes"
	"io"

	"example.com/jlq/internal/vfs"
)

// fill overwrites a damaged range: each record that is lost becomes spaces and
// a newline, each that is whole gets at most its newline back. A blank line
// is no JSON value, so nobody takes it for a record that was written.
func (r *PairRepair) fill(rec vfs.File, old *oldIndex, d *Damage) error {
	w := bufio.NewWriterSize(io.NewOffsetWriter(rec, d.Start), scanBlock)
	for s, err := range r.slots(&stepped{rec, r.opts.Step}, old, d) {
		if err != nil {
			return err
		}
		if err := r.fillSlot(w, s); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (r *PairRepair) fillSlot(w *bufio.Writer, s slot) error {
	if s.keep {
		// What isRecord has just read.
		if _, err := w.Write(r.line[:s.end-s.start-1]); err != nil {
			return err
		}
		return w.WriteByte('\n')
	}
	for left := s.end - s.start - 1; left > 0; {
		n := min(left, int64(len(blanks)))
		if _, err := w.Write(blanks[:n]); err != nil {
			return err
		}
		left -= n
	}
	return w.WriteByte('\n')
}

var blanks = bytes.Repeat([]byte{' '}, 64<<10)
