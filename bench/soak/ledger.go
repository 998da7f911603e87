package main

import (
	"errors"
	"fmt"
)

// followers is how many there are: two in the writer's process, and one in its
// own.
const followers = 3

// ledger is the account of what processes said. It is told of everything in
// the order in which one process said it.
type ledger struct {
	acked uint64 // records below were acknowledged
	start uint64 // the log began here when it was last opened
	end   uint64 // all that is to be written; known once ended
	ended bool
	lives []uint64 // where the records of each life begin; the first has number 1
	at    [followers]position
}

// opened: a writer opened the log and found [start, next).
func (l *ledger) opened(start, next uint64) error {
	var errs []error
	if next < l.acked {
		errs = append(errs, fmt.Errorf("lost: %d records were acknowledged, the log ends at %d", l.acked, next))
	}
	if start < l.start || start > next {
		errs = append(errs, fmt.Errorf("the log begins at %d, it began at %d and ends at %d", start, l.start, next))
	}
	for k, at := range l.at {
		if at.Next > next {
			errs = append(errs, fmt.Errorf("follower %d read up to %d, the log ends at %d", k, at.Next, next))
		}
	}
	l.start, l.acked = start, next
	l.lives = append(l.lives, next)
	return errors.Join(errs...)
}

// ack: the records of [first, next) are stored.
func (l *ledger) ack(first, next uint64) error {
	if first != l.acked || next <= first {
		return fmt.Errorf("%d to %d are acknowledged behind %d", first, next, l.acked)
	}
	l.acked = next
	return nil
}

// moved: follower k has come to another place.
func (l *ledger) moved(k int, to position) error {
	was := l.at[k]
	if to.Next < was.Next || to.Overtaken < was.Overtaken || to.Overtaken-was.Overtaken > to.Next-was.Next {
		return fmt.Errorf("follower %d went from %+v to %+v", k, was, to)
	}
	l.at[k] = to
	return nil
}

// finished: the writer wrote all that it will.
func (l *ledger) finished(end uint64) error {
	if end != l.acked {
		return fmt.Errorf("the end is %d, acknowledged is %d", end, l.acked)
	}
	l.end, l.ended = end, true
	return nil
}

// complete reports whether every follower came to the end.
func (l *ledger) complete() bool {
	if !l.ended {
		return false
	}
	for _, at := range l.at {
		if at.Next != l.end {
			return false
		}
	}
	return true
}

// lifeOf returns which life wrote record n.
func (l *ledger) lifeOf(n uint64) int {
	life := 1
	for life < len(l.lives) && l.lives[life] <= n {
		life++
	}
	return life
}
