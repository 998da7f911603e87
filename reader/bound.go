package reader

import "math"

// bound makes the present high watermark, or to where that is lower, the end
// of what is read.
func (r *Reader) bound(to uint64) error {
	if r.bounded {
		return nil
	}
	if err := r.begin(); err != nil {
		return err
	}
	if r.log.indexed() {
		return r.boundIndexed(to)
	}
	if r.lease.src == nil {
		if err := r.enter(); err != nil {
			return err
		}
	}
	size, err := r.lease.src.size()
	r.limit, r.end, r.bounded = to, size, true
	return err
}

func (r *Reader) boundIndexed(to uint64) error {
	start, next, err := r.log.watermark()
	if err != nil && !isAway(err) {
		return err
	}
	if err != nil {
		// What is there is read first; then the error comes from the end.
		next = math.MaxUint64
	}
	if r.clamp {
		r.next = min(max(r.next, start), next)
	}
	if r.next > next {
		if next, err = r.log.beyond(r.next); err != nil {
			return err
		}
	}
	r.limit, r.bounded = min(to, next), true
	return nil
}

// unbound ends what bound began.
func (r *Reader) unbound() { r.limit, r.end, r.bounded = math.MaxUint64, math.MaxInt64, false }

// begin finds the place of a Reader that Tail made.
func (r *Reader) begin() error {
	if r.tail == nil {
		return nil
	}
	return r.placeTail()
}
