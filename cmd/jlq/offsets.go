package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/jlq/internal/jsonl"
	"example.com/jlq/topic"
)

// The grammar of offsets, the same in every command:
//
//	start        the first record
//	end          behind the last one
//	N            record N: for get exactly that one, elsewhere from it on
//	-N           the last N; for get the N-th from the end
//	A:B  A:  :B  from A up to, not including, B; each may be a word, N or -N
//	@TIME        from the first record at or after TIME
//	@T1:T2       from T1 up to, not including, T2; @T1:@T2 is the same
//
// Ranges clamp to what is there. A location may say the partition before all
// this, as a record's id does:
//
//	orders-0@42        record 42 of partition 0 of the topic orders
//	orders-0@42:       from there on; any of the above may stand behind the @
const offsetsHelp = `start end N -N A:B A: :B @TIME @T1:T2`

// boundKind says how a bound is found.
type boundKind uint8

const (
	atStart  boundKind = iota // the first record
	atEnd                     // behind the last
	atOffset                  // a number
	atLast                    // so many before the end
	atTime                    // the first at or after a time
)

// bound is one end of a range, as written: it takes a log to make it an
// offset.
type bound struct {
	kind boundKind
	n    uint64    // of atOffset and atLast
	time time.Time // of atTime
}

// offsets is a place or range within a log, as written.
type offsets struct {
	text     string
	from, to bound
	single   bool      // no colon: get takes exactly the record at from
	in       *topic.ID // the partition that an id names; nil where there is none
}

// everything is the range of commands that were given none.
func everything() offsets {
	return offsets{text: ":", to: bound{kind: atEnd}}
}

// since is @TIME.
func since(f momentFlag) offsets {
	return offsets{text: "@" + stamp(f.time), from: bound{kind: atTime, time: f.time}, to: bound{kind: atEnd}, single: true}
}

// parseLocation reads offsets that may be those of a record id.
func parseLocation(text string, now time.Time) (offsets, error) {
	key, rest, found := strings.Cut(text, "@")
	if !found || key == "" {
		return parseOffsets(text, now)
	}
	in, err := topic.ParseKey(key)
	if err != nil || rest == "" {
		return parseOffsets(text, now) // which says what would be right
	}
	// Both ends of a range may be ids.
	if left, right, ranged := strings.Cut(rest, ":"); ranged && left != "" && left[0] != '@' {
		rest = left + ":" + strings.TrimPrefix(right, key+"@")
	}
	o, err := parseOffsets(rest, now)
	if err != nil {
		return offsets{}, fmt.Errorf("location %q: %w", text, err)
	}
	o.text, o.in = text, &in
	return o, nil
}

// parseOffsets reads the grammar. Durations count back from now.
func parseOffsets(text string, now time.Time) (offsets, error) {
	o := offsets{text: text}
	var err error
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		err = o.parseTimes(rest, now)
	} else {
		err = o.parseNumbers(text)
	}
	if err != nil {
		return offsets{}, fmt.Errorf("offset %q: %w", text, err)
	}
	return o, nil
}

func (o *offsets) parseNumbers(text string) error {
	left, right, ranged := strings.Cut(text, ":")
	o.single = !ranged
	o.to.kind = atEnd
	var err error
	if left != "" || !ranged {
		o.from, err = parseBound(left)
	}
	if err == nil && right != "" {
		o.to, err = parseBound(right)
	}
	return err
}

func parseBound(text string) (bound, error) {
	switch text {
	case "start":
		return bound{kind: atStart}, nil
	case "end":
		return bound{kind: atEnd}, nil
	}
	kind := atOffset
	digits, negative := strings.CutPrefix(text, "-")
	if negative {
		kind = atLast
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return bound{}, fmt.Errorf("want %s%s", offsetsHelp, meant(boundWords[text]))
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return bound{}, fmt.Errorf("%s does not fit 64 bits", digits)
	}
	return bound{kind: kind, n: n}, nil
}

// parseTimes reads what follows the @. RFC 3339 has colons of its own, so a
// colon divides only where there is a time on both sides of it; the one
// furthest to the right wins.
func (o *offsets) parseTimes(text string, now time.Time) error {
	o.to.kind = atEnd
	t, err := jsonl.ParseMoment(text, now)
	if err == nil {
		o.single = true
		o.from = bound{kind: atTime, time: t}
		return nil
	}
	for i := strings.LastIndexByte(text, ':'); i >= 0; i = strings.LastIndexByte(text[:i], ':') {
		right := text[i+1:]
		if len(right) > 1 {
			right = strings.TrimPrefix(right, "@")
		}
		if o.divide(text[:i], right, now) {
			return o.forwards()
		}
	}
	return err
}

// forwards refuses a range of times that ends before it begins.
func (o *offsets) forwards() error {
	if o.from.kind == atTime && o.to.kind == atTime && o.to.time.Before(o.from.time) {
		return fmt.Errorf("it ends (%s) before it begins (%s)", o.to.time.UTC().Format(time.RFC3339), o.from.time.UTC().Format(time.RFC3339))
	}
	return nil
}

// divide takes left and right as the two times of a range, either of which
// may be empty, but not both.
func (o *offsets) divide(left, right string, now time.Time) bool {
	if left == "" && right == "" {
		return false
	}
	from, to := bound{kind: atStart}, bound{kind: atEnd}
	ok := timeBound(left, now, &from) && timeBound(right, now, &to)
	if ok {
		o.from, o.to = from, to
	}
	return ok
}

func timeBound(text string, now time.Time, b *bound) bool {
	if text == "" {
		return true
	}
	if len(text) < 3 {
		return false // a part of a time of day rather than the first seconds of 1970
	}
	t, err := jsonl.ParseMoment(text, now)
	*b = bound{kind: atTime, time: t}
	return err == nil
}
