package main

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/group"
	"example.com/jlq/internal/format"
	"example.com/jlq/internal/program"
	"example.com/jlq/topic"
)

const consumeLong = `consume prints the records that a consumer group has not consumed yet, and remembers
how far it came. Every record goes to one consumer of the group, at least once: a
record counts as consumed when it was written to stdout, or when --exec's command
took it. What was not is delivered again to the next consumer. How far a group is
lies beside the log, in offsets.json (see jlq group).

A new group begins with the first record, or where -o says; one that is there goes on.
Without -f it ends at the end that the log had when it came to it; with -f it waits for
more, until a signal: then it finishes what is in hand, stores how far it came, and
exits with 130 or 143.

Consumers of one group share the partitions of a topic between them. A partition is
consumed by one of them at a time: where all are taken it waits; with --no-wait, or
when nothing comes for as long as --timeout, it exits with 6 and says who has them.

With --exec a command is run for each record (sh -c; cmd /c on Windows), with the
record and a newline on its stdin, and JLQ_LOG, JLQ_GROUP, JLQ_PARTITION, JLQ_OFFSET and
JLQ_ATTEMPTS (1 the first time) in its environment. Exit code 0 takes the record. Any
other is tried again, while the others go on, after --retry-delay and then after twice as
long each time; after --max-attempts the record goes to the dead letters (jlq dead), with
the last line that the command said on stderr. The codes 126 and 127 (the shell found
no such command) end consume instead. One command runs at a time for each partition, in
order; with --parallel N up to N at once, in any order. For a bound on its time, run
"timeout 10 CMD"; a partition is given to a consumer that comes when its command has
ended, at the latest after 30 s.

With --jq a record that the program fails on goes to the dead letters at once, behind
what it printed of it; halt_error ends consume without taking the record.

Records that go to the dead letters so are told and leave the exit code 0. Records that
retention dropped before the group consumed them are told, too, and make it 2: it goes on
behind them.`

// commandDrain is how long the command that runs may keep a partition that
// another consumer is to have.
const commandDrain = 30 * time.Second

type consumeCommand struct {
	*app
	groupFlag
	format   formatFlags
	look     format.Options // the rest of how records are printed
	jq       jqFlags
	program  *program.Program // of jq; nil: the records themselves are printed
	start    offsetsFlag
	since    momentFlag // the same as start, for one that is a time
	limit    countFlag
	follow   bool
	timeout  ageFlag
	idleEnd  ageFlag
	atEnd    bool
	noWait   bool
	noCommit bool
	every    ageFlag
	max      sizeFlag
	filter   subscription
	exec     execFlags

	buried  atomic.Uint64 // records that went to the dead letters
	unasked atomic.Uint64 // and those that the filter could not be asked of
}

func (a *app) consumeCmd() *cobra.Command {
	c := &consumeCommand{app: a, limit: -1}
	cmd := &cobra.Command{
		Use:   "consume LOG -g GROUP",
		Short: "print what a consumer group has not consumed yet",
		Long:  consumeLong,
		Example: `  jlq consume -g billing orders
  jlq consume -f -g mailer --exec 'mail -s "an order" shop@example.com' orders
  jlq consume -f -g audit -o end --where '.level == "error"' app.jsonl`,
		Args: c.wantLog,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, args[0])
		},
	}
	c.groupFlag.add(cmd, "the consumer `GROUP`: a-z, 0-9 and inside also . _ -")
	c.format.add(cmd)
	c.jq.add(cmd)
	c.start.add(cmd, "where a new group begins (default start): start end N -N @TIME")
	addTimePlace(cmd)
	f := cmd.Flags()
	f.Var(&c.since, "since", "where a new group begins: the same as -o @TIME (jlq help time)")
	f.VarP(&c.limit, "number", "n", "consume at most N records (default all)")
	f.BoolVarP(&c.follow, "follow", "f", false, "wait for more at the end")
	f.Var(&c.timeout, "timeout", "exit with 6 when nothing comes for this long")
	f.Var(&c.idleEnd, "idle-timeout", "end with 0 when nothing comes for this long")
	f.BoolVarP(&c.atEnd, "exit-at-end", "e", false, "end where the log ends, also with -f")
	f.BoolVar(&c.noWait, "no-wait", false, "exit with 6 where other consumers of the group have every partition")
	f.BoolVar(&c.noCommit, "no-commit", false, "store nothing and share with nobody: the next run gets the same records; for logs that may only be read")
	f.Var(&c.every, "commit-every", "how often to store how far it came (default 1s); always at the end")
	f.Lookup("commit-every").DefValue = ""
	f.Var(&c.max, "max-record", "the largest record that is read; a longer one is an error (default 16M, or more where the log's writer was allowed more)")
	f.Lookup("max-record").DefValue = ""
	c.filter.add(cmd)
	c.exec.add(cmd)
	return cmd
}

// wantLog wants one LOG and a group; a second argument is the group of somebody
// who left out -g, as group show LOG GROUP does.
func (c *consumeCommand) wantLog(cmd *cobra.Command, args []string) error {
	if c.name != "" || len(args) == 0 || len(args) > 2 {
		return wantArgs(1, 1, "one LOG")(cmd, args)
	}
	name := "GROUP"
	if len(args) == 2 {
		name = args[1]
	}
	return &usageError{err: errors.New("consume: want a GROUP: -g GROUP"), hint: fmt.Sprintf("jlq consume -g %s %s; a name that is new makes a new group", name, args[0])}
}

func (c *consumeCommand) run(cmd *cobra.Command, path string) error {
	c.follow = c.follow && !c.atEnd
	err := c.check(cmd)
	if err == nil {
		c.program, err = c.jq.compiled(&c.format)
	}
	if exitCode(err) == exitFilter {
		return err
	}
	if err != nil {
		return &usageError{err: fmt.Errorf("consume: %w", err), hint: seeHelp(cmd)}
	}
	if err := checkPlain(path); err != nil {
		return err
	}
	opts, err := c.options(cmd, path)
	if err != nil {
		return err
	}
	g, err := group.Open(path, c.name, opts)
	if err != nil {
		return noLog(path, err)
	}
	c.noteKnown(path)
	return (&consumer{consumeCommand: c, path: path, g: g}).run(cmd.Context())
}

// check refuses what does not go together.
func (c *consumeCommand) check(cmd *cobra.Command) error {
	switch {
	case c.since.text != "" && c.start.given:
		return errors.New("-o and --since both say where a new group begins: want one of them")
	case c.timeout > 0 && c.idleEnd > 0:
		return errors.New("--timeout ends with 6 and --idle-timeout with 0: want one of them")
	case c.exec.text == "":
		c.look = format.Options{TimeField: timeFieldOf(cmd), Zone: zoneOf(cmd).Location, Human: true}
		if _, err := c.layout(&c.format, c.look); err != nil {
			return err
		}
		return c.exec.unused(cmd)
	case c.noCommit:
		return errors.New("--exec with --no-commit could not store what is taken")
	case c.jq.text != "" || c.jq.plain:
		return errors.New("--jq makes what is printed of a record; --exec gets the stored bytes")
	case cmd.Flags().Changed("format"):
		return errors.New("-F says how records are printed; --exec gets the stored bytes")
	}
	return c.exec.check()
}

func (c *consumeCommand) options(cmd *cobra.Command, path string) (*group.Options, error) {
	var start group.To
	var err error
	if c.start.in != nil {
		if err := c.oneOfMany(path); err != nil {
			return nil, err
		}
	}
	if c.since.text != "" {
		c.start.offsets = since(c.since)
		c.start.given = true
	}
	if c.start.given {
		start, err = placeOf(cmd, c.start.offsets)
	}
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("consume: -o: %w", err), hint: seeHelp(cmd)}
	}
	opts := &group.Options{
		Start:       start,
		CommitEvery: time.Duration(c.every),
		// What stdout did not take is not consumed: it is written before its
		// offset is.
		BeforeCommit: c.out.Flush,
		NoCommit:     c.noCommit,
		NoWait:       c.noWait,
		MaxAttempts:  c.exec.attempts,
		// The limit is that of reading; a dead letter has its own.
		MaxRecordBytes: int(c.max),
		RetryDelay:     time.Duration(c.exec.delay),
		Logger:         c.warner(),
	}
	if c.exec.text != "" {
		opts.DrainTimeout = commandDrain
	}
	c.filter.read = func(n int) { c.reading.add(n) }
	return opts, c.filter.apply(cmd, opts, func() { c.unasked.Add(1) })
}

// oneOfMany refuses the id of a record, or takes it where what is consumed is its
// partition: in the others of a topic it would be the place of another record.
func (c *consumeCommand) oneOfMany(path string) error {
	if _, _, err := within(path, c.start.in); err != nil || !topic.IsTopic(path, nil) {
		return err
	}
	return &usageError{
		err:  fmt.Errorf("consume: -o: %s is in one partition, and a new group begins in all of them", c.start.text),
		hint: fmt.Sprintf("jlq consume -g %s -n 0 %s; jlq group reset %s %s %s", c.name, path, path, c.name, c.start.text),
	}
}

// noteKnown says that -o does nothing to a group that is there.
func (c *consumeCommand) noteKnown(path string) {
	if !c.start.given || c.noCommit {
		return
	}
	names, err := c.groupNames(path)
	if err == nil && slices.Contains(names, c.name) {
		c.report("%s: group %s is there already and goes on where it was; -o is for a new one: jlq group reset %s %s %s", path, c.name, path, c.name, c.start.text)
	}
}
