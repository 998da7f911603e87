package topic

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"example.com/jlq/internal/vfs"
	"example.com/jlq/partition"
)

// filesOfWriter is how many files a partition that is open for appending takes,
// with as much again for everything else.
const filesOfWriter = 16

// writers are the partitions of a Shared topic that are open for appending, where
// it has so many that a process could not have all of them open: of those that
// nobody appends to, the longest open one makes way for the next. It has no lock
// between its batches that others could take meanwhile, so closing it changes
// nothing but what the next batch costs.
type writers struct {
	most   int           // 0: all are open
	slots  chan struct{} // at most half of them are written to at once
	order  []int         // in which they were opened; Topic.mu guards it
	failed map[int]error // of those that were closed and not opened again; the same

	busyMu sync.Mutex  // behind Topic.mu
	busy   map[int]int // how many append to a partition, or are about to
}

// newWriters bounds the writers of so many partitions by how many files the
// system allows; 0 is no bound.
func newWriters(shared bool, partitions, files int) writers {
	most := max(files/filesOfWriter, 2)
	if !shared || files == 0 || partitions <= most {
		return writers{}
	}
	return writers{most: most, slots: make(chan struct{}, most/2), failed: map[int]error{}, busy: map[int]int{}}
}

// using keeps partition i open for who appends to it, once there is a place among
// those that are written to; done gives it back.
func (w *writers) using(i int) (done func()) {
	if w.most == 0 {
		return func() {}
	}
	w.slots <- struct{}{}
	w.count(i, 1)
	return func() {
		w.count(i, -1)
		<-w.slots
	}
}

func (w *writers) count(i, change int) {
	w.busyMu.Lock()
	defer w.busyMu.Unlock()
	if w.busy[i] += change; w.busy[i] == 0 {
		delete(w.busy, i)
	}
}

// makeWay is called with partition i open for appending, and closes another where
// that is one too many. What its Close says, which may be that records are not on
// the disk, is an error of Sync and Close until it is opened again, which brings
// them there. t.mu is held.
func (t *Topic) makeWay(i int) {
	w := &t.writers
	if w.most == 0 {
		return
	}
	delete(w.failed, i)
	w.order = append(slices.DeleteFunc(w.order, func(other int) bool { return other == i }), i)
	for len(w.order) > w.most {
		old, p := t.takeOldest()
		if p == nil {
			continue
		}
		if err := p.Close(); err != nil {
			w.failed[old] = err
		}
	}
}

// takeOldest takes the longest open writer that nobody uses out of the topic; nil
// where it was deleted, or hidden, meanwhile. Not all are in use: there are fewer
// slots. t.mu is held.
func (t *Topic) takeOldest() (old int, p *partition.Partition) {
	w := &t.writers
	// Who counts himself from here on finds that it is not there.
	w.busyMu.Lock()
	defer w.busyMu.Unlock()
	k := slices.IndexFunc(w.order, func(i int) bool { return w.busy[i] == 0 })
	old = w.order[k]
	w.order = slices.Delete(w.order, k, k+1)
	v := t.now.Load()
	if p = v.parts[old]; p == nil || !v.writes[old] {
		return old, nil
	}
	t.now.Store(v.with(old, nil, false))
	return old, p
}

// closingErr is what closing writers said that are not open again.
func (t *Topic) closingErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(slices.Collect(maps.Values(t.writers.failed))...)
}

// tooMany says of a topic that cannot be opened for want of handles what would
// help.
func (t *Topic) tooMany(i int, err error) error {
	if !vfs.Exhausted(err) {
		return err
	}
	return &CrowdedError{Path: t.dir, Partitions: len(t.now.Load().targets), Opened: i, Files: vfs.OpenLimit(), Err: err}
}
