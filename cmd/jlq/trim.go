package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

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

// show prints the plan on stdout.
func (c *trimCommand) show(path string, plan *partition.TrimPlan) error {
	if c.json {
		segments, records, bytes := plan.Dropped()
		line, err := json.Marshal(trimOutput{path, segments, records, bytes, plan})
		if err != nil {
			return err
		}
		return c.out.WriteLine(line, "\n")
	}
	if err := c.out.WriteText(trimTable(plan)); err != nil {
		return err
	}
	return c.out.Flush()
}

// trimOutput is the JSON of a plan.
type trimOutput struct {
	Log      string `json:"log"`
	Segments int    `json:"dropped_segments"`
	Records  uint64 `json:"dropped_records"`
	Bytes    int64  `json:"dropped_bytes"`
	*partition.TrimPlan
}

// Of a run of segments with the same fate, so many are shown at each end.
const trimShown = 10

// trimTable is the plan for people.
func trimTable(plan *partition.TrimPlan) string {
	t := table{right: make([]bool, 6)}
	t.add("segment", "records", "bytes", "last append", "action", "reason")
	segs := plan.Segments
	for i := 0; i < len(segs); i++ {
		s := &segs[i]
		t.add(uintText(s.Base), uintText(s.Records), trimBytes(s), trimTime(s), s.Action, s.Reason)
		if run := sameAction(segs[i:]); i >= trimShown && run > 2*trimShown && alike(segs[i-trimShown:i+1]) {
			skipped := run - trimShown
			t.add("…", "", "", "", s.Action, fmt.Sprintf("%d more segments, all of them with --json", skipped))
			i += skipped
		}
	}
	return t.text("")
}

// sameAction is how many segments behind the first share its fate.
func sameAction(segs []partition.TrimSegment) (n int) {
	for n+1 < len(segs) && segs[n+1].Action == segs[0].Action {
		n++
	}
	return n
}

func alike(segs []partition.TrimSegment) bool { return sameAction(segs) == len(segs)-1 }

func trimBytes(s *partition.TrimSegment) string {
	if s.Away {
		return "away"
	}
	return bytesText(s.Bytes)
}

func trimTime(s *partition.TrimSegment) string {
	if s.LastAppend.IsZero() {
		return "-"
	}
	return s.LastAppend.Local().Format(time.RFC3339)
}

// losses says on stderr who still needed what goes.
func (c *trimCommand) losses(path string, plan *partition.TrimPlan) {
	loses := "would lose"
	if plan.Done {
		loses = "has lost"
	}
	for _, l := range plan.Lost {
		c.report("%s: %s %s %s from offset %d on", path, l.Name, loses, recordsText(l.Records), l.Offset)
	}
	if plan.HoldsUnknown != "" {
		c.report("%s: it is not known who %s records: %s", path, loses, plan.HoldsUnknown)
	}
}

// verdict says on stderr what it comes to.
func (c *trimCommand) verdict(path string, plan *partition.TrimPlan) {
	for _, h := range plan.Held {
		c.report("%s: held by %s, which needs offset %d; --force drops it all the same", path, h.Name, h.Offset)
	}
	c.losses(path, plan)
	n, records, bytes := plan.Dropped()
	what := fmt.Sprintf("%s, %s (%s)", countText(uint64(n), "segment"), recordsText(records), bytesText(bytes))
	switch {
	case n == 0 && len(plan.Segments) == 0:
		c.report("%s: nothing to drop: there are no segments", path)
	case n == 0:
		c.report("%s: nothing to drop: segment %d %s", path, plan.Segments[0].Base, plan.Segments[0].Reason)
	case plan.Done:
		c.report("%s: dropped %s; the log begins with offset %d now", path, what, plan.NewStart)
	default:
		c.report("%s: would drop %s, so that the log begins with offset %d; nothing was changed yet: --execute does it", path, what, plan.NewStart)
	}
}
