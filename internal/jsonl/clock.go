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

// parseClock reads a date, alone or with a time of day and a zone. Without a zone
// it is in UTC.
func parseClock(text []byte) (time.Time, bool) { return parseClockIn(text, time.UTC) }

// parseClockIn is parseClock where a time without zone is one of loc.
func parseClockIn(text []byte, loc *time.Location) (time.Time, bool) {
	c := clock{text: text}
	day, ok := c.date()
	if !ok {
		return time.Time{}, false
	}
	if c.end() {
		return wallTime(day, loc), true
	}
	wall := day.Add(c.timeOfDay())
	if c.end() {
		return wallTime(wall, loc), !c.bad
	}
	t := wall.Add(-c.zone())
	return t, !c.bad && c.end()
}

// date takes a date: 2026-01-02, 2026/01/02, or with the day in front as Apache
// (02/Jan/2026) and HTTP (Fri, 02 Jan 2026) write it. It returns its midnight in
// UTC.
func (c *clock) date() (time.Time, bool) {
	var year, month, day int
	if len(c.text) > 4 && isDigit(c.text[3]) {
		year = c.number(4, 0, 9999)
		sep := c.text[4:5]
		if sep[0] != '-' && sep[0] != '/' {
			return time.Time{}, false
		}
		c.pos++
		month = c.number(2, 1, 12)
		c.must(string(sep))
		day = c.number(2, 1, 31)
	} else {
		day, month, year = c.dayFirst()
	}
	if c.bad {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	// The 31st of a month that has 30 days has become the next one's first.
	return t, t.Day() == day
}

// dayFirst takes a date whose month is a name. A day of the week before it is
// only for people.
func (c *clock) dayFirst() (day, month, year int) {
	if len(c.text) > 5 && string(c.text[3:5]) == ", " {
		c.pos = 5
	}
	day = c.number(2, 1, 31)
	if c.bad || c.end() {
		c.bad = true
		return 0, 0, 0
	}
	sep := string(c.text[c.pos : c.pos+1])
	c.must("/ -")
	month = c.monthName()
	c.must(sep)
	return day, month, c.number(4, 0, 9999)
}

const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"

// monthName takes the three letters of a month.
func (c *clock) monthName() int {
	if len(c.text)-c.pos >= 3 {
		for i := 0; i < len(monthNames); i += 3 {
			if string(c.text[c.pos:c.pos+3]) == monthNames[i:i+3] {
				c.pos += 3
				return i/3 + 1
			}
		}
	}
	c.bad = true
	return 0
}

// wallTime is the time at which clocks in loc show what clocks in UTC show at
// wall. Of the two that they show twice when they are put back it is the first;
// one that they leave out is counted as if they had not been put forward.
func wallTime(wall time.Time, loc *time.Location) time.Time {
	if loc == time.UTC {
		return wall
	}
	_, before := wall.Add(-24 * time.Hour).In(loc).Zone()
	_, after := wall.Add(24 * time.Hour).In(loc).Zone()
	first := wall.Add(-time.Duration(before) * time.Second)
	if _, now := first.In(loc).Zone(); now == before {
		return first.UTC()
	}
	second := wall.Add(-time.Duration(after) * time.Second)
	if _, now := second.In(loc).Zone(); now == after {
		return second.UTC()
	}
	return first.UTC()
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

// timeOfDay takes a separator and a time.
func (c *clock) timeOfDay() time.Duration {
	c.must("Tt :")
	return c.hours()
}

// hours takes hours and minutes and, if they are there, seconds and their
// fraction. A leap second is the second after it.
func (c *clock) hours() time.Duration {
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
