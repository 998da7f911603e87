package writer

import (
	"errors"
	"sync"
	"time"
)

const (
	// publishDelay leaves time to gather entries. Twice as long is the
	// longest that a record is invisible to other processes: 2 ms, with room
	// for timers that come late.
	publishDelay = 800 * time.Microsecond
	// flushDelay is that of SyncBuffered, which has 10 ms.
	flushDelay = 4500 * time.Microsecond
	// retryDelay is the time between attempts to publish on a full disk.
	retryDelay = 100 * time.Millisecond
)

// tasks are the writer's two goroutines: one publishes index entries, one
// syncs. They live from New to Close.
type tasks struct {
	publish   chan struct{}
	sync      chan struct{}
	quit      chan struct{}
	once      sync.Once // of closing it
	running   sync.WaitGroup
	publishOn bool // a publication is on its way; guarded by the writer's mu
	syncMu    sync.Mutex
}

func (w *Writer) start() {
	t := &w.tasks
	t.publish, t.sync, t.quit = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})
	w.startRoller()
	t.running.Go(w.syncer)
	if w.opts.Sync != SyncAlways && !w.shared() {
		t.running.Go(w.publisher)
	}
}

func (t *tasks) stop() {
	t.once.Do(func() { close(t.quit) })
	t.running.Wait()
}

// wantPublish makes sure that a publication is on its way. The caller holds
// the writer's mu.
func (t *tasks) wantPublish() {
	if t.publishOn {
		return
	}
	t.publishOn = true
	select {
	case t.publish <- struct{}{}:
	default:
	}
}

// wantSync makes sure that a sync is on its way.
func (t *tasks) wantSync() {
	select {
	case t.sync <- struct{}{}:
	default:
	}
}

// publisher publishes what was appended, a little after the first record of a
// burst. While appends keep coming, it tells them that it is time and they do
// it themselves: they have the mutex, which they would have to wait for
// otherwise, and nobody has to be woken for each burst.
func (w *Writer) publisher() {
	delay := publishDelay
	if w.opts.Sync == SyncBuffered {
		delay = flushDelay
	}
	timer := time.NewTimer(delay)
	timer.Stop()
	defer timer.Stop()
	seen := uint64(0)
	for {
		select {
		case <-w.tasks.publish:
			seen = w.live.Next()
			timer.Reset(delay)
		case <-timer.C:
			next := w.live.Next()
			switch {
			case next != seen && !w.due.Swap(true):
				seen = next
				timer.Reset(delay)
			case !w.publishNow():
				timer.Reset(retryDelay)
			}
		case <-w.tasks.quit:
			return
		}
	}
}

// publishNow reports whether everything is published, or never will be; the
// next append then wakes the publisher again.
func (w *Writer) publishNow() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.publish()
	if w.publishErr != nil {
		return false
	}
	w.tasks.publishOn = false
	return true
}

// syncer syncs when enough was written or, under SyncInterval, when the
// interval is over. A failure poisons the writer, which tells it to everyone.
func (w *Writer) syncer() {
	var tick <-chan time.Time
	if w.opts.Sync == SyncInterval {
		ticker := time.NewTicker(w.opts.interval())
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-w.tasks.sync:
		case <-tick:
		case <-w.tasks.quit:
			return
		}
		if w.syncBehind() == nil {
			continue
		}
		if w.Err() != nil {
			return
		}
		// The index could not be published (a full disk), so there is nothing
		// to vouch for yet; appends that wait for this sync are told so. Or
		// another process has the locks.
		w.changed.Broadcast()
		select {
		case <-time.After(retryDelay):
			w.tasks.wantSync()
		case <-w.tasks.quit:
			return
		}
	}
}

// target is a line end up to which everything is to become durable.
type target struct {
	position int64
	next     uint64
}

// syncNow makes everything durable that is accepted when it begins, in an
// order that makes no promise before it holds: records, then the index, then
// partition.json. Appends go on meanwhile.
func (w *Writer) syncNow() error {
	w.tasks.syncMu.Lock()
	defer w.tasks.syncMu.Unlock()
	to, unpublished, err := w.beginSync()
	if err != nil || to == w.syncedTo() {
		return err
	}
	if err := w.syncFiles(to, unpublished == nil); err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.poison(err)
	}
	w.endSync(to, unpublished == nil)
	return errors.Join(unpublished, w.Err())
}

// syncRecords makes the records durable that are accepted when it begins, and
// leaves the index and partition.json to the next sync: recovery adopts them.
// So the disk may be full, which poisons no writer here; a failed fdatasync
// does, as everywhere.
func (w *Writer) syncRecords() error {
	w.tasks.syncMu.Lock()
	defer w.tasks.syncMu.Unlock()
	to, _, err := w.beginSync() // what the index does not describe is synced as well
	if err != nil {
		return err
	}
	err = w.fsync()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		return w.poison(err)
	}
	w.raiseDurable(to.next)
	w.dirty.syncing = time.Time{}
	w.changed.Broadcast()
	return nil
}

// beginSync takes the target before the fdatasync: what is written during it
// may or may not be covered. unpublished is why the index does not describe
// all of it (a full disk): then the records are synced all the same, because
// that was promised, and nothing else is.
func (w *Writer) beginSync() (to target, unpublished, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.opts.Sync != SyncAlways {
		w.publish()
	}
	if w.err != nil {
		return target{}, nil, w.err
	}
	w.dirty.syncing, w.dirty.since = w.dirty.since, time.Time{}
	return target{w.active.End(), w.live.Next()}, w.publishErr, nil
}

func (w *Writer) syncedTo() target {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.synced
}

func (w *Writer) syncFiles(to target, published bool) error {
	if err := w.fsync(); err != nil {
		return err
	}
	w.raiseDurable(to.next)
	if !published {
		return nil
	}
	if err := w.active.SyncIndex(); err != nil {
		return err
	}
	// Another directory may have the name by now, and its partition.json must
	// not be told how far these files are synced.
	if err := w.active.CheckNames(); err != nil {
		return err
	}
	if w.owner.Save == nil {
		w.active.Vouch(to.position)
		return nil
	}
	return w.owner.Save(to.position, w.createdAt())
}

func (w *Writer) endSync(to target, published bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if published {
		w.synced = to
	}
	w.dirty.syncing = time.Time{}
	w.changed.Broadcast()
}

// raiseDurable moves the durable offset up, never down: a group commit may
// have passed it.
func (w *Writer) raiseDurable(next uint64) {
	for {
		old := w.durable.Load()
		if old >= next || w.durable.CompareAndSwap(old, next) {
			return
		}
	}
}

// fsync makes the written records durable, and counts.
func (w *Writer) fsync() error {
	start := time.Now()
	err := w.active.SyncRecords()
	took := time.Since(start)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.fsync.Observe(uint64(took))
	return err
}
