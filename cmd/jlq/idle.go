package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errIdle is why following ends when nothing came.
var errIdle = errors.New("nothing came")

const (
	// idleChances is how often what follows is given the chance to take what is
	// there before it is said to be idle: on a busy machine the time may pass
	// before it has come to do so.
	idleChances = 5
	idleGrace   = 10 * time.Millisecond
)

// idleTimer cancels when nothing comes for too long.
type idleTimer struct {
	limit  time.Duration
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	waiting bool
	chances int
}

func newIdleTimer(limit time.Duration, cancel context.CancelCauseFunc) *idleTimer {
	return &idleTimer{limit: limit, cancel: cancel}
}

// wait begins to count the time.
func (t *idleTimer) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting, t.chances = true, idleChances
	if t.timer == nil {
		t.timer = time.AfterFunc(t.limit, t.passed)
		return
	}
	t.timer.Reset(t.limit)
}

// came ends to count it.
func (t *idleTimer) came() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = false
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *idleTimer) passed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.waiting:
	case t.chances > 0:
		t.chances--
		t.timer.Reset(idleGrace)
	default:
		t.cancel(errIdle)
	}
}
