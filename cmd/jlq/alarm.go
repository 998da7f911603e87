package main

import "time"

// limits are how far a group may be behind; 0 is no limit.
type limits struct {
	lag uint64
	age time.Duration
	// below is the part of a limit, in percent, that what was over it has to
	// come back to: so a group that hovers about its limit alarms once.
	below uint64
}

// backlog is how far a group is behind at one moment.
type backlog struct {
	lag uint64
	age time.Duration // of the oldest record that is not consumed; 0 where there is none
}

// alarm tells when a group crosses its limits, and when that is over: each
// once.
type alarm struct {
	limits
	over bool
}

// look takes one measurement and reports whether the state changed.
func (a *alarm) look(b backlog) (changed bool) {
	before := a.over
	if a.over {
		a.over = !a.back(b)
	} else {
		a.over = a.lag > 0 && b.lag > a.lag || a.age > 0 && b.age > a.age
	}
	return a.over != before
}

// back reports whether everything is at most the given part of its limit.
func (a *alarm) back(b backlog) bool {
	return (a.lag == 0 || b.lag <= part(a.lag, a.below)) &&
		(a.age == 0 || b.age <= time.Duration(part(uint64(a.age), a.below)))
}

// part is so many percent of n, 0 ≤ percent ≤ 100, for every n.
func part(n, percent uint64) uint64 { return n/100*percent + n%100*percent/100 }

// state is what the alarm's command is told.
func (a *alarm) state() string {
	if a.over {
		return "over"
	}
	return "ok"
}
