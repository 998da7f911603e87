package writer

import (
	"errors"
	"time"

	"example.com/jlq/internal/segment"
)

// group is the records of the callers that share one fdatasync (SyncAlways).
type group struct {
	buf    []byte
	ends   []int64   // from the beginning of buf; positions once it is committed
	since  time.Time // when its first caller came
	done   chan struct{}
	lead   chan struct{} // tells one of its callers to commit it
	result result        // of the whole group, when done
}

func (w *Writer) newGroup() *group {
	g := &group{since: time.Now()}
	if w.spare != nil {
		g.buf, g.ends = w.spare.buf[:0], w.spare.ends[:0]
		w.spare = nil
	}
	g.done, g.lead = make(chan struct{}), make(chan struct{}, 1)
	return g
}

// add lays the lines of data behind those of the others.
func (g *group) add(data [][]byte) {
	for _, rec := range data {
		g.buf = append(append(g.buf, rec...), '\n')
		g.ends = append(g.ends, int64(len(g.buf)))
	}
}

// part is the outcome for the n records from number at of the group on.
func (g *group) part(at, n int) result {
	r := g.result
	r.first += uint64(at)
	r.stored = min(max(r.stored-at, 0), n)
	if r.stored == n {
		r.err, r.unknown = nil, false
	}
	return r
}

// appendGrouped joins the group that is forming. Its first caller commits it,
// as soon as no other group is being committed; the rest wait. While one
// group is on its way to the disk, the next one gathers.
func (w *Writer) appendGrouped(data [][]byte) result {
	w.mu.Lock()
	g, at, err := w.join(data)
	if err != nil {
		w.mu.Unlock()
		return result{err: err}
	}
	leader := !w.leading
	w.leading = true
	w.mu.Unlock()
	if !leader {
		select {
		case <-g.done:
			return g.part(at, len(data))
		case <-g.lead:
		}
	}
	w.commitForming(g)
	return g.part(at, len(data))
}

// join adds data to the forming group, when there is room for it.
func (w *Writer) join(data [][]byte) (g *group, at int, err error) {
	size := w.lines(data)
	for {
		if err := w.admit(false); err != nil {
			return nil, 0, err
		}
		if w.forming == nil {
			w.forming = w.newGroup()
		}
		g = w.forming
		if len(g.buf) == 0 || w.fits(g, len(data), size) {
			break
		}
		w.changed.Wait()
	}
	at = len(g.ends)
	g.add(data)
	return g, at, nil
}

// fits reports whether a group has room for so many more records and bytes.
func (w *Writer) fits(g *group, records int, size int64) bool {
	most := w.opts.SegmentRecords
	return int64(len(g.buf))+size <= w.batch && (most == 0 || uint64(len(g.ends)+records) <= most)
}

// commitForming closes the group to others, commits it and hands the lead to
// one caller of the group that gathered meanwhile.
func (w *Writer) commitForming(g *group) {
	entered := w.enter() // while the locks are waited for, others still join
	w.mu.Lock()
	w.forming = nil
	w.changed.Broadcast()
	w.mu.Unlock()

	if entered == nil {
		w.commit(g)
		w.leave()
	} else {
		g.result = result{err: entered}
	}

	w.mu.Lock()
	if w.forming != nil {
		w.forming.lead <- struct{}{}
	} else {
		w.leading = false
	}
	w.changed.Broadcast()
	w.mu.Unlock()
	close(g.done)
}

// commit brings a group to the disk and publishes it. One group is on its way
// at a time: its caller leads, or has the turn.
func (w *Writer) commit(g *group) {
	if w.opts.rolls() {
		w.mu.Lock()
		w.rollBefore(len(g.ends), int64(len(g.buf)))
		w.mu.Unlock()
	}
	start := w.active.End()
	for i := range g.ends {
		g.ends[i] += start
	}
	if err := w.catchUp(); err != nil {
		// It gathered behind one that poisoned the writer: nothing of it was
		// written, and that is known.
		g.result = result{err: err}
		return
	}
	stored, err := w.store(g.buf, g.ends)
	w.outcome(g, stored, err)
	if err := w.saveAge(); err != nil && g.result.err == nil {
		// They are stored, and the writer is poisoned: the caller learns of it.
		g.result.unknown, g.result.err = true, err
	}
}

// outcome notes what became of a group.
func (w *Writer) outcome(g *group, stored int, err error) {
	start := w.active.End()
	w.mu.Lock()
	defer w.mu.Unlock()
	g.result = result{first: w.live.Next(), stored: stored, err: err}
	if errors.Is(err, segment.ErrUncertain) {
		g.result.unknown, g.result.err = true, w.poison(err)
	}
	if stored > 0 {
		w.accept(g.ends[:stored], g.buf, start)
		w.stats.group.Observe(uint64(max(0, time.Since(g.since))))
	}
	w.spare = g.buffers()
}

// buffers keeps the buffers of a finished group for the next one, unless they
// are huge.
func (g *group) buffers() *group {
	if cap(g.buf) > minBatch {
		return nil
	}
	return &group{buf: g.buf, ends: g.ends}
}

// accept acknowledges what is on the disk and in the index.
func (w *Writer) accept(ends []int64, lines []byte, start int64) {
	n := ends[len(ends)-1] - start
	w.begun()
	w.active.Accept(n)
	w.live.Extend(ends, lines[:n])
	w.live.SetPublished(len(ends))
	if w.opts.Sync == SyncAlways {
		w.durable.Store(w.live.Next())
	} else if w.dirty.since.IsZero() {
		w.dirty.since = time.Now()
	}
	w.stats.batch(len(ends), int(n))
	w.stats.indexEntries.Observe(uint64(len(ends)))
	w.syncIfDue()
}

// store takes the lines of one batch through steps 1 to 4 of the package
// comment, step 2 under SyncAlways only, and returns how many records are stored. An error that matches
// [segment.ErrUncertain] means that more of them may be.
func (w *Writer) store(buf []byte, ends []int64) (stored int, err error) {
	a := w.active
	if err := a.Write(buf); err != nil {
		return 0, w.afterCut(err)
	}
	size := int64(len(buf))
	if err := w.syncBatch(size); err != nil {
		return 0, err
	}
	// From here the batch survives a power loss, but no other process sees
	// it. Another program may have replaced the file meanwhile.
	if err := a.Check(size); err != nil {
		return 0, err
	}
	k, err := a.Publish(ends)
	if err == nil {
		return k, nil
	}
	return k, w.cutUnpublished(ends, k, err)
}

// syncBatch makes a batch of size bytes durable that was written, where its
// callers are promised that.
func (w *Writer) syncBatch(size int64) error {
	if w.opts.Sync != SyncAlways {
		return nil
	}
	if err := w.active.CheckRecords(size); err != nil {
		return err
	}
	if err := w.fsync(); err != nil {
		// Never retried: the kernel may have dropped the pages.
		return segment.Uncertain(err)
	}
	return nil
}

// afterCut makes the cut of a failed write durable: else its bytes could come
// back after a power loss, behind records that were acknowledged later.
func (w *Writer) afterCut(err error) error {
	if errors.Is(err, segment.ErrUncertain) || w.opts.Sync != SyncAlways {
		return err
	}
	if syncErr := w.fsync(); syncErr != nil {
		return segment.Uncertain(errors.Join(err, syncErr))
	}
	return err
}

// cutUnpublished takes back the records of a batch whose entries could not be
// written: they are on the disk, and a recovery would adopt them although the
// caller is told that they are not stored.
func (w *Writer) cutUnpublished(ends []int64, k int, err error) error {
	if errors.Is(err, segment.ErrUncertain) {
		return err
	}
	keep := int64(0)
	if k > 0 {
		keep = ends[k-1] - w.active.End()
	}
	if cutErr := w.active.CutTo(ends[len(ends)-1]-w.active.End(), keep); cutErr != nil {
		return errors.Join(err, cutErr)
	}
	return w.afterCut(err)
}
