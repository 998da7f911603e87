package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/jlq/reader"
)

func (a *app) countCmd() *cobra.Command {
	var (
		flags readFlags
		o     offsetsFlag
	)
	cmd := &cobra.Command{
		Use:   "count LOG",
		Short: "print the number of records",
		Long: `count prints how many records a log, or a range of it, holds. With an index that
takes no time; a file without one is read through.

Every line of a bare file is a record, blank ones included; a last line without
newline is one when it is a complete JSON object or array.`,
		Example: `  jlq count orders
  jlq count -o @2026-01-02:2026-01-03 app.jsonl`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLog(cmd.Context(), args[0], flags, func(log *reader.Log) error {
				r := &resolver{ctx: cmd.Context(), log: log}
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
	o.add(cmd, "count only this range: "+offsetsHelp)
	return cmd
}
