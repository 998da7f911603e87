package main

const jqTopic = `--jq PROGRAM prints what a program in the language of jq makes of each record: none,
one or several results, each on a line. It is gojq's language; its manual is jq's.

  .user.id   .items[]   .a, .b                 fields, elements, several results
  {ts, user: .user.id}                         an object of these
  select(.level == "error") | .msg             only of some records
  .items | map(.price) | add                   arithmetic; whole numbers are exact
  "\(.ts) \(.msg)"                             text; --raw-output prints it without quotes
  del(.password) | .n += 1                     a record with changes
  $offset  $partition  $id                     which record it is, as --ids prints it

What a program does not change is printed as it is stored: 1.10 stays 1.10 and
12345678901234567890 itself, objects keep their order, strings their escapes. The members
of an object that the program makes come in the order in which it names them; .[] and
to_entries go through an object in the order of the names. Results go on to -F, --ids and
--fields like records.

--where, which is faster, comes before the program. -n counts the records that something
is printed for, and prints all of their results. Exit code 1 says that nothing was
printed, 3 that the program does not compile. Lines that are not JSON are left out as
they are by a filter (jlq help filter). Where a program fails on a record, what it
printed before stays, the error is told with the offset, and the exit code is 4; a ?
behind the part that fails leaves that out.

A program sees one record and nothing else: no environment, no files, no further input.
What debug and stderr say goes to stderr with the offset. halt ends the command with exit
code 0, halt_error with 4, halt_error(N) with N.

  jlq cat --jq '{ts, user: .user.id, n: (.items | length)}' orders
  jlq cat --jq '.items[] | {sku, price}' -F csv orders > items.csv
  jlq tail -f --jq 'select(.ms > 500) | "\(.ts) \(.path)"' --raw-output app.jsonl
`
