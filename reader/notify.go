package reader

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch wakes a follower when files change in the directory that holds the
// log. It only saves time: the follower looks by itself after each interval,
// because notification may be missing (no more watches to be had, a network
// file system), may be lost, and does not tell what is in memory only.
type watch struct {
	watcher *fsnotify.Watcher
	events  <-chan fsnotify.Event
	errors  <-chan error
	name    string // of a bare file within the directory; "" for all
}

// newWatch begins to watch. It always returns a watch; one that could not
// begin lets the intervals do the work.
func (l *Log) newWatch() *watch {
	w := &watch{}
	dir := l.place.Path
	if l.place.Bare {
		dir, w.name = filepath.Dir(l.place.Path), filepath.Base(l.place.Path)
	}
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		if err = watcher.Add(dir); err != nil {
			watcher.Close()
		}
	}
	if err != nil {
		l.log.Debug("no file notification; polling", "path", dir, "interval", l.opts.Poll, "error", err)
		return w
	}
	w.watcher, w.events, w.errors = watcher, watcher.Events, watcher.Errors
	return w
}

// wait returns when something changed, or after the interval; with the cause
// of ctx when that ends.
func (w *watch) wait(ctx context.Context, interval time.Duration) error {
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			return nil
		case ev, ok := <-w.events:
			if !ok {
				w.events = nil
			} else if w.concerns(ev) {
				w.drain()
				return nil
			}
		case _, ok := <-w.errors:
			if ok {
				return nil // events were lost
			}
			w.errors = nil
		}
	}
}

// concerns reports whether an event may mean that there is more to read.
func (w *watch) concerns(ev fsnotify.Event) bool {
	if ev.Op == fsnotify.Chmod {
		return false
	}
	return w.name == "" || filepath.Base(ev.Name) == w.name
}

// drain takes the events that are there already: one look serves them all.
func (w *watch) drain() {
	for range 1024 {
		select {
		case _, ok := <-w.events:
			if !ok {
				w.events = nil
			}
		default:
			return
		}
	}
}

// close ends watching. It may be called on nil.
func (w *watch) close() {
	if w != nil && w.watcher != nil {
		w.watcher.Close()
	}
}
