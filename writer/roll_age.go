package writer

import (
	"sync"
	"time"
)

// roller is the goroutine that rolls by age.
type roller struct {
	quit    chan struct{}
	once    sync.Once
	running sync.WaitGroup
}

// begun notes when an empty segment gets its first record: one that was empty
// for long is not old. The caller holds mu.
func (w *Writer) begun() {
	if w.opts.SegmentAge > 0 && w.inSegment() == 0 {
		w.rolling.created = time.Now()
		w.rolling.unsaved = w.shared()
	}
}

// saveAge tells the others who append, whose clock the age of the segment would
// begin at when it was made, that it has its first record now.
func (w *Writer) saveAge() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.rolling.unsaved {
		return nil
	}
	w.rolling.unsaved = false
	if err := w.owner.Save(w.synced.position, w.rolling.created); err != nil {
		return w.poison(err)
	}
	return nil
}

// createdAt is what partition.json is told of the age of the segment; zero
// where it has no limit.
func (w *Writer) createdAt() time.Time {
	if w.opts.SegmentAge <= 0 {
		return time.Time{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rolling.created
}

// startRoller starts what rolls by age when nobody appends.
func (w *Writer) startRoller() {
	r := &w.rolling
	r.timer.quit = make(chan struct{})
	r.created = time.Now()
	if c := w.owner.Created; !c.IsZero() && c.Before(r.created) {
		r.created = c // a clock that was put back would keep it for ever
	}
	if w.opts.SegmentAge > 0 && w.owner.Next != nil {
		w.noteAge()
		r.timer.running.Go(w.rollByAge)
	}
}

// noteAge notes that the active segment is old, where it is. The caller holds
// mu.
func (w *Writer) noteAge() {
	w.rolling.old = w.inSegment() > 0 && time.Since(w.rolling.created) >= w.opts.SegmentAge
}

// stop ends the goroutine, and waits for it.
func (r *roller) stop() {
	r.once.Do(func() { close(r.quit) })
	r.running.Wait()
}

func (w *Writer) rollByAge() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			timer.Reset(w.rollOld())
		case <-w.rolling.timer.quit:
			return
		}
	}
}

// rollOld rolls where that is due by age and returns when to look again.
func (w *Writer) rollOld() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteAge()
	if w.rolling.old {
		w.rollInTurn(0, 0)
	}
	age := w.opts.SegmentAge
	if w.inSegment() == 0 || w.err != nil {
		return max(age, time.Millisecond)
	}
	now := time.Now()
	return max(w.rolling.created.Add(age).Sub(now), w.rolling.retryAt.Sub(now), time.Millisecond)
}
