// Jlq appends to, reads, follows and checks logs whose files people can read.
//
//	jlq append LOG [FILE…|-]   store lines as records
//	jlq get LOG OFFSET…        print exactly those records
//	jlq cat | head | tail LOG  print records; tail -f follows
//	jlq filter LOG EXPR        print the records that an expression is true of
//	jlq grep PATTERN LOG…      print the records whose line a pattern matches
//	jlq sample LOG             print records chosen at random
//	jlq seek LOG @TIME         find the first record at or after a time
//	jlq count | stat LOG       how many there are; what the log looks like, how fast it grows
//	jlq index FILE             make any JSON-lines file seekable
//	jlq roll LOG               seal the active segment, begin the next
//	jlq trim LOG               drop the oldest segments
//	jlq verify LOG             check every byte that can be checked
//	jlq repair LOG             put a damaged log right
//	jlq topic …                logs of several partitions: create, list, show, hide, delete
//	jlq consume LOG -g GROUP   print what a consumer group has not consumed yet, or run a command for it
//	jlq group COMMAND LOG      tell about consumer groups, watch, move and remove them
//	jlq dead COMMAND LOG       list, deliver again or skip what a group could not deal with
//
// LOG is a partition directory, a topic directory or any JSON-lines file.
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
//	6    locked by another writer or consumer, or nothing came in time
//	130  interrupted (143 when terminated, 129 when hung up)
//	141  stdout was closed; nothing is said
//
// # Shape
//
// The function run is the whole program; main only passes it the process's
// streams. Each command is one file. Errors carry their exit code (exit.go)
// and exactly one function prints to stderr (report.go).
package main
