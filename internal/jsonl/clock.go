package jsonl

import (
	"strings"
	"time"
)

// clock reads a date and a time of day from left to right. It is written by
// hand because [time.Parse] knows one layout at a time and a record may hold
// any of a dozen.
type clock struct {
	text []byte
	pos  int
	bad  bool
}

// parseClock reads a date, alone or with a time of day and a zone.
func parseClock(text []byte) (time.Time, bool) {
	c := clock{text: text}
	year := c.number(4, 0, 9999)
	c.must("-")
	month := c.number(2, 1, 12)
	c.must("-")
	day := c.number(2, 1, 31)
	if c.bad {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	// The 31st of a month that has 30 days has become the next one's first.
	if t.Day() != day {
		return time.Time{}, false
	}
	if c.end() {
		return t, true
	}
	t = t.Add(c.timeOfDay() - c.zone())
	return t, !c.bad && c.end()
}

// end reports whether the whole text has been read.
func (c *clock) end() bool { return c.pos == len(c.text) }

// number takes n digits that make a number from lo to hi.
func (c *clock) number(n, lo, hi int) int {
	if len(c.text)-c.pos < n {
		c.bad = true
		return 0
	}
	v, ok := atoi(c.text[c.pos : c.pos+n])
	if !ok || v < lo || v > hi {
		c.bad = true
	}
	c.pos += n
	return v
}

// take takes one byte of set, if the next is one.
func (c *clock) take(set string) bool {
	if c.end() || strings.IndexByte(set, c.text[c.pos]) < 0 {
		return false
	}
	c.pos++
	return true
}

// must takes one byte of set.
func (c *clock) must(set string) {
	if !c.take(set) {
		c.bad = true
	}
}

// timeOfDay takes a separator, hours and minutes and, if they are there,
// seconds and their fraction. A leap second is the second after it.
func (c *clock) timeOfDay() time.Duration {
	c.must("Tt ")
	d := time.Duration(c.number(2, 0, 23)) * time.Hour
	c.must(":")
	d += time.Duration(c.number(2, 0, 59)) * time.Minute
	if !c.take(":") {
		return d
	}
	d += time.Duration(c.number(2, 0, 60)) * time.Second
	if c.take(".,") {
		d += c.fraction()
	}
	return d
}

// fraction takes the digits of a fraction of a second. Those beyond the ninth
// are dropped.
func (c *clock) fraction() (d time.Duration) {
	end := digits(c.text, c.pos)
	if end == c.pos {
		c.bad = true
	}
	unit := time.Second
	for ; c.pos < end; c.pos++ {
		unit /= 10
		d += unit * time.Duration(c.text[c.pos]-'0')
	}
	return d
}

// zone takes a zone and returns how far it is ahead of UTC. The name that may
// follow an offset, as in +0100 CET, adds nothing.
func (c *clock) zone() (ahead time.Duration) {
	c.takeAll(" ")
	west := !c.end() && c.text[c.pos] == '-'
	if !c.take("+-") {
		c.utc()
		return 0
	}
	ahead = time.Duration(c.number(2, 0, 23)) * time.Hour
	if c.take(":") || !c.end() && isDigit(c.text[c.pos]) {
		ahead += time.Duration(c.number(2, 0, 59)) * time.Minute
	}
	if c.take(" ") {
		c.takeAll("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	}
	if west {
		return -ahead
	}
	return ahead
}

// takeAll takes bytes of set while there are any.
func (c *clock) takeAll(set string) {
	for c.take(set) {
	}
}

// utc takes a name of UTC, or nothing.
func (c *clock) utc() {
	switch string(c.text[c.pos:]) {
	case "", "Z", "z", "UTC", "GMT":
		c.pos = len(c.text)
	default:
		c.bad = true
	}
}
