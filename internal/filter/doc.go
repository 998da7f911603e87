// Package filter decides which records are wanted, by an expression over their
// fields:
//
//	f, err := filter.Compile(`.level == "error" && .user.id > 100`)
//	ok, err := f.Match(line)
//
// # The language
//
//	.a.b[0]  ."odd key"  .["odd key"]  .a[-1]  .        a path; . is the record
//	1  -2.50  1E400  "text"  true  false  null  [1,2]  {"a":1}    a JSON value
//	@2026-11-30T10:00:00Z  @-3h  @now  @"2026-11-30 10:00"        a time
//	== != < <= > >=            between paths and values
//	.a in [1, "b", null]       equal to one of them
//	.a =~ "^re2$"              a string that the regular expression matches
//	exists(.a)                 the field is there, also when it is null
//	startswith(.a, "x")  endswith(.a, "x")   a string that begins or ends so
//	contains(.a, "x")          a string that holds x, or an array that holds "x"
//	! && || ( )                also spelt and, or; ! binds tightest, || least
//	.a   true                  a condition by itself: neither false nor null
//
// Values compare as in jq: null < false < true < numbers < strings < arrays <
// objects; strings by code point, arrays element by element, objects by their
// sorted keys and then by their values. Where a key is there twice, the last
// one counts. Unlike jq, numbers compare exactly, however long they are and
// whatever their exponent; strings and keys compare by what they stand for, so
// that "\u0061" is "a".
//
//	record        .x == null  .x != null  .x < 5  .x > 5  exists(.x)  .x
//	{}            true        false       true    false   false       false
//	{"x":null}    true        false       true    false   true        false
//	{"x":false}   false       true        true    false   true        false
//	{"x":7}       false       true        false   true    true        true
//	{"x":"7"}     false       true        false   true    true        true
//	{"x":[]}      false       true        false   true    true        true
//	17            true        false       true    false   false       false
//
// A field that is missing compares as null, as in jq; exists tells the two
// apart: exists(.x) && .x == null. Where jq stops with an error, because .x.y
// looks into a number or a string, the field is missing.
//
// A time compares with the time that a field holds, which is a string or a
// number as [jsonl.Time] reads it. A field that holds none is neither before,
// after nor at any time: only != is true of it.
//
// # What is not JSON
//
// [Filter.Match] checks the whole line and refuses what is not one JSON value,
// whether the filter looks at that place or not. A byte order mark and white
// space around the value are fine. [Filter.MatchChecked] is for the records of a log
// whose writer checked them: it reads no more than it must to decide, and so
// notices damage only where it looks. [Filter.Select] passes over such lines many
// at a time: one in which no member called amount has a value above 990 is not
// read for .amount > 990, and neither is one without "error" for .level == "error".
//
// A Filter is immutable and may be used by many goroutines at once.
package filter
