package main

const formatsTopic = `-F says how records are printed.

  raw       the stored bytes, one record a line (the default in a pipe)
  json      one compact JSON value a line, numbers and keys as they were written
  pretty    indented JSON
  log       for people: time, level, logger, message, then key=value; strings of
            several lines stand below. Records with neither level nor message are
            compact JSON. The default on a terminal where the first JSON record has a
            time and a level or a message
  csv, tsv  a heading, and a row for each record
  TEMPLATE  text with a % in it, such as '%o %{user.id}\n'

Templates: %o offset, %p partition, %i id (orders-0@42), %t time (RFC 3339), %b position
in the file, %S size in bytes, %v stored bytes, %{field} a string as what it says or
another value as JSON, nothing where it is missing, %% a percent sign;
\n \t \r \\ \0 \e \xHH. Nothing is added: a line ends where \n stands.

--fields ts,user.id names fields: a member of that name or, where there is none, a path;
.user.id, ."odd key" and .a[0] are paths as in a filter. raw, json and pretty print an
object of those that are there, each under the name it was asked for with. csv and
tsv have them as columns; without --fields these are the members of the first record,
and others are told once.

In csv and tsv a string is what it says, a number as it was written, an array or object
compact JSON; null and what is missing are empty. csv is that of RFC 4180 with \n
ends, and quotes the empty string ("") to tell it from null. tsv writes tab, newline,
carriage return and backslash as \t \n \r \\. A cell that begins with = may be run by a
spreadsheet.

Of a record that is not JSON all but raw tell and go on; the exit code is 4. --on-bad
skip counts them instead, and it stays 0; --on-bad fail, where given, ends at the first.

--offsets and --ids print the offset or the id and a tab in front of each record; in
csv and tsv they are the first column.

The times of log and %t are UTC, or those of --zone.

Data goes to stdout and nothing else does. In a pipe it is the stored bytes. On a
terminal control characters are shown escaped, and JSON is coloured: not with NO_COLOR,
CLICOLOR=0 or --color never. Only --color always (or JLQ_COLOR) colours a pipe.
`
