package topic

import (
	"errors"

	"example.com/jlq/internal/vfs"
)

// filesOfWriter is how many files a partition that is open for appending takes,
// with as much again for everything else.
const filesOfWriter = 16

// writers are the partitions of a Shared topic that are open for appending, where
// it has so many that a process could not have all of them open: the longest open
// one makes way for the next. It has no lock between its batches that others
// could take meanwhile, so closing it changes nothing but what the next batch
// costs. Topic.mu guards it.
type writers struct {
	most  int // 0: all are open
	order []int
	slots chan struct{} // at most half of them are written to at once
	err   error         // of those that were closed
}

// newWriters bounds the writers of so many partitions by how many files the
// system allows; 0 is no bound.
func newWriters(shared bool, partitions, files int) writers {
	most := max(files/filesOfWriter, 2)
	if !shared || files == 0 || partitions <= most {
		return writers{}
	}
	return writers{most: most, slots: make(chan struct{}, most/2)}
}

// using takes a place among those that write now; done gives it back.
func (w *writers) using() (done func()) {
	if w.most == 0 {
		return func() {}
	}
	w.slots <- struct{}{}
	return func() { <-w.slots }
}

// makeWay closes the longest open writer where partition i is one too many. What
// its Close says, which may be that records are not on the disk, is an error of
// the next Sync, or of Close. t.mu is held.
func (t *Topic) makeWay(i int) {
	w := &t.writers
	if w.most == 0 {
		return
	}
	for w.order = append(w.order, i); len(w.order) > w.most; {
		old := w.order[0]
		w.order = w.order[1:]
		v := t.now.Load()
		p := v.parts[old]
		if p == nil || !v.writes[old] {
			continue // it was deleted, or hidden, meanwhile
		}
		t.now.Store(v.with(old, nil, false))
		w.err = errors.Join(w.err, p.Close())
	}
}

// takeErr is what closing writers said since it was asked last.
func (t *Topic) takeErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.writers.err
	t.writers.err = nil
	return err
}

// tooMany says of a topic that cannot be opened for want of handles what would
// help.
func (t *Topic) tooMany(i int, err error) error {
	if !vfs.Exhausted(err) {
		return err
	}
	return &CrowdedError{Path: t.dir, Partitions: len(t.now.Load().targets), Opened: i, Files: vfs.OpenLimit(), Err: err}
}
