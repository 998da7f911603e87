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
	)
	cmd := &cobra.Command{
		Use:   "head LOG",
		Short: "print the first records",
		Long:  `head prints the first 10 records of a log, or of a range of it.`,
		Example: `  jlq head orders
  jlq head -n 3 -o @2026-01-02 app.jsonl`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLog(cmd.Context(), args[0], flags, func(log *reader.Log) error {
				r := &resolver{ctx: cmd.Context(), log: log}
				records, err := r.records(o.offsets)
				if err != nil {
					return err
				}
				return a.newPrinter(args[0], format.value).all(r.ctx, records, int64(limit))
			})
		},
	}
	flags.add(cmd)
	format.add(cmd)
	o.add(cmd, "the first records of this range: "+offsetsHelp)
	cmd.Flags().VarP(&limit, "number", "n", "print N records")
	return cmd
}
