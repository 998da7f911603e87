package partition

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// defaultLockWait is long enough for any turn, and for a disk that stalls.
	defaultLockWait = time.Minute

	// pollLock is how often a lock is tried that another process has. A system
	// tells nobody that a lock is free without keeping him until it is, and then
	// he could not give up.
	pollLock = 500 * time.Microsecond
	// pollLong is that after longWait: whoever has the lock for so long does not
	// take turns.
	pollLong = 5 * time.Millisecond
	longWait = time.Second

	// crowded is for how long after others were seen they are thought to be
	// waiting.
	crowded = 100 * time.Millisecond
	// breath is how often a process lets go of the lock for the time of a poll
	// although it sees nobody: it may be that it never did let anybody in.
	breath = 100 * time.Millisecond

	// lastWait is how long Close waits for a turn that it can do without.
	lastWait = 20 * time.Millisecond
)

// turn is how the processes that append to one log take turns. The system hands
// a lock to whoever asks first when it is free, which is nearly always the
// process that has just given it up. So that one waits for the time of a poll,
// in which the others ask, where there are others: where it found the lock
// taken, or records that it did not write. Nobody keeps a list, and so nobody
// has to be taken from it when it dies.
//
// One goroutine at a time uses it, but for stop.
type turn struct {
	most time.Duration // that one is waited for; negative: for ever
	tell func(error)   // why one waits for long
	quit chan struct{}
	once sync.Once

	left   time.Time // when the last one ended
	paused time.Time // when others last had the time of a poll
	others time.Time // when they were seen last
}

func newTurn(most time.Duration, tell func(error)) *turn {
	if most == 0 {
		most = defaultLockWait
	}
	return &turn{most: most, tell: tell, quit: make(chan struct{})}
}

// stop ends all waiting, now and later.
func (t *turn) stop() { t.once.Do(func() { close(t.quit) }) }

// wait calls try until it does not fail because another process has the lock,
// or for as long as that may take.
func (t *turn) wait(try func() error) error {
	t.pause()
	begin := time.Now()
	told := false
	for {
		err := try()
		if !errors.Is(err, ErrLocked) {
			return err
		}
		waited := time.Since(begin)
		if waited >= longWait && !told {
			t.tell(err)
			told = true
		}
		t.others = time.Now()
		stopped := !t.sleep(pollAfter(waited))
		switch {
		case stopped && waited >= lastWait:
			return fmt.Errorf("%w; %w", errClosed, err)
		case stopped:
			time.Sleep(pollLock)
		case t.most >= 0 && waited >= t.most:
			return fmt.Errorf("%w; it was waited for %v", err, t.most)
		}
	}
}

// pollAfter is when to try again. Those who wait do not all try at once.
func pollAfter(waited time.Duration) time.Duration {
	if waited >= longWait {
		return pollLong
	}
	return pollLock/2 + rand.N(pollLock/2)
}

// pause lets the others have the lock, where it is their turn.
func (t *turn) pause() {
	now := time.Now()
	if now.Sub(t.left) >= pollLock {
		t.paused = now // it was free for long enough
		return
	}
	if now.Sub(t.others) < crowded || now.Sub(t.paused) >= breath {
		t.sleep(pollLock)
		t.paused = time.Now()
	}
}

// sleep returns false at once where all waiting has ended.
func (t *turn) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.quit:
		return false
	}
}

// saw says that others append, too.
func (t *turn) saw() { t.others = time.Now() }

// ended says that the lock was given up.
func (t *turn) ended() { t.left = time.Now() }
