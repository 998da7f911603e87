package writer

import "time"

// A log that other processes append to as well is shared: its locks are held for
// a turn only, by whoever keeps all others of this process from appending, the
// caller that has the turn or the leader of a group. A turn begins with what
// the others have left (Owner.Enter) and ends when nothing of its own is left to
// do: whatever was written is published. So between turns the files say all
// there is to know, and a process that dies then leaves nothing to recover. In
// one that dies within its turn:
//
//	it dies before     the next turn, of any process, finds
//	the write          nothing new
//	the fdatasync      lines behind the index: recovers as at opening
//	the entries        the same; nobody was told that they are stored
//	the unlock         all of them published, and takes them in
//
// The kernel gives up the locks of a process that dies. What it was told of
// before is published, and under SyncAlways on the disk.

// shared reports whether others append to the log as well.
func (w *Writer) shared() bool { return w.owner.Enter != nil }

// enter begins a turn, for a caller that keeps all others of this process from
// appending. It does not hold mu.
func (w *Writer) enter() error {
	if !w.shared() {
		return nil // what it does sees whether the writer is poisoned
	}
	if err := w.Err(); err != nil {
		return err
	}
	t, err := w.owner.Enter(w.active)
	if err != nil {
		return err
	}
	w.takeIn(t)
	return nil
}

// enterHolding is enter for a caller that holds mu, which is not held on the way.
func (w *Writer) enterHolding() error {
	if !w.shared() {
		return w.err
	}
	w.mu.Unlock()
	defer w.mu.Lock()
	return w.enter()
}

// leave ends a turn that has begun.
func (w *Writer) leave() {
	if w.shared() {
		w.owner.Leave()
	}
}

// Turn is what can be done of a writer within a function that Alone calls, which
// would wait for its own end if it called the writer itself.
type Turn struct{ w *Writer }

// Roll is [Writer.Roll].
func (t Turn) Roll() error {
	if !t.w.shared() {
		return t.w.Roll()
	}
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	return t.w.rollAlone()
}

// Sync is [Writer.Sync].
func (t Turn) Sync() error { return t.w.syncNow() }

// SyncRecords returns when every record that is accepted survives a power loss.
// It says so nowhere: a disk that has no room for that is no error.
func (t Turn) SyncRecords() error { return t.w.syncRecords() }

// CheckNames is [Writer.CheckNames].
func (t Turn) CheckNames() error { return t.w.CheckNames() }

// Alone calls do while no other process appends, and where others do between
// their turns, nobody else in this one either.
func (w *Writer) Alone(do func(Turn) error) error {
	if !w.shared() {
		return do(Turn{w})
	}
	w.mu.Lock()
	w.takeTurn()
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.giveTurn()
	}()
	if err := w.enter(); err != nil {
		return err
	}
	defer w.leave()
	return do(Turn{w})
}

// takeIn makes the state of the writer that of the log.
func (w *Writer) takeIn(t Taken) {
	old := w.active
	if t.Active != old {
		// A sync of the old one may be under way, and ends before it is closed.
		w.tasks.syncMu.Lock()
		defer w.tasks.syncMu.Unlock()
		defer w.owner.Retire(old)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Active.Base != old.Base {
		w.stats.seal(old.Base)
		w.rolling.created, w.rolling.ahead, w.rolling.retryAt = time.Now(), false, time.Time{}
		w.synced = target{0, t.Active.Base}
	}
	if t.Active != old { // a sync reads it without mu
		w.active = t.Active
	}
	w.live.Restart(t.Active.Base, t.Next, t.Active.End())
	w.takeInSynced(t)
	w.takeInAge(t)
}

// takeInSynced notes how far the log is on the disk. The caller holds mu.
func (w *Writer) takeInSynced(t Taken) {
	switch end := t.Active.End(); {
	case t.Recovered:
		w.synced, w.dirty = target{end, t.Next}, dirty{}
		w.durable.Store(t.Next)
		return
	case t.Position == end:
		w.synced, w.dirty = target{end, t.Next}, dirty{}
		w.raiseDurable(t.Next)
	case t.Position > w.synced.position:
		w.synced.position = t.Position
	}
	if w.opts.Sync == SyncAlways {
		// Whoever published them had brought them to the disk.
		w.raiseDurable(t.Next)
	}
}

// takeInAge notes since when the segment holds records. The caller holds mu.
func (w *Writer) takeInAge(t Taken) {
	if w.opts.SegmentAge <= 0 {
		return
	}
	if c := t.Created; !c.IsZero() && c.Before(time.Now()) {
		w.rolling.created = c
	}
	w.noteAge()
}

// syncBehind is what the goroutine that syncs does. Where others append as
// well, the bulk of it comes before the turn, so that they wait for the rest
// only.
func (w *Writer) syncBehind() error {
	if !w.shared() {
		return w.syncAll()
	}
	// By offsets: where the segment ends belongs to whoever has the turn.
	w.mu.Lock()
	idle := w.live.Next() == w.synced.next
	w.mu.Unlock()
	if idle {
		return nil // and nobody is kept waiting
	}
	if err := w.syncEarly(); err != nil {
		return err
	}
	return w.syncAll()
}

// syncEarly brings to the disk what is written, and says so to nobody. It holds
// syncMu, so that the file is not closed meanwhile.
func (w *Writer) syncEarly() error {
	w.tasks.syncMu.Lock()
	defer w.tasks.syncMu.Unlock()
	if err := w.Err(); err != nil {
		return err
	}
	if err := w.fsync(); err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.poison(err)
	}
	return nil
}

// syncAll makes everything durable that is accepted when it begins.
func (w *Writer) syncAll() error { return w.Alone(Turn.Sync) }

// lastSync is that of Close, which has the turn.
func (w *Writer) lastSync() error {
	if !w.shared() {
		return w.syncNow()
	}
	// Others may have the locks for long. Everything that this process has
	// written is in this file, or in one that was synced before it was sealed.
	if err := w.syncEarly(); err != nil {
		return err
	}
	if w.enter() != nil {
		return w.Err() // the next one who has the locks says how far it is synced
	}
	defer w.leave()
	return w.syncNow()
}

// catchUp syncs within a turn where so much is unsynced that appends must wait,
// and returns why nothing may be written, if so.
func (w *Writer) catchUp() error {
	w.mu.Lock()
	err, far := w.err, w.shared() && w.farBehind()
	w.mu.Unlock()
	if err != nil || !far {
		return err
	}
	return w.syncNow()
}
