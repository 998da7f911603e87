package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

type catCommand struct {
	*app
	viewFlags
	reverse bool
}

func (a *app) catCmd() *cobra.Command {
	c := newCat(a)
	cmd := &cobra.Command{
		Use:   "cat LOG",
		Short: "print records",
		Long: `cat prints the records of a log, or of a range of it, up to the end that it had
when cat began: it never waits, not even while a writer goes on. A range that begins
before the first record that is kept begins with that one. Where retention drops
records that cat has not come to, it ends and says which, with exit code 1.

Where records are damaged it prints those before, names the damage and ends, with
exit code 4 or 5. With --on-bad skip it goes on behind, leaves out blank lines too,
says at the end how much it left out, and exits 0.

A topic is printed as one sequence, merged by the time of the records (--order). A
record without a time comes behind the one before it in its partition. -o takes times
there, or an id, which is about its partition only: orders-0@42 or orders-0@42:50.

--where prints only some records; jlq help filter tells about the expression.`,
		Example: `  jlq cat -o 100:200 orders
  jlq cat -r -n 5 -F pretty app.jsonl
  jlq cat -o @-3h:now orders | jq .level
  jlq cat -o orders-0@42: orders
  jlq cat -F csv --fields ts,level,user.id app.jsonl
  jlq cat -F '%i %{customer} %{total}\n' orders`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.show(cmd, &c.viewFlags, args[0], c)
		},
	}
	c.add(cmd)
	c.expr.add(cmd)
	return cmd
}

func newCat(a *app) *catCommand {
	return &catCommand{app: a, viewFlags: viewFlags{limit: -1}}
}

// add adds what cat and filter have in common.
func (c *catCommand) add(cmd *cobra.Command) {
	c.viewFlags.add(cmd, "the records to print: "+offsetsHelp, "print at most N records (default all)")
	cmd.Flags().BoolVarP(&c.reverse, "reverse", "r", false, "print backwards, the last record first")
	c.step.add(cmd)
	c.context.add(cmd, "record that --where chooses")
}

func (c *catCommand) fromTopic(v *view, t *topicView) error {
	defer v.showReading(v.name, &c.pickFlags, t.size, false)()
	return t.print(v, c.reverse)
}

func (c *catCommand) fromLog(v *view, r *resolver) error {
	defer v.showReading(v.name, &c.pickFlags, r.size, false)()
	switch {
	case c.reverse:
		c.complain(named(v.name, r.dropped(c.offsets.offsets)))
		if v.strides(r) {
			return v.stride(r, true)
		}
		return c.backwards(v, r)
	case v.where == nil && c.skip == nil && v.direct() && c.limit < 0 && c.offsets.from.kind != atLast:
		if r.want != nil || c.offsets.to.kind != atEnd {
			return c.blocks(v, r)
		}
		return c.copy(r)
	}
	return v.forward(r)
}

// copy prints the stored lines, a block at a time.
func (c *catCommand) copy(r *resolver) error {
	s, err := r.span(c.offsets.offsets)
	if err != nil {
		return err
	}
	if s.from, err = c.begin(r, s.from); err != nil {
		return err
	}
	for {
		n, err := r.log.Reader(s.from).WriteTo(&interruptible{r.ctx, c.out, c.reading})
		out, dropped := gone(err)
		if !dropped || n > 0 {
			return err
		}
		s.from = out.Start // dropped since the log was asked where it begins
	}
}

// blocks prints the stored lines of a part of the log, a block at a time.
func (c *catCommand) blocks(v *view, r *resolver) error {
	c.complain(named(v.name, r.dropped(c.offsets.offsets)))
	blocks, err := r.blocks(c.offsets.offsets)
	if err != nil {
		return err
	}
	to := &interruptible{r.ctx, c.out, c.reading}
	for lines, err := range blocks {
		if err == nil {
			_, err = to.Write(lines.Data)
		}
		if err == nil && lines.Data[len(lines.Data)-1] != '\n' {
			_, err = to.Write([]byte{'\n'})
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(r.ctx)
}

// begin clamps where a range begins. Only a log with an index can tell at
// once; in the others the reader finds out.
func (c *catCommand) begin(r *resolver, from uint64) (uint64, error) {
	if from == 0 && r.log.Place().Bare {
		return 0, nil
	}
	s, err := r.clamp(span{from, unbounded})
	return s.from, err
}

func (c *catCommand) backwards(v *view, r *resolver) error {
	records, err := v.inRangeBack(r, c.offsets.offsets)
	if err != nil {
		return err
	}
	return v.print(r.ctx, v.rows(records))
}

// downTo ends a sequence that goes backwards with the record at offset last.
func downTo(records iter.Seq2[reader.Record, error], last uint64) iter.Seq2[reader.Record, error] {
	return func(yield func(reader.Record, error) bool) {
		for rec, err := range records {
			if err == nil && rec.Offset < last || !yield(rec, err) || rec.Offset == last {
				return
			}
		}
	}
}

// interruptible writes until its context ends. Blocks of whole lines are
// written, so that is where it ends.
type interruptible struct {
	ctx     context.Context
	out     *output
	reading *reading
}

// Write implements [io.Writer].
func (w *interruptible) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	w.reading.add(len(p))
	return w.out.Write(p)
}
