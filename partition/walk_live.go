package partition

import (
	"time"

	"example.com/jlq/internal/segment"
)

// A log may be verified while a writer is at work. What it has begun and not
// ended looks like damage, so before such a thing is told it gets some time.

const (
	// patience is how long a writer may take to go on with what it has begun,
	// with room to spare.
	patience = 50 * time.Millisecond

	// syncing is how many times as long it may take where the disk has to have
	// the records before it publishes them: a busy one lets it wait for seconds.
	syncing = 40
)

// caughtUp gives a live writer the time to publish the lines that were seen
// behind the index. Nobody else moves it.
func (w *walk) caughtUp() bool {
	want, patience := w.claimed+w.behind.Records, w.v.patience
	if m := w.v.meta; w.last && m != nil && m.Sync == segment.SyncAlwaysName {
		patience *= syncing
	}
	return w.soon(patience, func() bool {
		n, err := w.h.Published()
		return err == nil && n >= want
	})
}

// grown gives a live writer the time to write the rest of what was seen
// incomplete, or to take it back.
func (w *walk) grown() bool {
	return w.soon(w.v.patience, func() bool {
		rec, err := w.h.Rec.Stat()
		if err != nil || rec.Size != w.size {
			return err == nil
		}
		if w.h.Idx == nil {
			return false
		}
		idx, err := w.h.Idx.Stat()
		return err == nil && idx.Size != w.idxSize
	})
}

// soon waits for what a live writer would do next.
func (w *walk) soon(patience time.Duration, done func() bool) bool {
	for wait := time.Duration(0); ; wait += 2 * time.Millisecond {
		if done() {
			return true
		}
		if wait >= patience || w.v.ctx.Err() != nil {
			return false
		}
		time.Sleep(2 * time.Millisecond)
	}
}
