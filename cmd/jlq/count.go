package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

type countCommand struct {
	*app
	pickFlags
	next bool
}

func (a *app) countCmd() *cobra.Command {
	c := &countCommand{app: a}
	cmd := &cobra.Command{
		Use:   "count LOG",
		Short: "print the number of records",
		Long: `count prints how many records a log, or a range of it, holds. With an index that
takes no time; a file without one is read through.

Every line of a bare file is a record, blank ones included; a last line without
newline is one when it is a complete JSON object or array.

Of a topic it counts those of all partitions that consumers see.

--where counts the records that a filter is true of, which reads all of them;
jlq help filter tells about the expression, and about lines that are not JSON.

--next prints the offset that the next record gets instead. Once records were dropped
(jlq trim) it is larger than their number. Of a topic it prints an id for each
partition, also for those that are hidden: orders-0@42.`,
		Example: `  jlq count orders
  jlq count -o @2026-01-02:2026-01-03 app.jsonl
  jlq count --where '.level == "error"' app.jsonl
  jlq append --expect-offset $(jlq count --next orders) orders more.jsonl`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, args[0])
		},
	}
	c.add(cmd, "count only this range: "+offsetsHelp)
	c.expr.add(cmd)
	cmd.Flags().BoolVar(&c.next, "next", false, "print the offset that the next append gets")
	return cmd
}

func (c *countCommand) run(cmd *cobra.Command, path string) error {
	if c.next && (c.offsets.given || c.times.given()) {
		return usagef("count: --next is about the whole log; it takes no -o, --since or --until")
	}
	if c.expr == "" && cmd.Flags().Changed("on-bad") || c.next && c.expr != "" {
		return usagef("count: --on-bad belongs to --where, which does not go with --next")
	}
	w, err := c.newWhere(cmd, path, string(c.expr))
	if err != nil {
		return err
	}
	c.lenient = w
	return c.pick(cmd, &c.pickFlags, path, func(string) {}, func(v *topicView) error {
		if c.next {
			return v.printNext()
		}
		end := c.showReading(path, &c.pickFlags, v.size, true)
		n, err := v.count(w, c.offsets.offsets)
		end()
		return c.print(w)(n, err)
	}, func(r *resolver) error {
		if c.next {
			_, end, err := r.bounds()
			return c.print(nil)(end, err)
		}
		end := c.showReading(path, &c.pickFlags, r.size, true)
		n, err := r.count(w, c.offsets.offsets)
		end()
		return c.print(w)(n, err)
	})
}

// count is how many records of a range w chooses; nil chooses all.
func (r *resolver) count(w *where, o offsets) (uint64, error) {
	if w != nil {
		return w.count(r, o)
	}
	if parts, placed, err := r.placed(o); placed || err != nil {
		return r.countAt(parts, err)
	}
	spans, err := r.clamped(o)
	return heldBy(spans), err
}

// countAt counts the lines in parts of a file of which none were counted before.
func (r *resolver) countAt(parts []reader.Stretch, err error) (n uint64, _ error) {
	if err != nil {
		return 0, err
	}
	for lines, err := range joined(parts, r.log.BlocksAt) {
		if err == nil {
			err = context.Cause(r.ctx)
		}
		if err != nil {
			return n, err
		}
		n += uint64(lines.Count)
	}
	return n, nil
}

// print prints a number.
func (c *countCommand) print(w *where) func(uint64, error) error {
	return func(n uint64, err error) error {
		if w != nil {
			return c.countChosen(w, n, err)
		}
		if err == nil {
			_, err = fmt.Fprintln(c.out, n)
		}
		return err
	}
}

// countChosen prints how many records are chosen; none is a number too.
func (a *app) countChosen(w *where, n uint64, err error) error {
	if err == nil {
		_, err = fmt.Fprintln(a.out, n)
	}
	if err = w.outcome(err); n == 0 && exitCode(err) == exitMissing && quiet(err) {
		return nil
	}
	return err
}
