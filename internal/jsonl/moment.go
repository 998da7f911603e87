package jsonl

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

const momentHelp = "want RFC 3339 (2026-01-02T15:04:05Z), a date, a time of day (15:04), unix seconds, ms, µs or ns, a duration back from now (-3h, 3h ago), now, today or yesterday"

// ParseMoment reads a time as people write it on a command line: one that [Time]
// reads in a record, a time of day, -3h, 2d ago or 1 week ago for so long before now, now, or
// today, yesterday and tomorrow, which are their midnights. A time without a zone,
// a time of day and those midnights are in the zone of now.
func ParseMoment(text string, now time.Time) (time.Time, error) {
	switch {
	case text == "":
		return time.Time{}, errors.New("no time behind the @; " + momentHelp)
	case text == "now":
		return now, nil
	case text[0] == '-':
		return parseAgo(text[1:], now)
	case strings.HasSuffix(text, " ago"):
		return parseAgo(abbreviated(strings.TrimSuffix(text, " ago")), now)
	case isYear(text):
		return time.Time{}, fmt.Errorf("%q is a year; want %s-01-01, or %s.0 for the unix second", text, text, text)
	}
	if days, ok := map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}[text]; ok {
		return wallTime(midnight(now).AddDate(0, 0, days), now.Location()), nil
	}
	if t, ok := parseUnix([]byte(text)); ok {
		return t, nil
	}
	if t, ok := parseClockIn([]byte(text), now.Location()); ok {
		return t, nil
	}
	c := clock{text: []byte(text)}
	if len(text) > 1 && text[1] == ':' {
		c.text = []byte("0" + text) // 9:30
	}
	if at := midnight(now).Add(c.hours()); !c.bad && c.end() {
		return wallTime(at, now.Location()), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time; %s", text, momentHelp)
}

// midnight is what clocks in UTC show when the day of now begins in its zone.
func midnight(now time.Time) time.Time {
	year, month, day := now.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// isYear reports whether text is a year of these days. As unix seconds it would
// be within the first hour of 1970, which nobody means.
func isYear(text string) bool {
	return len(text) == 4 && strings.Trim(text, "0123456789") == "" && (text[:2] == "19" || text[:2] == "20")
}

// parseAgo reads a duration; beside Go's units there are d (24 h) and w (7 d),
// which come first: 1w2d3h.
func parseAgo(text string, now time.Time) (time.Time, error) {
	d, err := ParseAge(text)
	if err != nil {
		return time.Time{}, err
	}
	return now.Add(-d), nil
}

// abbreviated is "1 hour" as 1h; what is no such text it leaves as it is.
func abbreviated(text string) string {
	number, unit, ok := strings.Cut(text, " ")
	short, known := map[string]string{
		"second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h", "hr": "h", "day": "d", "week": "w",
	}[strings.TrimSuffix(strings.TrimSpace(unit), "s")]
	if !ok || !known {
		return text
	}
	return number + short
}

// ParseAge reads a length of time, such as 90s, 3h or 1w2d3h: as
// [time.ParseDuration] does, with weeks and days of 24 hours in front.
func ParseAge(text string) (time.Duration, error) {
	var total time.Duration
	rest := text
	wrong := fmt.Errorf("%q is not a duration, such as 3h, 90m or 2d", text)
	for _, unit := range []struct {
		name string
		d    time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		number, after, ok := strings.Cut(rest, unit.name)
		if !ok {
			continue
		}
		d, err := time.ParseDuration(number + "h")
		if err != nil || d < 0 || d > 200*365*24*time.Hour/unit.d*time.Hour {
			return 0, wrong
		}
		total += d * (unit.d / time.Hour)
		rest = after
	}
	if rest != "" || text == "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return 0, wrong
		}
		total += d
	}
	if total < 0 {
		return 0, wrong
	}
	return total, nil
}
