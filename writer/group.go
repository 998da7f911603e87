package writer

import (
	"errors"

	"example.com/jlq/internal/segment"
)

// group is the records of the callers that share one fdatasync (SyncAlways).
type group struct {
	buf    []byte
	ends   []int64 // from the beginning of buf; positions once it is committed
	done   chan struct{}
	lead   chan struct{} // tells one of its callers to commit it
	result result        // of the whole group, when done
}

func (w *Writer) newGroup() *group {
	g := &group{}
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
		if len(g.buf) == 0 || int64(len(g.buf))+size <= w.batch {
			break
		}
		w.changed.Wait()
	}
	at = len(g.ends)
	g.add(data)
	return g, at, nil
}

// commitForming closes the group to others, commits it and hands the lead to
// one caller of the group that gathered meanwhile.
func (w *Writer) commitForming(g *group) {
	w.mu.Lock()
	w.forming = nil
	w.changed.Broadcast()
	w.mu.Unlock()

	w.commit(g)

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
	start := w.active.End()
	for i := range g.ends {
		g.ends[i] += start
	}
	if err := w.Err(); err != nil {
		// It gathered behind one that poisoned the writer: nothing of it was
		// written, and that is known.
		g.result = result{err: err}
		return
	}
	stored, err := w.store(g.buf, g.ends)

	w.mu.Lock()
	defer w.mu.Unlock()
	g.result = result{first: w.live.Next(), stored: stored, err: err}
	if errors.Is(err, segment.ErrUncertain) {
		g.result.unknown, g.result.err = true, w.poison(err)
	}
	if stored > 0 {
		w.accept(g.ends[:stored], start)
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
func (w *Writer) accept(ends []int64, start int64) {
	n := ends[len(ends)-1] - start
	w.active.Accept(n)
	w.live.Extend(ends, nil)
	w.live.SetPublished(len(ends))
	w.durable.Store(w.live.Next())
	w.stats.batch(len(ends), int(n))
	w.stats.Published += uint64(len(ends))
	w.syncIfDue()
}

// store takes the lines of one batch through steps 1 to 4 of the package
// comment and returns how many records are stored. An error that matches
// [segment.ErrUncertain] means that more of them may be.
func (w *Writer) store(buf []byte, ends []int64) (stored int, err error) {
	a := w.active
	if err := a.Write(buf); err != nil {
		return 0, w.afterCut(err)
	}
	size := int64(len(buf))
	if err := a.CheckRecords(size); err != nil {
		return 0, err
	}
	if err := w.fsync(); err != nil {
		// Never retried: the kernel may have dropped the pages.
		return 0, segment.Uncertain(err)
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

// afterCut makes the cut of a failed write durable: else its bytes could come
// back after a power loss, behind records that were acknowledged later.
func (w *Writer) afterCut(err error) error {
	if errors.Is(err, segment.ErrUncertain) {
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
