package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/jlq/partition"
)

// follower reads everything, once.
type follower struct {
	number int
	log    *partition.Partition
	stall  uint64 // it rests before this record until it is overtaken,
	by     uint64 // by so many records: the segment that it is in it could read to its end

	mu sync.Mutex // orders checker between the one who reads and the one who says how far
	checker
}

func newFollower(r *role, p *partition.Partition, number int) *follower {
	return &follower{number: number, log: p, checker: checker{seed: r.Seed, position: r.At[number]}}
}

// follow is a follower in a process of its own.
func (r *role) follow() error {
	p, err := r.openReader()
	if err != nil {
		return err
	}
	f := newFollower(r, p, followers-1)
	if r.KeepBytes > 0 {
		f.stall, f.by = r.Records/3, uint64(2*r.SegmentBytes/50)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() { cancel(f.run(ctx)) }()
	select {
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), p.Close())
	case <-dismissed():
	}
	return p.Close()
}

// run reads until ctx ends, or something is wrong.
func (f *follower) run(ctx context.Context) error {
	go f.tell(ctx)
	for {
		err := f.pass(ctx)
		if gone, ok := rangeError(err); ok {
			f.mu.Lock()
			err = f.jump(gone)
			f.mu.Unlock()
		}
		if err != nil {
			return fmt.Errorf("follower %d: %w", f.number, err)
		}
	}
}

// pass follows the log from where it stands.
func (f *follower) pass(ctx context.Context) error {
	for rec, err := range f.log.Follow(ctx, f.Next) {
		if err != nil {
			return err
		}
		f.mu.Lock()
		err = f.see(rec)
		f.mu.Unlock()
		if err != nil {
			return err
		}
		if f.Next == f.stall {
			f.rest(ctx)
		}
	}
	return nil
}

// rest waits until the log begins well behind the next record, or nothing comes
// any more.
func (f *follower) rest(ctx context.Context) {
	last, still := uint64(0), 0
	for still < 200 && ctx.Err() == nil {
		start, next := f.log.Bounds()
		if start > f.Next+f.by {
			return
		}
		still++
		if next != last {
			last, still = next, 0
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// tell says how far it is.
func (f *follower) tell(ctx context.Context) {
	for ctx.Err() == nil {
		f.mu.Lock()
		at := f.position
		f.mu.Unlock()
		say("at %d %d %d %d", f.number, at.Next, at.Overtaken, at.Jumps)
		time.Sleep(sayEvery)
	}
}
