package jsonl

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

const momentHelp = "want RFC 3339 (2026-01-02T15:04:05Z), a date, unix seconds, ms, µs or ns, a duration back from now (-3h) or now"

// momentLayouts are the ways to write a time of day; without a zone it is UTC,
// as it is in records.
var momentLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02",
}

// ParseMoment reads a time as people write it on a command line: RFC 3339, with a
// space in place of the T or without zone (which is UTC), a date, unix seconds,
// ms, µs or ns, -3h, -2d or -1w for so long before now, or now.
func ParseMoment(text string, now time.Time) (time.Time, error) {
	switch {
	case text == "":
		return time.Time{}, errors.New("no time behind the @; " + momentHelp)
	case text == "now":
		return now, nil
	case text[0] == '-':
		return parseAgo(text[1:], now)
	}
	for _, layout := range momentLayouts {
		if t, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return t, nil
		}
	}
	if t, ok := momentUnix(text); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time; %s", text, momentHelp)
}

// parseAgo reads a duration; beside Go's units there are d (24 h) and w (7 d),
// which come first: 1w2d3h.
func parseAgo(text string, now time.Time) (time.Time, error) {
	var total time.Duration
	rest := text
	for _, unit := range []struct {
		name string
		d    time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		number, after, ok := strings.Cut(rest, unit.name)
		if !ok {
			continue
		}
		d, err := time.ParseDuration(number + "h")
		if err != nil || d > 200*365*24*time.Hour/unit.d*time.Hour {
			return time.Time{}, fmt.Errorf("%q is not a duration, such as 3h, 90m or 2d", text)
		}
		total += d * (unit.d / time.Hour)
		rest = after
	}
	if rest != "" || text == "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return time.Time{}, fmt.Errorf("%q is not a duration, such as 3h, 90m or 2d", text)
		}
		total += d
	}
	return now.Add(-total), nil
}

// momentUnix reads a number since 1970, with or without a fraction. Its size
// tells the unit: below 1e11 seconds (the year 5138), below 1e14
// milliseconds, below 1e17 microseconds, else nanoseconds.
func momentUnix(text string) (time.Time, bool) {
	whole, fraction, dotted := strings.Cut(text, ".")
	if whole == "" || len(whole) > 19 || strings.Trim(whole+fraction, "0123456789") != "" || (dotted && fraction == "") {
		return time.Time{}, false
	}
	// Exact arithmetic: a float64 of nanoseconds is off by up to 128 of them.
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return time.Time{}, false
	}
	value.Mul(value, new(big.Rat).SetInt64(unixUnit(value)))
	ns := new(big.Int).Quo(value.Num(), value.Denom())
	if !ns.IsInt64() {
		// Seconds beyond 2262 do not fit nanoseconds.
		s := new(big.Int).Quo(ns, big.NewInt(1e9))
		return time.Unix(s.Int64(), 0).UTC(), s.IsInt64()
	}
	return time.Unix(0, ns.Int64()).UTC(), true
}

// unixUnit is the number of nanoseconds in the unit of value.
func unixUnit(value *big.Rat) int64 {
	limit, unit := int64(1e11), int64(1e9)
	for unit > 1 && value.Cmp(new(big.Rat).SetInt64(limit)) >= 0 {
		limit *= 1000
		unit /= 1000
	}
	return unit
}
