package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"example.com/jlq/partition"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

const trimLong = `trim drops the oldest records of a partition: whole segments from the front. It first
shows what would go and why; --execute does it, which takes the writer's lock. A
writer that is at work trims its own log, see jlq append --keep-bytes.

Each limit drops by itself, so of several the strictest decides. A segment goes only
as a whole: what remains is what was asked for, and up to a segment more. Where the
limits leave nothing of the last segment either, it is sealed and dropped as well.
Offsets never change: the next record gets the offset that it would have got.

--max-age goes by the last append to a segment, which is the modification time of its
records file, and by no field of the records. A time in the future counts as that of
the next segment that has a sane one; where none has, nothing is too old. A copy
made without keeping times (cp without -p) is as young as the copying. --before @TIME
goes by the time in the records (--time-field).

What a registered consumer group has not consumed is kept, and trim says for whom.
--max-held-bytes and --max-held-age say how much of that is too much; --force drops it
without further ado. Both name each group that loses records, and how many, before
anything is done. Where offsets.json cannot be read, nothing goes but by --force.

Of a topic each partition is trimmed by itself: the limits hold for each of them.
--before takes a time, or a record's id, which is about its partition only.

Readers that are inside a segment finish it. Later ones are told how many records are
gone, and where the log begins. Files named BASE.torn-POSITION, which hold what was
cut off damaged segments, stay; remove them by hand.

The exit code is 1 when nothing is dropped, and 6 when a writer has the log.`

type trimCommand struct {
	*app
	readFlags
	keep    keepFlags
	before  string
	field   fieldFlag
	execute bool
	force   bool
	json    bool
	network bool
	in      *topic.ID // the partition that --before names
}

func (a *app) trimCmd() *cobra.Command {
	c := &trimCommand{app: a, keep: newKeep()}
	cmd := &cobra.Command{
		Use:   "trim LOG",
		Short: "drop the oldest segments of a log: show which, then do it",
		Long:  trimLong,
		Example: `  jlq trim --keep-bytes 20G orders
  jlq trim --before @-30d --execute orders
  jlq trim --max-age 7d --max-held-age 30d --execute orders
  jlq trim --keep-records 0 --execute orders`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.all(cmd, args[0])
		},
	}
	c.readFlags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&c.before, "before", "", "drop segments all of whose records lie before this `OFFSET|@TIME`")
	c.keep.add(cmd)
	c.field.add(cmd, "time-field", "the `FIELD` with the time of a record, for --before @TIME (default: the first of ts, time, timestamp, @timestamp that holds one)")
	new(zoneFlag).add(cmd)
	f.BoolVar(&c.execute, "execute", false, "do it; without it nothing is changed")
	f.BoolVar(&c.force, "force", false, "drop also what somebody still needs")
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	f.BoolVar(&c.network, "allow-network", false, "write on a network file system, where locks and fsync may not hold what they promise")
	return cmd
}

// all trims a log, each partition of a topic, or the partition that the id in
// --before names.
func (c *trimCommand) all(cmd *cobra.Command, path string) error {
	before, err := c.bound(cmd)
	if err != nil {
		return err
	}
	path, whole, err := within(path, c.in)
	if err == nil && whole && before != nil {
		err = topicOffset(path, offsets{text: c.before, from: *before})
	}
	if err != nil {
		return err
	}
	return c.eachPartition(cmd.Context(), path, true, func(path string) error { return c.run(cmd, path, before) })
}

func (c *trimCommand) run(cmd *cobra.Command, path string, before *bound) error {
	plan, policy, err := c.plan(cmd.Context(), path, before)
	if err != nil {
		return named(path, err)
	}
	if n, _, _ := plan.Dropped(); c.execute && n > 0 {
		if plan, err = c.apply(path, policy); err != nil && !plan.Done {
			return damaged(path, err)
		}
	}
	if shown := c.show(path, &plan); shown != nil {
		return shown
	}
	c.verdict(path, &plan)
	if err != nil {
		return err // segments are dropped, but files of theirs are still there
	}
	if n, _, _ := plan.Dropped(); n == 0 {
		return silent(exitMissing)
	}
	return nil
}

// bound reads --before, and makes sure that something was asked for.
func (c *trimCommand) bound(cmd *cobra.Command) (*bound, error) {
	if c.before == "" && !c.keep.given() {
		return nil, &usageError{err: fmt.Errorf("trim: nothing says what is to go"), hint: "--before OFFSET, --keep-records N, --keep-bytes SIZE, --keep-segments N or --max-age DURATION"}
	}
	if c.before == "" {
		return nil, c.fieldUnused()
	}
	o, err := parseLocation(c.before, zoneOf(cmd).now())
	if err == nil && !o.single {
		err = fmt.Errorf("%q is a range; want one OFFSET or @TIME", c.before)
	}
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("trim: --before: %w", err), hint: seeHelp(cmd)}
	}
	c.in = o.in
	if o.from.kind != atTime {
		return &o.from, c.fieldUnused()
	}
	return &o.from, nil
}

// fieldUnused refuses a field that nothing would look at: who gives one means
// that it decides.
func (c *trimCommand) fieldUnused() error {
	if c.field == "" {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("trim: --time-field belongs to --before @TIME; --max-age goes by the time of the last append to a segment"),
		hint: "jlq trim --before @-24h --time-field " + string(c.field) + " LOG",
	}
}

// plan looks at the log without its lock.
func (c *trimCommand) plan(ctx context.Context, path string, before *bound) (plan partition.TrimPlan, policy partition.TrimPolicy, err error) {
	p, err := c.openReadOnly(path, c.readFlags, nil)
	if err != nil {
		return plan, policy, err
	}
	defer p.Close() // it was only read
	policy = partition.TrimPolicy{Retention: c.keep.retention(), Force: c.force}
	if before != nil {
		if policy.Before, err = c.offset(ctx, p.Log(), *before); err != nil {
			return plan, policy, err
		}
	}
	if c.keep.nothing() {
		policy.Before = math.MaxUint64
	}
	plan, err = p.PlanTrim(policy)
	return plan, policy, err
}

func (c *trimCommand) offset(ctx context.Context, log *reader.Log, b bound) (uint64, error) {
	if b.kind == atTime {
		return log.OffsetAt(ctx, b.time, string(c.field))
	}
	r := &resolver{ctx: ctx, log: log}
	return r.offset(b)
}

// apply does it, as a writer that promises what the last one did.
func (c *trimCommand) apply(path string, policy partition.TrimPolicy) (plan partition.TrimPlan, err error) {
	opts, err := c.asLastWritten(path)
	if err != nil {
		return plan, err
	}
	opts.AllowNetwork = c.network
	p, err := partition.Open(path, opts)
	if err != nil {
		return plan, err
	}
	plan, err = p.ApplyTrim(policy)
	if closed := p.Close(); err == nil {
		err = closed
	}
	return plan, err
}
