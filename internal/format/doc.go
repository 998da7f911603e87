// Package format lays out records as people and programs want to see them:
//
//	raw       the stored bytes
//	json      one compact value a line
//	pretty    a value with each member on a line of its own
//	log       time, level, message and the other fields as key=value
//	csv, tsv  a heading, and a row of fields for each record
//	%o %v\n   a template: text in which %-tokens stand for parts of a record
//
// A [Layout] is one of them with all that was chosen about it: which fields,
// what stands in front of each record, colours, and whether what would act on a
// terminal is escaped. It keeps its buffers, so that a record costs no
// allocation.
//
// # Tables
//
// The columns are the fields that were asked for, or the members of the first
// record. Strings stand as what they stand for, numbers as they are spelt, arrays
// and objects as compact JSON. A field that is null or missing is empty. In csv a
// value is quoted where RFC 4180 asks for it, and so is the empty string, which is
// how readers that care tell it from null; lines end in a newline alone. In tsv a
// tab, newline, carriage return and backslash are written \t \n \r \\.
//
// Spreadsheets run what begins with = + - or @ in a cell; values are written as
// they are all the same, since every guard against that changes data.
package format
