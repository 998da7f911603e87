package queue

import (
	"sync"
	"time"

	"example.com/jlq/partition"
)

// dropEvery is how often segments are dropped while values are consumed: as
// often as a commit says how far they are.
const dropEvery = time.Second

// dropper drops consumed segments soon after they were: retention alone looks
// when the log rolls, which may be long after, or long before. Its methods may
// be called of nil.
type dropper struct {
	p       *partition.Partition
	due     chan struct{}
	quit    chan struct{}
	running sync.WaitGroup
}

func newDropper(p *partition.Partition) *dropper {
	d := &dropper{p: p, due: make(chan struct{}, 1), quit: make(chan struct{})}
	d.running.Go(d.run)
	return d
}

// wake says that something was consumed.
func (d *dropper) wake() {
	if d == nil || len(d.due) > 0 {
		return
	}
	select {
	case d.due <- struct{}{}:
	default: // another said so first
	}
}

// stop ends it, with a last look: what a queue leaves does not depend on how
// soon it is closed.
func (d *dropper) stop() error {
	if d == nil {
		return nil
	}
	close(d.quit)
	d.running.Wait()
	return d.drop()
}

// run looks once for each time that something was consumed, and at most once a
// second. Where nothing is, it waits.
func (d *dropper) run() {
	for {
		select {
		case <-d.due:
		case <-d.quit:
			return
		}
		select {
		case <-time.After(dropEvery):
		case <-d.quit:
			return
		}
		if d.drop() != nil {
			continue // RetentionStats has it, and it is tried again when more was consumed
		}
	}
}

func (d *dropper) drop() error {
	_, err := d.p.ApplyTrim(partition.TrimPolicy{Retention: partition.Retention{MaxSegments: 1}})
	return err
}
