package writer

import "time"

// admit waits until a batch may be written and returns why it may not. mine
// says that the caller has the turn. The caller holds mu.
func (w *Writer) admit(mine bool) error {
	stalled := false
	for {
		switch {
		case w.err != nil:
			return w.err
		case w.publishErr != nil && !w.retryPublish():
			return w.publishFailure()
		case w.turns.taken() && !mine:
			w.changed.Wait()
		case w.behind():
			if !stalled {
				w.stats.stalls, stalled = w.stats.stalls+1, true
			}
			w.changed.Wait()
		default:
			return nil
		}
	}
}

// behind reports whether so much is unsynced that appends wait. Where others
// append as well, it is synced in the turn (catchUp): a sync in the background
// would wait for the turn itself.
func (w *Writer) behind() bool {
	return !w.shared() && w.farBehind()
}

func (w *Writer) farBehind() bool {
	if w.end()-w.synced.position >= stallBytes {
		w.tasks.wantSync()
		return true
	}
	if w.opts.Sync != SyncInterval {
		return false
	}
	if w.dirty.oldest(time.Now()) < 2*w.opts.interval() {
		return false
	}
	w.tasks.wantSync()
	return true
}

// retryPublish tries again to write the entries that could not be written;
// where that fails again, the caller's append fails with it.
func (w *Writer) retryPublish() bool {
	w.publish()
	return w.publishFailure() == nil
}

// publishFailure is why not everything is published, if it is not.
func (w *Writer) publishFailure() error {
	if w.err != nil {
		return w.err
	}
	return w.publishErr
}
