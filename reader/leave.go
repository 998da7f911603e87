package reader

import (
	"errors"
	"io"
	"math"

	"example.com/jlq/index"
)

// leave is called where the source has nothing at r.next. It returns nil when
// there is reason to look once more, and io.EOF where the log ends.
func (r *Reader) leave() error {
	src := r.lease.src
	switch {
	case r.byLine || !r.log.indexed():
		return io.EOF
	case r.next == r.srcEnd:
		return r.checkJoint(src)
	case r.log.live != nil && r.log.live.Base() == src.Base:
		return r.atLiveEnd()
	case r.srcEnd != math.MaxUint64 || r.bounded:
		return r.gap(src)
	}
	return r.atEnd()
}

// checkJoint leaves a sealed segment, which has as many records as the base of
// the next one says.
func (r *Reader) checkJoint(src *source) error {
	n, err := src.recount()
	if err != nil {
		return err
	}
	if n > r.srcEnd-src.Base {
		err := mismatch("it describes %d records, but the next segment begins after %d", n, r.srcEnd-src.Base)
		return r.indexError(src, r.next, err)
	}
	r.leaveSource()
	return nil
}

// gap handles an index that ends before the next segment begins, or before
// the high watermark that it had.
func (r *Reader) gap(src *source) error {
	ly, err := r.log.refresh()
	if err != nil {
		return err
	}
	if s, end := ly.find(r.next); s != src.slot || end != r.srcEnd {
		r.leaveSource() // what was missing is back
		return nil
	}
	if fresh, err := src.Fresh(r.log.fs); err != nil || !fresh {
		return errors.Join(err, r.renew())
	}
	n, err := src.recount()
	if err != nil {
		return err
	}
	if n > r.next-src.Base {
		r.indexed = min(n, r.srcEnd-src.Base)
		return nil
	}
	return r.gapError(src, n)
}

// gapError tells a missing segment from an index that lost its end: the
// records of a segment that is whole end where its index does.
func (r *Reader) gapError(src *source, n uint64) error {
	size, err := src.size()
	if err != nil {
		return err
	}
	var end int64
	if n > 0 {
		if end, err = index.Entry(src.Idx, n); err != nil {
			return r.indexError(src, r.next, err)
		}
	}
	if n > 0 && end == size && r.srcEnd != math.MaxUint64 {
		return r.log.awayError(src.Base + n)
	}
	return r.indexError(src, r.next, mismatch("it ends before the records do"))
}

// atLiveEnd tells the end of the log from an offset beyond it.
func (r *Reader) atLiveEnd() error {
	next := r.log.live.Next()
	switch {
	case r.next == next:
		return io.EOF
	case r.next > next:
		return r.log.rangeError(r.next)
	}
	return nil
}

// atEnd looks whether another process has published more, under other names
// too.
func (r *Reader) atEnd() error {
	_, next, err := r.log.watermark()
	switch {
	case err != nil:
		return err
	case r.next == next:
		return io.EOF
	case r.next > next:
		return r.log.rangeError(r.next)
	}
	r.leaveSource()
	return nil
}
