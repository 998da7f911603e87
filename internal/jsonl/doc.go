// Package jsonl knows what a record is: one JSON value on one line.
//
// A record is checked before it is stored, in one of two ways. [CheckStrict]
// admits exactly one JSON text (RFC 8259) in valid UTF-8; [CheckFrame] admits
// anything that can be told from its neighbours again. Both refuse what would
// break the file for everyone else:
//
//	{"id":1}\n        the bytes of a line: the record and the newline that
//	{"id":2}\r\n      ends it. A CR before the newline belongs to the record
//	                  and is white space to JSON.
//
//	newline           would make two records of one
//	NUL               is what a crash leaves in place of data
//	no bytes          is a blank line
//	too many bytes    would have to be held in memory by every reader
//
// What JSON leaves to the implementation is decided like this. Lone surrogates
// (\ud800), duplicate keys and numbers of any size are accepted and kept byte
// for byte, since nothing here decodes them. Invalid UTF-8 is refused, and so
// is UTF-16. Nesting deeper than [MaxDepth] is refused. A byte order mark is
// refused by what admits or makes records ([CheckStrict], [Compact], [Indent],
// [Marshal]) and stepped over by what only looks at them ([Complete], [Field],
// [Time], [Unmarshal]), because files that others wrote begin with one.
//
// [Compact] and [Indent] change white space and nothing else. [Field] and
// [Time] find a value without decoding the rest.
//
// Size and depth are limited before memory or stack is spent: nothing here
// recurses, and the checks allocate nothing unless they refuse. All functions
// may be called by many goroutines at once, and none keeps the bytes it is
// given.
//
// This is the only package that imports sonic. It encodes and decodes with
// it, but does not leave the check to it: see scan.
package jsonl
