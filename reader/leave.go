package reader

import (
	"errors"
	"fmt"
	"io"
	"math"

	"example.com/jlq/index"
	"example.com/jlq/internal/segment"
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
		// A roll that was put off may have left its files behind.
		if left, err := r.leaveMoved(src, src.Base); left || err != nil {
			return err
		}
		err := mismatch("it describes %d records, but the next segment begins after %d", n, r.srcEnd-src.Base)
		r.bad = badRange{set: true, joint: true}
		return r.indexError(src, r.next, err)
	}
	r.leaveSource()
	return nil
}

// gap handles an index that ends before the next segment begins, or before
// the high watermark that it had.
func (r *Reader) gap(src *source) error {
	if left, err := r.leaveMoved(src, r.next); left || err != nil {
		return err // what was missing is back, or cannot be looked for
	}
	if fresh, err := src.Fresh(r.log.fs); err != nil || !fresh {
		return errors.Join(err, r.renew(r.next))
	}
	n, err := src.recount()
	if err != nil {
		return err
	}
	if n > r.next-src.Base {
		r.indexed = min(n, r.srcEnd-src.Base)
		return nil
	}
	err = r.gapError(src, n, r.next)
	if end := min(r.srcEnd, r.limit); end != math.MaxUint64 {
		err = r.lost(err, end-r.next)
	}
	return err
}

// leaveMoved looks at the names again, and leaves the source where offset lies
// in another segment by them, or this one ends elsewhere.
func (r *Reader) leaveMoved(src *source, offset uint64) (left bool, err error) {
	ly, err := r.log.refresh()
	if err != nil {
		return false, err
	}
	if s, end := ly.find(offset); s == src.slot && end == r.srcEnd {
		return false, nil
	}
	r.leaveSource()
	return true, nil
}

// lost makes an error about an index that ends early one about all the records
// that it should describe, so that reading can go on behind them.
func (r *Reader) lost(err error, records uint64) error {
	e, corrupt := errors.AsType[*segment.CorruptError](err)
	if corrupt {
		e.Records = records
	}
	if corrupt || isAway(err) {
		r.bad = badRange{set: true, records: records}
	}
	return err
}

// gapError tells a missing segment from an index that lost its end: the
// records of a segment that is whole end where its index does, after n of them.
// offset is that of the first record that is missed.
func (r *Reader) gapError(src *source, n, offset uint64) error {
	size, err := src.size()
	if err != nil {
		return err
	}
	var end int64
	if n > 0 {
		if end, err = index.Entry(src.Idx, n); err != nil {
			return r.indexError(src, offset, err)
		}
	}
	if n > 0 && end == size && r.srcEnd != math.MaxUint64 {
		return r.log.awayError(src.Base + n)
	}
	switch {
	case src.Idx == nil && r.srcEnd != math.MaxUint64:
		return r.indexError(src, offset, mismatch("there is none; %d records should be in it, because the next segment begins with %d", r.srcEnd-src.Base, r.srcEnd))
	case r.srcEnd != math.MaxUint64:
		return r.indexError(src, offset, mismatch("it ends before the records do, after %d of %d, because the next segment begins with %d", n, r.srcEnd-src.Base, r.srcEnd))
	}
	return r.indexError(src, offset, mismatch("it ends before the records do"))
}

// atLiveEnd tells the end of the log from an offset beyond it.
func (r *Reader) atLiveEnd() error {
	next := r.log.live.Next()
	switch {
	case r.next == next:
		return io.EOF
	case r.next > next:
		_, err := r.log.beyond(r.next)
		return err
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
		r.makeRoom()
		return io.EOF
	case r.next > next:
		_, err = r.log.beyond(r.next)
	}
	r.leaveSource()
	return err
}

// compareNames looks, once for each opening of a sealed segment, whether its
// index describes as many records as the names of the segments say, and tells
// where it does not: who reads one record does not come to the joint. What
// proves itself is read all the same.
func (r *Reader) compareNames(src *source) error {
	if r.srcEnd == math.MaxUint64 || src.compared.Load() {
		return nil
	}
	n, err := src.recount()
	if err != nil {
		return err
	}
	want := r.srcEnd - src.Base
	if n != want {
		// A roll that was put off may have left its files behind.
		if left, err := r.leaveMoved(src, src.Base); left || err != nil {
			return err
		}
	}
	if src.compared.Swap(true) || n == want {
		return nil
	}
	if n < want && isAway(r.gapError(src, n, src.Base+n)) {
		return nil // the index is whole, and a segment behind it is not there
	}
	r.log.log.Warn("index does not describe what the names of the segments say; reading what proves itself",
		"path", src.Index, "reason", fmt.Sprintf("it has %s, and the next segment begins behind %s", segment.Plural(n, "record"), segment.Plural(want, "record")))
	return nil
}
