package main

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

type catCommand struct {
	*app
	readFlags
	format  formatFlag
	offsets offsetsFlag
	limit   countFlag
	reverse bool
}

func (a *app) catCmd() *cobra.Command {
	c := &catCommand{app: a, limit: -1}
	cmd := &cobra.Command{
		Use:   "cat LOG",
		Short: "print records",
		Long: `cat prints the records of a log, or of a range of it, up to the end that it had
when cat began: it never waits, not even while a writer goes on.`,
		Example: `  jlq cat -o 100:200 orders
  jlq cat -r -n 5 -F pretty app.jsonl
  jlq cat -o @-3h:now orders | jq .level`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withLog(cmd.Context(), args[0], c.readFlags, func(log *reader.Log) error {
				return c.run(&resolver{ctx: cmd.Context(), log: log}, c.newPrinter(args[0], c.format.value))
			})
		},
	}
	c.readFlags.add(cmd)
	c.format.add(cmd)
	c.offsets.add(cmd, "the records to print: "+offsetsHelp)
	cmd.Flags().VarP(&c.limit, "number", "n", "print at most N records (default all)")
	cmd.Flags().BoolVarP(&c.reverse, "reverse", "r", false, "print backwards, the last record first")
	return cmd
}

func (c *catCommand) run(r *resolver, p *printer) error {
	switch {
	case c.reverse:
		return c.backwards(r, p)
	case p.raw() && c.limit < 0 && c.offsets.to.kind == atEnd && c.offsets.from.kind != atLast:
		return c.copy(r)
	}
	records, err := r.records(c.offsets.offsets)
	if err != nil {
		return err
	}
	return p.all(r.ctx, records, int64(c.limit))
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
	_, err = r.log.Reader(s.from).WriteTo(&interruptible{r.ctx, c.out})
	return err
}

// begin clamps where a range begins. Only a log with an index can tell at
// once; in the others the reader finds out.
func (c *catCommand) begin(r *resolver, from uint64) (uint64, error) {
	if info := r.log.Info(); from == 0 && info.Bare {
		return 0, nil
	}
	s, err := r.clamp(span{from, unbounded})
	return s.from, err
}

func (c *catCommand) backwards(r *resolver, p *printer) error {
	s, err := r.span(c.offsets.offsets)
	if err == nil {
		s, err = r.clamp(s)
	}
	if err != nil {
		return err
	}
	limit := int64(s.to - s.from)
	if c.limit >= 0 {
		limit = min(limit, int64(c.limit))
	}
	return p.all(r.ctx, r.log.Backward(s.to), limit)
}

// interruptible writes until its context ends. Blocks of whole lines are
// written, so that is where it ends.
type interruptible struct {
	ctx context.Context
	out *output
}

// Write implements [io.Writer].
func (w *interruptible) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.out.Write(p)
}
