package partition

import "io"

// ReadFrom implements [io.ReaderFrom]: it stores each line of r as a record
// until r ends, and returns how many bytes it read. It is the fast way to store
// much: large reads, no copy of a line before it is written, the next lines read
// and checked while the last are stored. What r gave is stored as soon as it
// pauses.
//
// A last line without newline counts, a byte order mark at the beginning is left
// out, a carriage return before the newline is kept, and a blank line is no
// record. An error is a [*BatchError], which says how many lines are stored; when
// a line is refused, a [*LineError] within it says which: every line before it is
// stored, and none behind it. When r fails, its error is within, and what came
// behind the last newline is not stored. See [writer.Writer.ReadFrom].
func (p *Partition) ReadFrom(r io.Reader) (int64, error) {
	if p.write == nil {
		return 0, &BatchError{Err: ErrReadOnly}
	}
	return p.write.ReadFrom(r)
}
