package writer

// appendAlone stores data while nobody else appends: conditionally, or more
// than one batch of it under contiguous offsets.
func (w *Writer) appendAlone(data [][]byte, expect *uint64) result {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.takeTurn()
	defer w.giveTurn()
	if err := w.enterHolding(); err != nil {
		return result{err: err}
	}
	defer w.leave()
	all := result{first: w.live.Next()}
	if expect != nil && all.first != *expect {
		all.err = &ConflictError{Expect: *expect, Next: all.first}
		return all
	}
	for len(data) > 0 && all.err == nil {
		n := w.fit(data)
		part := w.appendPart(data[:n])
		all.stored += part.stored
		all.unknown, all.err = part.unknown, part.err
		data = data[n:]
	}
	return all
}

// fit is how many of the first records of data make one batch.
func (w *Writer) fit(data [][]byte) int {
	size := int64(0)
	for i, rec := range data {
		size += int64(len(rec)) + 1
		if i > 0 && (size > w.batch || uint64(i) == w.opts.SegmentRecords) {
			return i
		}
	}
	return len(data)
}

// appendPart stores one batch for the caller that has the turn, and holds mu.
func (w *Writer) appendPart(data [][]byte) result {
	if err := w.admit(true); err != nil {
		return result{err: err}
	}
	if w.opts.Sync != SyncAlways && !w.shared() {
		w.rollBefore(len(data), w.lines(data))
		if w.err != nil {
			return result{err: w.err}
		}
		return w.writeBatch(data)
	}
	g := w.newGroup()
	g.add(data)
	w.mu.Unlock()
	w.commit(g)
	w.mu.Lock()
	return g.result
}
