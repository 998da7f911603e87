package main

// topicHelp is what several commands have in common.
type topicHelp struct{ name, short, text string }

// helpTopics are what jlq help tells about beside commands. The language of
// filters is in the help of the command filter.
var helpTopics = []topicHelp{
	{"offsets", "how records and ranges of them are named", offsetsTopic},
	{"time", "how times are written, and which field of a record holds one", timeTopic},
	{"formats", "what -F prints", formatsTopic},
	{"jq", "the programs of --jq", jqTopic},
	{"exit-codes", "what each exit code says", exitCodesTopic},
	{"environment", "the variables that stand for flags", environmentTopic},
}

func topicNames() (names []string) {
	for _, topic := range helpTopics {
		names = append(names, topic.name)
	}
	return names
}

const offsetsTopic = `Records are numbered from 0: the offset of a record never changes. Line N+1 of a
JSON-lines file is record N.

  start            the first record that is kept
  end              behind the last
  N                record N; for get exactly that one, elsewhere from N on
  -N               the last N; for get the N-th from the end
  A:B  A:  :B      from A up to, not including, B; each may be a word, N or -N
  @TIME            from the first record at or after TIME (jlq help time)
  @T1:T2           from T1 up to, not including, T2
  orders-0@N       record N of partition 0 of the topic orders; any of the above may
                   stand behind the @, as in orders-0@-5 or orders-0@10:20

Ranges clamp to what is there: :1000 of a log of 10 records is all of it. get wants
exactly what it is asked for, and exits with 1 where that is not there. A topic has
an order of offsets in each partition only, so there a range is of times, or an id.

  jlq get app.jsonl 0 -1            the first record and the last
  jlq cat -o 100:200 app.jsonl      a hundred of them
  jlq cat -o @-3h app.jsonl         those of the last three hours
  jlq cat -o start:-10 app.jsonl    all but the last ten
`

const timeTopic = `A TIME on the command line is one of

  2026-11-30T10:00:00.5Z    RFC 3339; also with a space for the T, a comma for the point,
                            +0200 or +02 for +02:00, without seconds, or 2026/11/30
  2026-11-30                its midnight; today, yesterday and tomorrow are such days
  15:04  15:04:05           today
  1796032800                unix seconds; from 1e11 on they are ms, from 1e14 on µs, from
                            1e17 on ns; fractions are exact
  -3h  -90s  -2d  -1w2d     so long before now; 3h ago and '1 hour ago' are, too
  now
  30/Nov/2026:10:00:00 +0000    as Apache writes it; or Mon, 30 Nov 2026 10:00:00 GMT

One without a zone is UTC, or in --zone: local, Europe/Berlin, +02:00. Of a time that
clocks show twice it is the first; one that they leave out is counted as if they had not
been put forward.

The time of a record is that of --time-field, or of the first of ts, time, timestamp and
@timestamp that holds one: a string as above, or a number of seconds, ms, µs or ns
since 1970. Where a string has no zone, it is UTC; --zone does not change that.

-o @TIME begins at the first record at or after TIME and takes all that lie behind it.
--since and --until choose by the time of each record, also where some are late; those
without a time go with the one before them. What -o names and what they choose is
intersected.

jlq looks for a time by halves, so that a log of any length answers at once, and looks at
each record where some may be late. That is exact as long as none is later than --slack:
as a rule, 2048 places behind the first record that has a later time. With a DURATION it
is how much earlier than the latest record before it one may be. jlq seek --check reads
a log and says how late its records are.

  jlq cat --since yesterday --until today app.jsonl
  jlq cat -o @2026-11-30T10:00:00Z:2026-11-30T11:00:00Z app.jsonl
  jlq filter app.jsonl '.ts >= @-3h'
`

const exitCodesTopic = `  0    done; for append: everything given is stored and durable
  1    what was asked for is not there, or nothing matched
  2    a wrong command line, or an error of reading or writing
  3    an expression does not compile
  4    invalid or corrupt records were met
  5    an index does not fit its records and could not be rebuilt
  6    locked by another writer or consumer, or nothing came in time
  130  interrupted (143 when terminated, 129 when hung up): what was stored until then stays
  141  stdout was closed by who read it; nothing is said

What went wrong stands on stderr, each line behind "jlq: "; a line with "hint:" says
what would help. When a pager on a terminal is left, that is 0.
`

const environmentTopic = `A variable stands for each flag: JLQ_ and its name in capitals, with _ for -, or with the
name of the command before it, which wins. A flag that is given wins over both.

  JLQ_SYNC=os                 --sync os, for every command that has --sync
  JLQ_APPEND_SYNC=always      only for jlq append
  JLQ_GROUP_RESET_JSON=true   --json, for jlq group reset
  JLQ_PAGER=never             --pager never

A variable that is empty counts for nothing, one whose flag a command does not have is
none of its business. A value that is wrong is an error that names the variable. There
is none for flags that drop data or say what one call is about: --execute, --force,
--all, --drop, --before, --offset, --partition, --expect-offset, --allow-network, --exec.

Others that jlq looks at:

  NO_COLOR, TERM=dumb         no colours (--color)
  PAGER, LESS, LESSCHARSET    what shows long output on a terminal (--pager)
  TZ                          the zone of times that are shown to people

A command of --exec finds JLQ_LOG, JLQ_GROUP, JLQ_PARTITION, JLQ_OFFSET and JLQ_ATTEMPTS
in its environment; so a jlq that it runs has the same group.

`
