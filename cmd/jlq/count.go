package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

func (a *app) countCmd() *cobra.Command {
	var (
		flags readFlags
		o     offsetsFlag
		next  bool
		expr  whereFlag
	)
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
			if next && o.given {
				return usagef("count: --next is about the whole log; it takes no -o")
			}
			if expr == "" && cmd.Flags().Changed("on-bad") || next && expr != "" {
				return usagef("count: --on-bad belongs to --where, which does not go with --next")
			}
			w, err := a.newWhere(cmd, args[0], string(expr))
			if err != nil {
				return err
			}
			path, whole, err := within(args[0], o.in)
			if err != nil {
				return err
			}
			if whole {
				return a.countTopic(cmd.Context(), path, flags, w, o.offsets, next)
			}
			return a.withLog(cmd.Context(), path, flags, func(log *reader.Log) error {
				r := &resolver{ctx: cmd.Context(), log: log}
				if next {
					_, end, err := r.bounds()
					if err == nil {
						_, err = fmt.Fprintln(a.out, end)
					}
					return err
				}
				if w != nil {
					n, err := w.count(r, o.offsets)
					return a.countChosen(w, n, err)
				}
				s, err := r.span(o.offsets)
				if err == nil {
					s, err = r.clamp(s)
				}
				if err == nil {
					_, err = fmt.Fprintln(a.out, s.to-s.from)
				}
				return err
			})
		},
	}
	flags.add(cmd)
	flags.onBad.add(cmd)
	expr.add(cmd)
	cmd.Flags().BoolVar(&next, "next", false, "print the offset that the next append gets")
	o.add(cmd, "count only this range: "+offsetsHelp)
	return cmd
}

// countTopic prints how many records the partitions of a topic hold together.
func (a *app) countTopic(ctx context.Context, path string, flags readFlags, w *where, o offsets, next bool) error {
	return a.withTopic(ctx, path, flags, orderFlags{}, func(v *topicView) error {
		if next {
			return v.printNext()
		}
		n, err := v.count(w, o)
		if w != nil {
			return a.countChosen(w, n, err)
		}
		if err == nil {
			_, err = fmt.Fprintln(a.out, n)
		}
		return err
	})
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
