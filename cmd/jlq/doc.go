// Jlq appends to, reads, follows and checks logs whose files people can read.
//
//	jlq append LOG [FILE…|-]   store lines as records
//	jlq get LOG OFFSET…        print exactly those records
//	jlq cat | head | tail LOG  print records; tail -f follows
//	jlq count | stat LOG       how many there are; what the log looks like
//	jlq index FILE             make any JSON-lines file seekable
//	jlq verify LOG             check every byte that can be checked
//
// LOG is a partition directory or any JSON-lines file.
//
// Data goes to stdout and nothing else does: one record a line, exactly the
// stored bytes and a newline. Reports, progress and errors go to stderr, each
// line beginning with "jlq: ". On a terminal, records are shown with control
// characters, bidi marks and invalid UTF-8 escaped, so that what a log holds
// cannot drive the terminal.
//
// # Exit codes
//
//	0    done; for append: everything given is stored and durable
//	1    what was asked for is not there
//	2    usage, or an I/O error
//	3    an expression does not compile
//	4    invalid or corrupt records were met
//	5    an index does not fit its records and could not be rebuilt
//	6    locked by another writer
//	130  interrupted (143 when terminated)
//	141  stdout was closed; nothing is said
//
// # Shape
//
// The function run is the whole program; main only passes it the process's
// streams. Each command is one file. Errors carry their exit code (exit.go)
// and exactly one function prints to stderr (report.go).
package main
