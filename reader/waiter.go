package reader

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"example.com/jlq/internal/vfs"
)

// Place is where a cursor stands that has come to the end: at offset Next of
// Log.
type Place struct {
	Log  *Log
	Next uint64
}

// watchedPoll is how often files are looked at although their directories are
// watched: notification may be lost without a sign.
const watchedPoll = time.Second

// Waiter waits at the ends of several logs at once, for who reads them in turn.
// It belongs to one goroutine, and its zero value is ready for use. Close
// ends what it began.
type Waiter struct {
	watcher *fsnotify.Watcher
	broken  bool // there is no notification to be had
	dirs    map[string]bool
}

// Wait returns nil when there may be more behind one of the places, when wake
// can be received from (it is, then), or after limit; and with the cause of ctx
// when that ends. It may return too early, never too late: what is appended
// after a cursor came to the end and before Wait was called ends it as well.
// Logs of this process's writers wake it at once. For others their directories
// are watched, with one look a second behind that, or every Options.Poll where
// watching is not to be had.
func (w *Waiter) Wait(ctx context.Context, wake <-chan struct{}, limit time.Duration, at ...Place) error {
	if fresh, poll := w.watch(at); fresh {
		return context.Cause(ctx) // what came before the watch began is seen by looking again
	} else if poll > 0 {
		limit = min(limit, poll)
	}
	timer := time.NewTimer(max(limit, 0))
	defer timer.Stop()
	moved := make(chan struct{}, 1)
	defer awaitLive(ctx, at, moved)()
	for {
		var events <-chan fsnotify.Event
		var lost <-chan error
		if w.watcher != nil {
			events, lost = w.watcher.Events, w.watcher.Errors
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-wake:
			return nil
		case <-moved:
			return nil
		case <-timer.C:
			return nil
		case <-lost:
			return nil
		case ev := <-events:
			if w.concerns(ev, at) {
				w.drain()
				return nil
			}
		}
	}
}

// awaitLive waits for the writers of this process; the function that it
// returns ends that.
func awaitLive(ctx context.Context, at []Place, moved chan<- struct{}) func() {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for _, p := range at {
		if p.Log.live == nil {
			continue
		}
		wg.Go(func() {
			err := p.Log.live.Wait(ctx, p.Next)
			if err != nil && ctx.Err() != nil {
				return
			}
			select { // a closed one is told by reading it
			case moved <- struct{}{}:
			default:
			}
		})
	}
	return func() { cancel(); wg.Wait() }
}

// watch watches the directories of the places and no others. fresh says that
// one is new; poll is how often to look all the same, 0 where no files are
// concerned.
func (w *Waiter) watch(at []Place) (fresh bool, poll time.Duration) {
	wanted := make(map[string]bool, len(at))
	for _, p := range at {
		if p.Log.live != nil {
			continue
		}
		interval := watchedPoll
		dir := p.Log.watchDir()
		wanted[dir] = true
		switch {
		case w.dirs[dir]:
		case w.add(p.Log, dir):
			fresh = true
		default:
			interval = p.Log.opts.Poll
		}
		if poll == 0 || interval < poll {
			poll = interval
		}
	}
	for dir := range w.dirs {
		if !wanted[dir] {
			delete(w.dirs, dir)
			// A directory that is gone is not watched any more as it is.
			_ = w.watcher.Remove(dir)
		}
	}
	return fresh, poll
}

// add begins to watch a directory, and reports whether that could be done.
func (w *Waiter) add(l *Log, dir string) bool {
	if w.broken || l.fs != vfs.OS {
		return false // another file system tells nobody
	}
	var err error
	if w.watcher == nil {
		if w.watcher, err = fsnotify.NewWatcher(); err != nil {
			w.broken = true
		}
	}
	if err == nil {
		err = w.watcher.Add(dir)
	}
	if err != nil {
		l.log.Debug("no file notification; polling", "path", dir, "interval", l.opts.Poll, "error", err)
		return false
	}
	if w.dirs == nil {
		w.dirs = map[string]bool{}
	}
	w.dirs[dir] = true
	return true
}

func (l *Log) watchDir() string {
	if l.place.Bare {
		return filepath.Dir(l.place.Path)
	}
	return l.place.Path
}

// concerns reports whether an event is about a file of one of the logs, and not
// about what lies beside it.
func (w *Waiter) concerns(ev fsnotify.Event, at []Place) bool {
	if ev.Op == fsnotify.Chmod {
		return false
	}
	if strings.HasSuffix(ev.Name, ".index") || strings.HasSuffix(ev.Name, ".jsonl") {
		return true
	}
	for _, p := range at {
		if p.Log.place.Bare && filepath.Base(ev.Name) == filepath.Base(p.Log.place.Path) {
			return true
		}
	}
	return false
}

// drain takes the events that are there already: one look serves them all.
func (w *Waiter) drain() {
	for range 1024 {
		select {
		case <-w.watcher.Events:
		default:
			return
		}
	}
}

// Close ends watching. The Waiter may be used again.
func (w *Waiter) Close() error {
	watcher := w.watcher
	w.watcher, w.dirs = nil, nil
	if watcher == nil {
		return nil
	}
	return watcher.Close()
}
