package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/jlq/internal/sample"
	"example.com/jlq/topic"
)

const sampleLong = `sample prints records chosen at random: 10, or -n N of a log or a range of it, every set
of N as likely as any other; or, with -p, each record with that probability. They come
in their order, unless --shuffle puts them in a random one.

Through the index it reads these records and no others, so that a thousand of a billion
cost as much as of a million. A file without an index is read through once to count its
lines, and nothing is written: jlq index FILE makes the next time cheap.

The same --seed chooses the same offsets of the same range. With -p it does so however
the log has grown: whether a record is chosen depends on the seed and its offset alone.
With -n one record more is another sample. Records that --on-bad skip leaves out are
missing from the sample; they are not replaced.

With --where, -n chooses among the records that the filter is true of, which reads all
of the range, in one pass that holds N records in memory; -p chooses first, and reads no
more than without.

A sample of a topic is one of all its partitions together, merged by time (--order). A
sample with --shuffle of all records is the log in a random order; it takes 16 bytes of
memory for each.`

type sampleCommand struct {
	*app
	viewFlags
	share   shareFlag
	seed    seedFlag
	shuffle bool
}

func (a *app) sampleCmd() *cobra.Command {
	c := &sampleCommand{app: a, viewFlags: viewFlags{limit: -1}}
	cmd := &cobra.Command{
		Use:        "sample LOG",
		SuggestFor: []string{"shuf", "random"},
		Short:      "print records chosen at random",
		Long:       sampleLong,
		Example: `  jlq sample orders
  jlq sample -n 1000 --seed 7 --shuffle train.jsonl > subset.jsonl
  jlq sample -p 1% --where '.level == "error"' -o @-24h: orders`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, args[0])
		},
	}
	c.add(cmd, "the records to choose from: "+offsetsHelp, "choose N records (default 10)")
	c.expr.add(cmd)
	f := cmd.Flags()
	f.VarP(&c.share, "share", "p", "choose each record with this probability, such as 0.01 or 1%")
	f.Var(&c.seed, "seed", "choose the same records each time: any number (default another one each time)")
	f.BoolVar(&c.shuffle, "shuffle", false, "print them in a random order")
	return cmd
}

func (c *sampleCommand) run(cmd *cobra.Command, path string) error {
	if c.share > 0 && c.limit >= 0 {
		return &usageError{err: errors.New("sample: -n says how many, -p which part of all: want one of them"), hint: seeHelp(cmd)}
	}
	if c.share == 0 && c.limit < 0 {
		c.limit = shownRecords
	}
	if !c.seed.given {
		c.seed.value = rand.Uint64()
	}
	return c.show(cmd, &c.viewFlags, path, c)
}

func (c *sampleCommand) fromLog(v *view, r *resolver) error {
	v.limit = -1 // -n says how many are chosen
	if c.reads(v) {
		records, err := r.records(c.offsets.offsets)
		if err != nil {
			return err
		}
		return c.pass(r.ctx, v, sizeOf(r.log), v.rows(records))
	}
	spans, err := r.clamped(c.offsets.offsets)
	if err != nil {
		return err
	}
	v.complain(named(v.name, r.dropped(c.offsets.offsets)))
	d := &draw{sampleCommand: c, ctx: r.ctx, lots: lot{log: r.log, id: v.id, skip: c.skip}.of(spans)}
	return v.print(r.ctx, d.records())
}

func (c *sampleCommand) fromTopic(v *view, t *topicView) error {
	v.limit = -1
	spans, err := t.spans(c.offsets.offsets)
	if err != nil {
		return err
	}
	if c.reads(v) {
		opts := t.opts
		opts.Spans = spans
		return c.pass(t.ctx, v, t.size(), t.rows(t.t.Records(&opts)))
	}
	lots, err := t.lots(spans)
	if err != nil {
		return err
	}
	d := &draw{sampleCommand: c, ctx: t.ctx, lots: lots}
	return v.print(t.ctx, t.rows(d.records()))
}

// reads reports whether every record has to be looked at.
func (c *sampleCommand) reads(v *view) bool {
	return v.where != nil && v.where.filter != nil && c.share == 0
}

// pass chooses among all records that the filter is true of. bytes is what those
// of the log take.
func (c *sampleCommand) pass(ctx context.Context, v *view, bytes int64, records stream) error {
	if c.offsets.given || c.times.given() {
		bytes = -1 // it is not known what is read of it
	}
	bar := c.startProgress(v.name)
	kept, err := c.reservoir(ctx, v.where.rows(v.kept(progressing(records, bar, bytes))))
	bar.finish()
	if err == nil {
		err = v.printChosen(ctx, sequence(kept))
	}
	return v.where.outcome(err)
}

// progressing shows on bar how much of records was read.
func progressing(records stream, bar *progress, bytes int64) stream {
	return func(yield func(topic.Record, error) bool) {
		done, count := int64(0), 0
		for rec, err := range records {
			done += int64(len(rec.Data)) + 1
			if count++; count%4096 == 0 {
				bar.set(done, bytes)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// shareFlag is -p; 0 while it was not given.
type shareFlag float64

func (f *shareFlag) Type() string { return "SHARE" }

func (f *shareFlag) String() string {
	if *f == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*f), 'g', -1, 64)
}

func (f *shareFlag) Set(text string) error {
	p, err := sample.ParseProbability(text)
	*f = shareFlag(p)
	return err
}

// seedFlag is --seed.
type seedFlag struct {
	value uint64
	given bool
}

func (f *seedFlag) Type() string { return "SEED" }

func (f *seedFlag) String() string {
	if !f.given {
		return ""
	}
	return uintText(f.value)
}

func (f *seedFlag) Set(text string) (err error) {
	f.given = true
	if f.value, err = strconv.ParseUint(text, 10, 64); err != nil {
		return errors.New("want a number without sign, below 2^64")
	}
	return nil
}
