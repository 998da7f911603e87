package writer

import (
	"errors"
	"slices"
	"time"

	"example.com/jlq/internal/segment"
)

const (
	// syncBytes is how many unsynced bytes start a background sync.
	syncBytes = 64 << 20
	// syncEntries is how many unsynced index entries of a bare file do. There
	// is no partition.json that says which entries to derive again; a hole
	// that a power loss left in the last 524,288 of them is found all the
	// same, see index.Trusted.
	syncEntries = 1 << 18
	// stallBytes is how many unsynced bytes appends wait for.
	stallBytes = segment.MaxUnsynced
	// bufferBytes is how much SyncBuffered keeps before it flushes.
	bufferBytes = 256 << 10
	// maxPending bounds the entries that wait to be published.
	maxPending = 1 << 16
)

// appendDirect is the way of the modes that do not wait for the disk: one
// write under the mutex.
func (w *Writer) appendDirect(data [][]byte) result {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if err := w.admit(false); err != nil {
			return result{err: err}
		}
		if !w.opts.rolls() || !w.rollDue(len(data), w.lines(data)) {
			return w.writeBatch(data)
		}
		w.rollInTurn(len(data), w.lines(data))
	}
}

// end is where the next record begins.
func (w *Writer) end() int64 {
	return w.active.End() + int64(w.live.Unwritten())
}

// writeBatch stores the records of one batch. The caller holds mu.
func (w *Writer) writeBatch(data [][]byte) result {
	size := w.lines(data)
	room, err := w.room(size, len(data))
	if err != nil {
		return result{first: w.live.Next(), err: err}
	}
	buf := w.encode(room, size, data)
	first := w.live.Next()
	w.begun()
	if room != nil && w.opts.Sync == SyncBuffered {
		w.live.Buffer(w.ends, buf)
	} else {
		if err := w.active.Write(buf); err != nil {
			return w.writeFailed(first, err)
		}
		w.active.Accept(size)
		w.live.Extend(w.ends, buf)
	}
	w.stats.batch(len(data), len(buf))
	err = w.afterWrite()
	return result{first: first, stored: len(data), unknown: err != nil, err: err}
}

// room returns the memory of the tail in which a batch is encoded, so that it
// needs no copy; nil where it is too large to be kept there. Such a batch is
// written at once under SyncBuffered too, behind what that holds back.
func (w *Writer) room(size int64, lines int) ([]byte, error) {
	room := w.live.Room(size, lines)
	if room != nil || w.opts.Sync != SyncBuffered {
		return room, nil
	}
	if err := w.flush(); err != nil {
		return nil, err
	}
	return w.live.Room(size, lines), nil
}

// writeFailed: the file was cut back, so nothing of the batch is stored and
// the writer goes on; or it could not be, and then it does not.
func (w *Writer) writeFailed(first uint64, err error) result {
	if errors.Is(err, segment.ErrUncertain) {
		return result{first: first, unknown: true, err: w.poison(err)}
	}
	return result{first: first, err: err}
}

// encode lays the lines of data one behind the other, in room where that is
// not nil, and their ends.
func (w *Writer) encode(room []byte, size int64, data [][]byte) []byte {
	buf := room
	if buf == nil {
		buf = w.ownBuffer(size)
	}
	w.ends = w.ends[:0]
	at := w.end()
	for _, rec := range data {
		buf = append(append(buf, rec...), '\n')
		w.ends = append(w.ends, at+int64(len(buf)))
	}
	return buf
}

// ownBuffer returns memory for a batch that the tail does not take.
func (w *Writer) ownBuffer(size int64) []byte {
	if cap(w.buf) > bufferBytes && size <= bufferBytes {
		w.buf = nil // a huge batch must not keep its memory for ever
	}
	w.buf = slices.Grow(w.buf[:0], int(size))
	return w.buf
}

// afterWrite sets in motion what follows an acknowledged batch.
func (w *Writer) afterWrite() error {
	if w.opts.Sync == SyncInterval && w.dirty.since.IsZero() {
		w.dirty.since = time.Now()
	}
	w.syncIfDue()
	if w.live.Unwritten() >= bufferBytes {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.live.Pending()) >= maxPending || w.due.Load() {
		w.publish()
	} else {
		w.tasks.wantPublish()
	}
	return w.err // what publishing saw of other programs, if it did
}

// syncIfDue starts a background sync when enough is unsynced.
func (w *Writer) syncIfDue() {
	bare := w.owner.Save == nil
	if w.end()-w.synced.position >= syncBytes || bare && w.live.Next()-w.synced.next >= syncEntries {
		w.tasks.wantSync()
	} else if w.syncAhead() {
		w.tasks.wantSync()
	}
}

// flush writes what SyncBuffered holds back. Those records were acknowledged
// and seen, so a failure is for good. The caller holds mu.
func (w *Writer) flush() error {
	for lines := w.live.Buffered(); len(lines) > 0; lines = w.live.Buffered() {
		if err := w.active.Write(lines); err != nil {
			return w.poison(err)
		}
		w.active.Accept(int64(len(lines)))
		w.live.Flushed()
	}
	return nil
}

// publish writes the index entries that wait, which makes their records
// visible to other processes. What cannot be written stays and is tried
// again. The caller holds mu.
func (w *Writer) publish() {
	w.publishErr = nil
	if w.err != nil || w.flush() != nil {
		return
	}
	w.due.Store(false)
	pending := w.live.Pending()
	if len(pending) == 0 {
		return
	}
	if err := w.active.Check(0); err != nil {
		w.poison(err)
		return
	}
	k, err := w.active.Publish(pending)
	w.live.SetPublished(k)
	if k > 0 {
		w.stats.indexEntries.Observe(uint64(k))
	}
	switch {
	case errors.Is(err, segment.ErrUncertain):
		w.poison(err)
	case err != nil:
		w.publishErr = err
		w.due.Store(true)
		w.tasks.wantPublish()
	}
}
