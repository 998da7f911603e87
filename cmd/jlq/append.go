package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/segment"
	"example.com/jlq/partition"
	"example.com/jlq/topic"
)

const appendLong = `append stores the lines of files, or of stdin, as records: one JSON value a line,
checked before anything is written. LOG is created when it does not exist: as a
bare file when its name ends in .jsonl, .ndjson or .records, else as a partition
directory. gzip and zstd input is unpacked. A last line without newline counts.

Input is stored as soon as it pauses. At the end, and also when it fails, append
says how many records are stored; exit code 0 means that all of them are durable.
An invalid line ends it (--on-bad): what came before is stored.

To go on after a crash, first let append take in what the crash left; the next offset
is then where the input goes on (a log that held records before the input began adds
their number), and --expect-offset makes sure of it:

  jlq append LOG </dev/null
  n=$(jlq count --next LOG)
  tail -n +$((n+1)) input.jsonl | jlq append --expect-offset $n LOG

In a file that is no partition nothing is ever cut, so there half a line that a
crash left stays as a line; jlq repair --execute FILE first sets it aside.

LOG may be a topic (jlq help topic). Records go to its partitions in turn, or with --key
by the value of a field, such as customer or user.id: what has the same one is in one
partition, in order. Those that have no such field go in turn, and append says how many.
--ack prints ids there, such as orders-0@42.

A partition directory is one pair of files for good unless --segment-bytes,
--segment-records or --segment-age says when a new segment begins. They hold for
this append only: give them each time. Where the files of a new segment cannot be
made, records go on into the old one, and append says so.

--keep-bytes, --keep-records, --keep-segments and --max-age drop the oldest segments
while append runs, see jlq trim; of several the strictest decides. The segment that is
appended to stays, so they want one of the limits above. At the end append says how
much was dropped. What a consumer group has not consumed stays as well, up to
--max-held-bytes and --max-held-age, and append says for whom.

With --shared several processes append to one log at the same time: each waits for
its turn, up to a minute, and has the log for one batch. What comes while one waits
is one batch; lines of others may lie in between. Without it append has the log until
it ends, refuses to begin while another has it (exit code 6), and those with --shared
wait. Give all of them the same --sync and --validate: to change what is promised takes
as long as an opening, each time. With --expect-offset the first batch is conditional.

--sync says what a record survives once it is acknowledged (by --ack, or by exit
code 0):
  always    a power loss: nothing acknowledged is lost (the default)
  interval  the death of the process; after a power loss up to 1 s and one fsync
            of acknowledged records may be lost
  os        the death of the process; after a power loss everything since append
            began, or the last 64 to 256 MiB, may be lost
With every mode, exit code 0 comes after the last fsync.`

type appendCommand struct {
	*app
	sync, validate choice
	compact        bool
	onBad          string
	max            sizeFlag
	expect         string
	ack            bool
	segmentBytes   diskSizeFlag
	segmentRecords countFlag
	segmentAge     ageFlag
	keep           keepFlags
	mode           string // of new files; "" where it was not given
	network        bool
	shared         bool
	key            fieldFlag // the field of it
}

func (a *app) appendCmd() *cobra.Command {
	c := &appendCommand{app: a, sync: newChoice("always", "interval", "os"), validate: newChoice("strict", "frame"), max: 16 << 20, segmentRecords: -1, keep: newKeep()}
	cmd := &cobra.Command{
		Use:   "append LOG [FILE…|-]",
		Short: "store lines as records",
		Long:  appendLong,
		Example: `  app | jlq append --ack orders
  jlq append --on-bad bad.lines orders old.jsonl.gz more.jsonl
  jlq append --compact app.jsonl pretty.json
  app | jlq append --segment-bytes 64M --segment-age 24h orders
  app | jlq append --key customer topic`,
		Args: wantArgs(1, -1, "a LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0], args[1:])
		},
	}
	c.addFlags(cmd)
	return cmd
}

func (c *appendCommand) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&c.sync, "sync", "what an acknowledged record survives, see above")
	f.Var(&c.validate, "validate", "strict: one JSON value, RFC 8259, UTF-8; frame: any line without NUL bytes that is not empty")
	f.BoolVar(&c.compact, "compact", false, "the input is a stream of JSON values, of one or more lines each: store each on one line, without its white space")
	f.StringVar(&c.onBad, "on-bad", "fail", "what to do about an invalid line: `fail|skip|FILE`; FILE gets it as it is")
	f.Var(&c.max, "max-record", "the largest record that is stored, in bytes")
	f.StringVar(&c.expect, "expect-offset", "", "store only if the first record gets offset `N`; else store nothing and exit with 1")
	f.BoolVar(&c.shared, "shared", false, "take turns with other processes that append to the log with --shared")
	c.key.add(cmd, "key", "put records of a topic with the same value of `FIELD` into the same partition")
	f.BoolVar(&c.ack, "ack", false, "print the offset of each record on stdout once it is durable under --sync")
	f.Var(&c.segmentBytes, "segment-bytes", "begin a new segment before one holds more than `BYTES`, such as 64M or 1G")
	f.Var(&c.segmentRecords, "segment-records", "begin a new segment before one holds more than `N` records")
	c.keep.add(cmd)
	f.Var(&c.segmentAge, "segment-age", "begin a new segment when the first record of one is `AGE` old, such as 24h or 7d")
	f.StringVar(&c.mode, "mode", "", "permission of new files, `OCTAL` (default 0600; the index of a file that is there gets that of the file); directories get the search bits that go with it")
	f.BoolVar(&c.network, "allow-network", false, "write on a network file system, where locks and fsync may not hold what they promise")
}

func (c *appendCommand) run(ctx context.Context, path string, files []string) error {
	opts, err := c.options()
	if err != nil {
		return err
	}
	if path == "-" {
		return &usageError{err: errors.New("append: - is an input; the LOG comes first"), hint: "jlq append LOG -"}
	}
	if err := checkPlain(path); err != nil {
		return err
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	if err := checkInputs(path, files); err != nil {
		return err
	}
	if topic.IsTopic(path, nil) {
		return c.runTopic(ctx, path, files, opts)
	}
	if c.key != "" {
		return &usageError{err: fmt.Errorf("append: --key chooses among the partitions of a topic, and %s is none", path), hint: "jlq topic create " + path + " makes one"}
	}
	// Both files are open for writing before any input is taken: what could
	// not be stored is not consumed.
	bar := c.startProgress("index " + path)
	opts.Progress = bar.set
	p, err := partition.Open(path, opts)
	bar.finish()
	if err != nil {
		return c.taken(damaged(path, err))
	}
	c.tellCreated(p)
	s := c.newStore(path, opts)
	s.p, s.logs = p, []*partition.Partition{p}
	return s.all(ctx, c, files)
}

func (c *appendCommand) newStore(path string, opts *partition.Options) *store {
	return &store{app: c.app, path: path, shared: c.shared, ack: c.ack, compact: c.compact, max: opts.MaxRecordBytes, check: opts.Validate}
}

// tellCreated says what was made of a name that looks like that of a file.
func (c *appendCommand) tellCreated(p *partition.Partition) {
	if p.Recovery().Created && !p.Log().Place().Bare && filepath.Ext(p.Path()) != "" {
		c.report("%s: created as a partition directory; names in .jsonl, .ndjson and .records become files", p.Path())
	}
}

// damaged adds to the refusal of a damaged log what can be done.
func damaged(path string, err error) error {
	if away, ok := errors.AsType[*segment.SegmentAwayError](err); ok {
		return &usageError{err: err, hint: awayHint(path, away.Base)}
	}
	if _, corrupt := errors.AsType[*partition.CorruptError](err); !corrupt || lostTopic(err) != "" {
		return err
	}
	return &usageError{err: err, hint: "nothing was changed, and reading goes on; jlq verify " + path + " says what is wrong, jlq repair " + path + " shows how to mend it"}
}

// taken adds to the refusal of a log that another process appends to how
// several can.
func (c *appendCommand) taken(err error) error {
	if !errors.Is(err, partition.ErrLocked) || c.shared {
		return err
	}
	return &usageError{err: err, hint: "with --shared for each of them several processes append in turn"}
}

// options are those of the log.
func (c *appendCommand) options() (*partition.Options, error) {
	opts := &partition.Options{
		MaxRecordBytes: int(c.max), AllowNetwork: c.network, Logger: c.logger(), Shared: c.shared,
		SegmentBytes: int64(c.segmentBytes), SegmentRecords: uint64(max(c.segmentRecords, 0)), SegmentAge: time.Duration(c.segmentAge),
	}
	err := c.retention(opts)
	if err != nil {
		return nil, err
	}
	if opts.Sync, err = partition.ParseSync(c.sync.value); err != nil {
		return nil, err
	}
	if opts.Validate, err = partition.ParseValidate(c.validate.value); err != nil {
		return nil, err
	}
	opts.Mode, err = parseMode("append", c.mode)
	return opts, err
}

// retention are the limits of what is kept. Without new segments they would
// never drop any.
func (c *appendCommand) retention(opts *partition.Options) error {
	opts.Retention = c.keep.retention()
	rolls := opts.SegmentBytes > 0 || opts.SegmentRecords > 0 || opts.SegmentAge > 0
	switch {
	case c.keep.nothing():
		return &usageError{err: errors.New("append: a limit of 0 keeps nothing of what is appended"), hint: "jlq trim --keep-records 0 --execute LOG removes all records"}
	case c.keep != newKeep() && !c.keep.given():
		return &usageError{err: errors.New("append: --max-held-bytes and --max-held-age drop nothing by themselves"), hint: "add --keep-records, --keep-bytes, --keep-segments or --max-age"}
	case c.keep.given() && !rolls:
		return &usageError{err: errors.New("append: what is dropped are whole segments, and nothing says when a new one begins"), hint: "add --segment-bytes, --segment-records or --segment-age"}
	}
	return nil
}

// expected parses --expect-offset.
func (c *appendCommand) expected() (offset uint64, given bool, err error) {
	if c.expect == "" {
		return 0, false, nil
	}
	offset, err = strconv.ParseUint(c.expect, 10, 64)
	if err != nil {
		return 0, false, usagef("append: --expect-offset %q: want a number", c.expect)
	}
	return offset, true, nil
}
