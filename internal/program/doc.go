// Package program runs programs in the language of jq over records, keeping
// what they do not change as it is stored.
//
// The programs are gojq's. What gojq and jq lose between reading a value and
// printing it is kept here:
//
//	record                program        printed here           by jq 1.6
//	{"n":1.10}            .n             1.10                   1.1
//	{"n":9007199254740993} .n            9007199254740993       9007199254740992
//	{"b":1,"a":"\u0041"}  .              {"b":1,"a":"\u0041"}   {"b":1,"a":"A"}
//	{"b":1,"a":1,"a":2}   {x:.}          {"x":{"b":1,"a":1,"a":2}} {"x":{"b":1,"a":2}}
//	{"b":1,"a":1}         .c = 2         {"b":1,"a":1,"c":2}    the same
//	{"b":1,"a":1}         {time:.b,id:.a} {"time":1,"id":1}     the same
//
// A record is decoded into the values that gojq works on: numbers are
// json.Number, which gojq passes on as they are spelt and converts where it
// calculates; strings without escapes are parts of one copy of the line. Of
// each object, array and string with escapes it is remembered where it stands.
// gojq never changes a value that it was given, so a value of the result that is
// one of those (the same memory, the same length) is printed as the bytes that
// it was made of.
//
// An object that the program made is a Go map and has no order. Its members are
// printed in the order of the object in the program that names them all; else
// those of the record first, in its order, then those that the program names,
// then the others by name.
//
// # What a program may not do
//
// It sees one record, and variables that say which ($offset, $partition, $id).
// It has no environment (env, $ENV), no files (import, include) and no further
// input (input, inputs): these do not compile. What debug and stderr say is
// handed to the caller as a [Runner]'s Note. Results are nested at most
// [jsonl.MaxDepth] deep, as records are. A program that does not end is ended
// by its context.
//
// A Program is immutable and may be used by many goroutines, each with its own
// [Runner].
package program
