package segment

import (
	"context"
	"io/fs"
	"sync"
	"sync/atomic"
)

// wake lets followers sleep until the watermark moves. Those who wait form a
// list. An append takes the list away and wakes the first of it, who wakes the
// next, and so on: however many follow, an append pays for one.
type wake struct {
	waiting     atomic.Int64 // who is in the list
	mu          sync.Mutex
	first, last *waiter
	lists       uint64  // so many were taken away
	free        *waiter // used again, so that waiting allocates nothing
	closed      bool
}

// waiter is one sleeper. It belongs to the list as long as its number is that of
// the present one; then it is woken, once, and next is for it to wake.
type waiter struct {
	woken      chan struct{}
	prev, next *waiter
	list       uint64
}

// Wait returns nil as soon as the watermark is above after, the error's cause
// when ctx ends first, and [fs.ErrClosed] when the writer closes.
func (l *Live) Wait(ctx context.Context, after uint64) error {
	for {
		x := l.wake.enter()
		// Only now is the watermark compared: an advance that came before
		// entering the list is seen here, one that comes after it wakes x.
		if l.next.Load() > after {
			l.wake.leave(x)
			return nil
		}
		if x == nil {
			return fs.ErrClosed
		}
		select {
		case <-x.woken:
			l.wake.passOn(x)
		case <-ctx.Done():
			l.wake.leave(x)
			return context.Cause(ctx)
		}
	}
}

// enter returns a new last of the list, or nil where waiting is over.
func (w *wake) enter() *waiter {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	x := w.free
	if x != nil {
		w.free = x.next
	} else {
		x = &waiter{woken: make(chan struct{}, 1)}
	}
	x.prev, x.next, x.list = w.last, nil, w.lists
	if w.last != nil {
		w.last.next = x
	} else {
		w.first = x
	}
	w.last = x
	w.waiting.Add(1)
	return x
}

// leave takes x out of the list. Where the list was taken away, x is about to be
// woken and has others to wake.
func (w *wake) leave(x *waiter) {
	if x != nil && !w.unlink(x) {
		<-x.woken
		w.passOn(x)
	}
}

func (w *wake) unlink(x *waiter) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if x.list != w.lists {
		return false
	}
	if x.prev != nil {
		x.prev.next = x.next
	} else {
		w.first = x.next
	}
	if x.next != nil {
		x.next.prev = x.prev
	} else {
		w.last = x.prev
	}
	w.waiting.Add(-1)
	w.freed(x)
	return true
}

// passOn wakes who comes behind x, which was woken.
func (w *wake) passOn(x *waiter) {
	if x.next != nil {
		x.next.woken <- struct{}{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.freed(x)
}

// freed keeps x, which nobody refers to any more. The caller holds mu.
func (w *wake) freed(x *waiter) {
	x.prev, x.next = nil, w.free
	w.free = x
}

// all wakes everybody who is in the list.
func (w *wake) all(closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = w.closed || closed
	first := w.first
	if first == nil {
		return
	}
	w.first, w.last = nil, nil
	w.lists++
	w.waiting.Store(0)
	first.woken <- struct{}{} // it has room for the one that comes
}
