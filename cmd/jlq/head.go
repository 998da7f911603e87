package main

import (
	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

// shownRecords is how many records head and tail print unless told otherwise.
const shownRecords = 10

func (a *app) headCmd() *cobra.Command {
	var (
		flags  readFlags
		format formatFlag
		o      offsetsFlag
		limit  = countFlag(shownRecords)
		expr   whereFlag
		order  orderFlags
	)
	cmd := &cobra.Command{
		Use:   "head LOG",
		Short: "print the first records",
		Long: `head prints the first 10 records of a log, or of a range of it; with --where, the
first 10 that the filter is true of. Of a topic they are the oldest (--order).`,
		Example: `  jlq head orders
  jlq head -n 3 -o @2026-01-02 app.jsonl`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.newWhere(cmd, args[0], string(expr))
			if err != nil {
				return err
			}
			path, whole, err := within(args[0], o.in)
			if err != nil {
				return err
			}
			if whole {
				return a.withTopic(cmd.Context(), path, flags, order, func(v *topicView) error {
					return v.print(a.newPrinter(path, format.value), w, o.offsets, false, int64(limit))
				})
			}
			return a.withLog(cmd.Context(), path, flags, func(log *reader.Log) error {
				r := &resolver{ctx: cmd.Context(), log: log}
				a.complain(named(path, r.dropped(o.offsets)))
				p := a.newPrinter(path, format.value)
				if w != nil {
					return w.print(r, p, o.offsets, int64(limit))
				}
				records, err := r.records(o.offsets)
				if err != nil {
					return err
				}
				return p.all(r.ctx, records, int64(limit))
			})
		},
	}
	flags.add(cmd)
	flags.onBad.add(cmd)
	format.add(cmd)
	order.add(cmd)
	o.add(cmd, "the first records of this range: "+offsetsHelp)
	expr.add(cmd)
	cmd.Flags().VarP(&limit, "number", "n", "print N records")
	return cmd
}
